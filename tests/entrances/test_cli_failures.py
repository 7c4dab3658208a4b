"""How commands end when the answer is no, the words are wrong or the store can't: exit codes and errors."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from graphmem.core import errors
from graphmem.core.errors import GraphmemError
from graphmem.memory import Memory
from tests.entrances.conftest import ENTRY, SEED, Cli

# The exit codes as they are promised: 2 wrong use, 3 refused or conflict, 4 store trouble.
PROMISED = {
    errors.InvalidInput: 2,
    errors.NotFound: 2,
    errors.Unsupported: 2,
    errors.NotPermitted: 3,
    errors.Conflict: 3,
    errors.StoreUnavailable: 4,
    errors.CommitUnknown: 4,
    errors.CorruptStore: 4,
    errors.DeadlineExceeded: 4,
    errors.IndexBehind: 4,
    errors.ProviderError: 4,
}
UNKNOWN = "r-00000000000000000000"


def failing(error: BaseException) -> object:
    def status(self: Memory) -> None:
        raise error

    return status


@pytest.mark.parametrize("kind", GraphmemError.__subclasses__(), ids=lambda kind: kind.code)
def test_every_error_has_its_promised_exit_code_and_both_forms(cli: Cli, kind: type[GraphmemError]) -> None:
    cli.remember("Words.")
    cli.patch.setattr(Memory, "status", failing(kind("it went wrong", hint="try this")))
    ran = cli("status")
    assert (ran.code, ran.out) == (PROMISED[kind], "")
    assert ran.err == "error: it went wrong\nhint: try this\n"
    told = cli.json("status", code=PROMISED[kind])["error"]
    assert (told["code"], told["message"], told["hint"]) == (kind.code, "it went wrong", "try this")
    assert told["retryable"] is kind.retryable


def test_recall_without_items_ends_with_one(cli: Cli) -> None:
    cli.remember("Words.")
    assert cli("recall", "zebra").code == 1
    assert cli.result("recall", "zebra", code=1)["items"] == []


def test_believe_without_a_belief_ends_with_one_default_or_not(cli: Cli) -> None:
    cli.remember("Words.")
    assert "nothing is believed" in cli("believe", "pool#size").out
    assert cli.result("believe", "pool#size", code=1)["winner"] is None
    found = cli.result("believe", "pool#size", "--default", "8", code=1)
    assert (found["value"], found["is_default"]) == (8, True)


def test_why_on_a_record_that_is_out_gives_the_reasons_and_one(cli: Cli, pool: dict[str, str]) -> None:
    cli("retract", pool["run-r18"])
    assert "OUT (cascade)" in cli("why", pool["progress-note"]).out
    found = cli.result("why", pool["progress-note"], code=1)
    assert (found["status"], found["proof"]) == ("OUT", None)


def test_why_not_on_a_record_that_is_in_gives_the_proof_and_one(cli: Cli, pool: dict[str, str]) -> None:
    assert "GROUNDED" in cli("why-not", pool["progress-note"]).out
    assert cli.result("why-not", pool["progress-note"], code=1)["proof"]


def test_why_not_a_value_that_is_believed_ends_with_one(cli: Cli) -> None:
    cli.remember("Eight.", "--key", "pool#size", "--value", "8")
    assert cli.result("why-not", "pool#size", "8", code=1)["losers"] == []
    assert "is believed" in cli("why-not", "pool#size=8").out


def test_a_write_that_changes_nothing_ends_with_one(cli: Cli, pool: dict[str, str]) -> None:
    assert cli("unreject", pool["run-r18"]).code == 1
    assert cli("reassert", pool["run-r18"]).out.startswith("nothing changed: reassert ")
    assert cli.result("import", str(SEED / "pool/records.jsonl"))["unchanged"] == 6
    cli("ingest", str(SEED / "pool/r17"))
    assert cli.result("ingest", str(SEED / "pool/r17"))["commit"] == 0


@pytest.mark.parametrize(
    "words",
    [
        ["nonsense"],
        ["recall", "--no-such-option"],
        ["recall", "words", "--limit", "many"],
        ["recall", ""],
        ["recall", "words", "--budget", "0"],
        ["remember"],
        ["remember", "   "],
        ["remember", "words", "--role", "rumour"],
        ["remember", "words", "--key", "no hash sign"],
        ["remember", "words", "--condition", "no equals sign"],
        ["remember", "words", "--observed-at", "yesterday"],
        ["remember", "words", "--valid-from", "2026-02-01", "--valid-to", "2026-01-01"],
        ["remember", "words", "--because", UNKNOWN, "--role", "summary"],
        ["justify", UNKNOWN],
        ["retract", UNKNOWN],
        ["why", UNKNOWN],
        ["why-not", "pool#size"],
        ["withdraw", "j-00000000000000000000"],
        ["impact", "remember", "words"],
        ["impact", "retract"],
        ["impact", "retract", UNKNOWN, "--how", "change"],
        ["ingest", "no/such/folder"],
        ["import", "no-such-file.jsonl"],
        ["export", "no/such/folder/file.jsonl"],
    ],
    ids=" ".join,
)
def test_wrong_use_ends_with_two_and_a_hint(cli: Cli, words: list[str]) -> None:
    cli.remember("Words.")
    ran = cli(*words)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("error: ")
    assert "\nhint: " in ran.err
    assert cli.json(*words, code=2)["error"]["retryable"] is False


def test_refusals_end_with_three(cli: Cli, pool: dict[str, str]) -> None:
    assert cli("retract", pool["progress-note"]).code == 3
    assert cli("remember", "Somebody else's.", "--owner", "somebody else").code == 3


def test_conflict_carries_the_head_and_its_version(cli: Cli) -> None:
    old = cli.remember("Eight.", "--key", "pool#size", "--value", "8")
    head = cli.result("supersede", old, "Nine.", "--value", "9")["id"]
    told = cli.json("supersede", old, "Ten.", "--value", "10", code=3)["error"]
    assert (told["code"], told["head"], told["version"], told["retryable"]) == ("conflict", head, 2, True)


@pytest.mark.parametrize(
    "words",
    [
        ["recall", "x"],
        ["believe", "a#b"],
        ["why", UNKNOWN],
        ["why-not", UNKNOWN],
        ["impact", "retract", UNKNOWN],
        ["status"],
        ["export"],
    ],
    ids=" ".join,
)
def test_asking_where_there_is_no_memory_makes_none(cli: Cli, words: list[str]) -> None:
    ran = cli(*words)
    assert ran.code == 4
    assert "there is no memory at" in ran.err
    assert "hint: " in ran.err
    assert not cli.memory.exists()


def test_a_file_that_is_no_memory_is_store_trouble(cli: Cli) -> None:
    cli.memory.write_text("These are notes, not a database. " * 100)
    assert cli.json("status", code=4)["error"]["code"] == "corrupt-store"
    assert cli("remember", "Words.").code == 4


def test_standard_input_that_is_not_utf8_is_refused_whole(cli: Cli) -> None:
    assert "isn't UTF-8" in cli("remember", "-", stdin=b"caf\xe9").err
    lines = (SEED / "calendar.jsonl").read_bytes().splitlines(keepends=True)
    ran = cli("import", "-", stdin=lines[0] + b'{"type": "\xff"}\n')
    assert ran.code == 2
    assert "line 2 isn't UTF-8" in ran.err


def test_a_failed_export_leaves_the_old_file_and_no_other(cli: Cli, tmp_path: Path) -> None:
    cli.remember("Words.")
    target = tmp_path / "all.jsonl"
    target.write_text("old\n")
    cli.patch.setattr(Memory, "export", failing(errors.StoreUnavailable("gone")))
    assert cli("export", str(target)).code == 4
    assert target.read_text() == "old\n"
    assert sorted(p.name for p in tmp_path.glob("all*")) == ["all.jsonl"]


def test_a_fault_of_our_own_is_one_clear_line_without_a_traceback(cli: Cli) -> None:
    cli.remember("Words.")
    cli.patch.setattr(Memory, "status", failing(RuntimeError("the record says: secret")))
    ran = cli("status")
    assert ran.code == 70
    assert ran.err == (
        "error: graphmem met a fault of its own (RuntimeError)\nhint: GRAPHMEM_DEBUG=1 shows where; please report it\n"
    )
    cli.patch.setenv("GRAPHMEM_DEBUG", "1")
    assert "Traceback" in cli("status").err


def test_ctrl_c_is_one_line_and_the_memory_stays_sound(cli: Cli) -> None:
    name = cli.remember("Words.")
    with cli.patch.context() as patch:
        patch.setattr(Memory, "remember", failing_with_arguments(KeyboardInterrupt()))
        ran = cli("remember", "More words.")
    assert (ran.code, ran.out) == (130, "")
    assert ran.err.count("\n") == 1
    assert cli.result("why", name)["status"] == "GROUNDED"


def failing_with_arguments(error: BaseException) -> object:
    def verb(self: Memory, *words: object, **details: object) -> None:
        raise error

    return verb


def test_a_reader_that_leaves_early_is_no_error(cli: Cli, pool: dict[str, str]) -> None:
    with subprocess.Popen(
        [*ENTRY, "export"], env=cli.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


def test_a_wrong_command_line_with_json_is_still_one_document(cli: Cli) -> None:
    ran = cli("--json", "nonsense")
    assert (ran.code, ran.err) == (2, "")
    document = json.loads(ran.out)
    assert (document["command"], document["error"]["code"]) == ("graphmem", "invalid-input")


@pytest.mark.parametrize(
    ("variable", "value"),
    [("GRAPHMEM_EXTRACTOR", "magic"), ("GRAPHMEM_OPEN_JOBS", "-17"), ("GRAPHMEM_NEO4J_TIMEOUT_S", "soon")],
)
def test_an_environment_that_is_not_right_is_wrong_use_and_names_the_variable(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    cli.remember("Words.")
    monkeypatch.setenv(variable, value)
    ran = cli("status")
    assert ran.code == 2
    assert f"{variable} isn't right" in ran.err
    assert value not in ran.err.replace(variable, "")
