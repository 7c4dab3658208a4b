"""Each command does its work, says so to people and gives programs the documented document.

What is right comes from the sample memories, as seed/README.md describes them.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from graphmem import __version__
from tests.entrances.conftest import ROOT, SEED, Cli, Ran

COMMANDS = (
    "ingest remember justify retract reassert confirm supersede withdraw reject unreject impact consolidate merge "
    "extract forget recall believe why why-not show status diff history audit export import copy maintain tour"
).split()
TRUTH_COMMANDS = [
    *("authority check", "authority explain"),
    *("conflicts list", "conflicts show", "conflicts resolve"),
    *("receipt list", "receipt show", "receipt verify"),
]
ADMISSION_COMMANDS = [
    *("consent list", "consent give", "consent withdraw"),
    *("admission check", "admission show"),
    *("review list", "review show", "review similar", "review approve", "review reject"),
]
NEO4J_COMMANDS = [f"neo4j {verb}" for verb in ("start", "stop", "status", "logs", "schema")]
VENDOR = "vendor:northwind#legal-name"


def test_version_is_told_by_both_flags(cli: Cli) -> None:
    assert cli("--version").out == cli("-V").out == f"graphmem {__version__}\n"


def test_help_lists_every_command_in_whole_sentences(cli: Cli) -> None:
    ran = cli("--help")
    listed = ran.out.partition("Commands:\n")[2].splitlines()
    assert [line.split()[0] for line in listed if line.strip()] == [
        *COMMANDS,
        *("admission", "authority", "conflicts", "consent", "jobs", "neo4j", "review", "receipt"),
    ]
    assert all(line.endswith(".") and not line.endswith("...") for line in listed)


@pytest.mark.parametrize("command", [*COMMANDS, *TRUTH_COMMANDS, *ADMISSION_COMMANDS, *NEO4J_COMMANDS])
def test_help_of_each_command_has_an_example_and_is_ascii(cli: Cli, command: str) -> None:
    ran = cli(*command.split(), "--help")
    assert ran.code == 0
    assert f"Example: graphmem {command}" in ran.out
    assert "--memory URL" in ran.out
    assert ran.out.isascii()


@pytest.mark.parametrize("command", [*COMMANDS, *TRUTH_COMMANDS, *ADMISSION_COMMANDS, *NEO4J_COMMANDS])
def test_reference_documents_each_command(command: str) -> None:
    assert f"## {command}\n" in (ROOT / "docs/reference/cli.md").read_text(encoding="utf-8")
    assert f"`{command}`" in (ROOT / "docs/reference/json.md").read_text(encoding="utf-8")


def test_remember_keeps_what_it_was_told(cli: Cli) -> None:
    name = cli.remember(
        "The pool holds 8 connections.",
        *("--role", "source", "--key", "pool#size@prod", "--value", "8", "--kind", "semantic"),
        *("--source", "config/pool.toml", "--source-kind", "file", "--revision", "r17"),
        *("--condition", "region=eu", "--condition", "load=a=b", "--observed-at", "2026-03-02"),
        *("--valid-from", "2026-03-01", "--valid-to", "2026-04-01T12:00:00+02:00", "--authority", "3"),
        *("--policy", "team", "--mention", "ConnectionPool"),
    )
    kept = cli.result("recall", name, "--at", "2026-03-15")["items"][0]
    expected = {
        "id": name,
        "role": "source",
        "kind": "semantic",
        "key": "pool#size@prod",
        "value": 8,
        "observed_at": "2026-03-02T00:00:00Z",
        "valid": [["2026-03-01T00:00:00Z", "2026-04-01T10:00:00Z"]],
        "authority": 3,
        "policy": "team",
    }
    assert {field: kept[field] for field in expected} == expected
    provenance = kept["provenance"]
    assert provenance["locator"] == "config/pool.toml"
    assert provenance["source_kind"] == "file"
    assert provenance["revision"] == "r17"
    assert provenance["writer"] == "tester"
    assert provenance["conditions"] == {"region": "eu", "load": "a=b"}


def test_remember_reads_standard_input_whole(cli: Cli) -> None:
    text = "first line\nsecond line \u4e2d\u6587\n"
    done = cli.result("remember", "-", stdin=text.encode())
    assert cli.result("why", done["id"])["records"][done["id"]]["text"] == text


def test_remember_tells_people_the_id_and_what_rose(cli: Cli) -> None:
    ran = cli("remember", "The pool holds 8 connections.")
    assert ran.out.startswith("remembered r-")
    assert "rose (1):\n" in ran.out
    assert "observation: The pool holds 8 connections." in ran.out


def test_value_is_json_where_it_reads_as_json_and_else_text(cli: Cli) -> None:
    for said, value in (("10:00", "10:00"), ("5", 5), ('"5"', "5"), ('{"a":[1]}', {"a": [1]}), ("NaN", "NaN")):
        cli.remember(f"about {said}", "--key", f"k#{len(said)}", "--value", said)
        assert cli.result("believe", f"k#{len(said)}")["value"] == value


def test_summary_rests_on_what_because_names(cli: Cli) -> None:
    seen = cli.remember("It rained.")
    wet = cli.remember("The street is wet.", "--role", "summary", "--because", seen[:10], "--informant", "sense")
    proof = cli.result("why", wet)["proof"]
    assert [(step["record"], step["antecedents"], step["informant"]) for step in proof] == [
        (wet, [seen], "sense"),
        (seen, [], None),
    ]


def test_justify_and_withdraw_lift_and_drop_a_record(cli: Cli) -> None:
    seen, other = cli.remember("It rained."), cli.remember("It hailed.")
    wet = cli.remember("The street is wet.", "--role", "summary", "--because", seen)
    link = cli.result("justify", wet, "--because", other, "--informant", "hail")["id"]
    assert cli.result("retract", seen)["fell"] == [seen]
    assert cli.result("withdraw", link)["fell"] == [wet]
    assert cli.result("why-not", wet)["refutation"][0]["reason"] == "cascade"


def test_retract_and_reassert_move_exactly_what_rests_on_the_run(cli: Cli, pool: dict[str, str]) -> None:
    moved = sorted(pool[ref] for ref in ("run-r18", "progress-note", "no-more-timeouts"))
    assert cli.result("retract", pool["run-r18"])["fell"] == moved
    assert cli.result("reassert", pool["run-r18"])["rose"] == moved


def test_retract_shows_people_the_texts_that_fell(cli: Cli, pool: dict[str, str]) -> None:
    out = cli("retract", pool["run-r18"]).out
    assert "fell (3):\n" in out
    assert "summary: A returned connection did not wake the waiter at r17 and does at r18" in out
    assert "inference: With the notification in place at r18" in out


def test_confirm_refreshes_a_premise_and_refuses_a_conclusion(cli: Cli) -> None:
    seen = cli.remember("It is open.", "--key", "pool#state", "--value", "open", "--observed-at", "2026-03-01")
    assert cli.result("confirm", seen, "--source", "door", "--dry-run")["changed"] is True
    assert cli.result("confirm", seen, "--source", "door")["changed"] is True
    assert cli.result("believe", "pool#state")["winner"]["observed_at"] > "2026-03-01"
    note = cli.remember("We can swim.", "--role", "summary", "--because", seen)
    assert cli("confirm", note).code == 3


def test_show_tells_a_record_whole_and_who_put_it_forward(cli: Cli) -> None:
    seen = cli.remember("It is open.\nStill.", "--key", "pool#state", "--value", "open", "--source", "door")
    cli("confirm", seen, "--source", "camera")
    cli("retract", seen, "--source", "door")
    shown = cli.result("show", seen)
    assert (shown["record"]["text"], shown["status"], shown["block"]) == ("It is open.\nStill.", "GROUNDED", None)
    assert [a["provenance"]["locator"] for a in shown["assertions"]] == ["camera"]
    assert shown["confirmed_at"] == shown["assertions"][0]["observed_at"]
    assert [(a["provenance"]["locator"], a["withdrawn_by"]) for a in shown["withdrawn"]] == [("door", 3)]
    assert "withdrawn in commit 3, said by door" in cli("show", seen).out
    assert cli("show", "r-0000").code == 2


def test_impact_and_dry_run_say_what_would_fall_and_write_nothing(cli: Cli, pool: dict[str, str]) -> None:
    before = cli("export").out
    expected = cli.result("impact", "retract", pool["run-r18"])
    dry = cli.result("retract", pool["run-r18"], "--dry-run")
    assert cli("export").out == before
    assert cli("impact", "retract", pool["run-r18"]).out.startswith("dry run: retracted ")
    done = cli.result("retract", pool["run-r18"])
    assert expected["fell"] == dry["fell"] == done["fell"]
    assert (expected["commit"], expected["dry_run"], done["dry_run"]) == (0, True, False)


def test_impact_takes_the_words_and_options_of_its_verb(cli: Cli, pool: dict[str, str]) -> None:
    note, run = pool["progress-note"], pool["run-r18"]
    assert cli.result("impact", "justify", note, "--because", run, "--informant", "x")["changed"] is True
    assert cli.result("impact", "supersede", run, "It failed.", "--how", "correct")["fell"]
    assert cli.result("impact", "reject", note)["fell"] == [note]


def test_supersede_puts_a_new_value_at_the_head(cli: Cli) -> None:
    old = cli.remember("Eight.", "--key", "pool#size", "--value", "8", "--valid-from", "2026-01-01")
    new = cli.result(
        *("supersede", old, "Sixteen.", "--value", "16", "--valid-from", "2026-03-01", "--expected-version", "1")
    )["id"]
    assert cli.result("believe", "pool#size", "--at", "2026-04-01")["winner"]["id"] == new
    assert cli.result("believe", "pool#size", "--at", "2026-02-01")["value"] == 8


def test_reject_blocks_and_unreject_lifts(cli: Cli, pool: dict[str, str]) -> None:
    note = pool["progress-note"]
    assert cli.result("reject", note)["fell"] == [note]
    assert cli.result("why-not", note)["refutation"][0]["reason"] == "rejected"
    assert cli.result("unreject", note)["rose"] == [note]


def test_recall_gives_items_with_provenance_paths_and_tokens(cli: Cli, pool: dict[str, str]) -> None:
    found = cli.result("recall", "does a returned connection wake the waiter?", "--budget", "1500", "--limit", "4")
    assert pool["progress-note"] in [item["id"] for item in found["items"]]
    assert 0 < found["tokens"] <= 1500
    hops = [hop for item in found["items"] for hop in item["path"]]
    assert all(hop["provenance"]["locator"] for hop in hops)


def test_recall_shows_people_arrows_places_and_the_budget(cli: Cli) -> None:
    cli("ingest", str(SEED / "pool/r18"), "--repository", "pool", "--revision", "r18")
    cli("import", str(SEED / "pool/records.jsonl"))
    out = cli("recall", "Which", "test", "exercised", "the", "method", "that", "changed?", "--limit", "5").out
    assert " of 2000 tokens" in out
    assert 'key test_waiter_notified_on_return#outcome@r18/c17 = "passed"' in out
    assert "under configuration=c17, outcome=passed" in out
    assert "-mentions-> " in out
    assert "[asserted, src/pool.py@r18]" in out


def test_recall_goes_on_from_a_cursor_with_other_records(cli: Cli, pool: dict[str, str]) -> None:
    first = cli.result("recall", "pool timeouts", "--limit", "2")
    second = cli.result("recall", "--cursor", first["cursor"], "--limit", "2")
    ids = [{item["id"] for item in part["items"]} for part in (first, second)]
    assert ids[0] and ids[1] and not ids[0] & ids[1]
    assert "more: graphmem recall --cursor " in cli("recall", "pool timeouts", "--limit", "2").out


def test_recall_reads_only_the_policies_asked_for(cli: Cli) -> None:
    cli.remember("An open pool.")
    cli.remember("A secret pool.", "--policy", "secret")
    found = cli.result("recall", "pool", "--policies", "open")
    assert [item["text"] for item in found["items"]] == ["An open pool."]
    assert found["scope"]["policies"] == ["open"]


def test_believe_answers_now_and_as_known_before_the_correction(cli: Cli) -> None:
    lines = (SEED / "vendor.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    cli("import", "-", stdin=lines[0].encode())
    cli("import", str(SEED / "vendor.jsonl"))
    now = cli.result("believe", VENDOR)
    assert now["value"] == "Northwind B.V."
    known = str(now["winner"]["commit"] - 1)
    assert cli.result("believe", VENDOR, "--known-at", known)["value"] == "Northwind GmbH"
    assert '"Northwind GmbH"' in cli("believe", VENDOR, "--known-at", known).out


def test_believe_tells_what_contests_the_belief(cli: Cli) -> None:
    low = cli.remember("Eight.", "--key", "pool#size", "--value", "8")
    cli.remember("Nine.", "--key", "pool#size", "--value", "9", "--authority", "1")
    found = cli.result("believe", "pool#size")
    assert (found["value"], [c["id"] for c in found["contested"]]) == (9, [low])
    assert "contested by (1):\n  8\n" in cli("believe", "pool#size").out


def test_why_draws_a_tree_down_to_the_premises(cli: Cli, pool: dict[str, str]) -> None:
    out = cli("why", pool["progress-note"][:12]).out.splitlines()
    runs = sorted(pool[ref][:10] for ref in ("run-r17", "run-r18"))
    assert out[0].startswith(f"{pool['progress-note'][:10]} summary GROUNDED (rank 1): A returned connection")
    assert "because j-" in out[1] and out[1].startswith("`-- ") and out[1].endswith(" by summary-of-test-runs")
    assert [line[:18] for line in out[2:4]] == [f"    |-- {runs[0]}", f"    `-- {runs[1]}"]
    assert out[4:] == ["rests on 1 source: tests/test_pool.py::test_waiter_notified_on_return"]


def test_why_not_draws_the_frontier_of_what_failed(cli: Cli, pool: dict[str, str]) -> None:
    cli("retract", pool["run-r18"])
    out = cli("why-not", pool["progress-note"]).out
    assert "summary OUT (cascade): " in out
    assert f"{pool['run-r18'][:10]} observation OUT (withdrawn " in out
    assert pool["run-r17"][:10] not in out


@pytest.mark.parametrize("words", [(f"{VENDOR}=Northwind GmbH",), (VENDOR, "Northwind GmbH")])
def test_why_not_a_value_says_what_became_of_it(cli: Cli, words: tuple[str, ...]) -> None:
    ids = cli.result("import", str(SEED / "vendor.jsonl"))["ids"]
    found = cli.result("why-not", *words)
    assert found["belief"]["value"] == "Northwind B.V."
    assert [(loser["record"], loser["reason"]) for loser in found["losers"]] == [(ids["crm-name"], "corrected-by")]
    assert f'{VENDOR} = "Northwind GmbH" is not believed' in cli("why-not", *words).out


def test_status_counts_what_was_imported(cli: Cli, pool: dict[str, str]) -> None:
    found = cli.result("status")
    assert found["location"] == str(cli.memory)
    assert found["roles"] == {"observation": 3, "summary": 1, "inference": 2}
    assert cli("status").out.startswith(f"sqlite memory at {cli.memory}\n")


def test_ingest_reads_a_folder_as_one_generation(cli: Cli) -> None:
    first = cli.result("ingest", str(SEED / "pool/r17"), "--repository", "pool", "--revision", "r17")
    assert (first["repository"], first["revision"], first["generation"], first["files"]) == ("pool", "r17", 1, 2)
    second = cli("ingest", str(SEED / "pool/r18"), "--repository", "pool", "--revision", "r18")
    assert second.out.startswith("ingested pool at r18 as generation 2 in commit 2\n")
    assert "fell (1):\n" in second.out
    assert "def release(self, connection: object)" in second.out


def test_ingest_reports_files_that_it_skipped(cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "good.md").write_text("# Title\n\nWords.\n")
    (folder / "bad.md").write_bytes(b"\xff\xfe broken")
    assert [entry["path"] for entry in cli.result("ingest", str(folder))["skipped"]] == ["bad.md"]
    assert "skipped bad.md: " in cli("ingest", str(folder)).out


def test_export_to_a_file_and_to_a_pipe_are_the_same_bytes(cli: Cli, pool: dict[str, str], tmp_path: Path) -> None:
    assert cli("export", str(tmp_path / "all.jsonl")) == Ran(0, "", "")
    written = (tmp_path / "all.jsonl").read_text(encoding="ascii")
    assert written == cli("export").out
    assert {json.loads(line)["id"] for line in written.splitlines()} >= set(pool.values())
    assert sorted(p.name for p in tmp_path.glob("all*")) == ["all.jsonl"]


def test_import_reads_back_what_export_wrote(cli: Cli, pool: dict[str, str], tmp_path: Path) -> None:
    lines = cli("export").out
    copy = str(tmp_path / "copy.db")
    report = cli.result("import", "-", "--memory", copy, stdin=lines.encode())
    assert report["lines"] == len(lines.splitlines())
    mine, other = (cli.result("status", "--memory", m) for m in (str(cli.memory), copy))
    assert mine["roles"] == other["roles"]
    assert cli("import", "-", "--memory", copy, stdin=lines.encode()).out.startswith("imported ")


def test_import_takes_a_file_that_begins_with_a_byte_order_mark(cli: Cli) -> None:
    data = b"\xef\xbb\xbf" + (SEED / "calendar.jsonl").read_bytes()
    assert cli.result("import", "-", stdin=data)["records"] == 5


def test_global_options_stand_before_or_after_the_command(cli: Cli, tmp_path: Path) -> None:
    place = str(tmp_path / "other.db")
    cli("--memory", place, "--tenant", "acme", "remember", "Said before.")
    before = json.loads(cli("--json", "--memory", place, "--tenant", "acme", "status").out)
    assert before["result"]["roles"] == {"observation": 1}
    assert cli.result("status", "--memory", place, "--tenant", "acme")["roles"] == {"observation": 1}
    assert cli.result("status", "--memory", place, "--tenant", "else")["roles"] == {}


def test_an_option_after_the_command_overrides_the_one_before(cli: Cli, tmp_path: Path) -> None:
    cli("--memory", str(tmp_path / "first.db"), "remember", "Words.", "--memory", str(tmp_path / "second.db"))
    assert [p.name for p in sorted(tmp_path.glob("*.db"))] == ["second.db"]


def test_version_loads_neither_typer_nor_a_store(cli: Cli) -> None:
    probe = (
        "import sys; from graphmem.entrances.cli import main; main(['--version']); "
        "sys.exit(bool({'typer', 'rich', 'sqlite3', 'numpy'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", probe], env=cli.environment(), capture_output=True, check=False)
    assert run.returncode == 0
