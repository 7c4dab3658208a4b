"""diff, history and audit on the command line, the drawings of why and audit, and PROV-JSON."""

from __future__ import annotations

import re
import sys
from typing import Any

import pytest
from prov.model import ProvDocument

from tests.entrances.conftest import Cli

HOSTILE = '"]; click n0 "javascript:x"\n%%{init}%% } --> "\\" ]|x|<script>&quot;#quot; digraph { \u202e\x1b[31m'
ENTITY = r"(?:[A-Za-z0-9 .,:_()/-]|#\d+;)*"
MERMAID = re.compile(rf'flowchart TD\n(?:  n\d+\["{ENTITY}"\]\n)+(?:  n\d+ -->(?:\|"{ENTITY}"\|)? n\d+\n)*', re.ASCII)
DOT_TEXT = ENTITY.replace("#", "&#")
DOT = re.compile(
    rf'digraph graphmem \{{\n(?:  n\d+ \[label="{DOT_TEXT}"\];\n)+'
    rf'(?:  n\d+ -> n\d+(?: \[label="{DOT_TEXT}"\])?;\n)*\}}\n',
    re.ASCII,
)
DRAWN = {"mermaid": MERMAID, "dot": DOT}


@pytest.fixture
def told(cli: Cli) -> dict[str, str]:
    """A key that was said, corrected and contested, with a summary and a retraction."""
    ids = {"old": cli.remember("eight", "--key", "pool#size", "--value", "8", "--source", "mail/1")}
    ids["sum"] = cli.remember("so it is small", "--role", "summary", "--because", ids["old"])
    correct = ("--how", "correct", "--value", "16", "--source", "crm/1")
    ids["new"] = cli.result("supersede", ids["old"], "sixteen", *correct)["id"]
    ids["more"] = cli.remember("nine", "--key", "pool#size", "--value", "9", "--source", HOSTILE, "--subject", "ann")
    cli("retract", ids["more"])
    return ids


def test_history_tells_who_said_what_and_what_ended_it(cli: Cli, told: dict[str, str]) -> None:
    story = cli.result("history", "pool#size")
    assert [r["record"]["id"] for r in story["records"]] == [told["old"], told["new"], told["more"]]
    ended = {r["record"]["id"]: (r["ended"] or {}).get("how") for r in story["records"]}
    assert ended == {told["old"]: "corrected", told["new"]: None, told["more"]: "retracted"}
    turns = [(t["commit"], t["before"]["value"], t["after"]["value"]) for t in story["beliefs"]]
    assert turns == [(1, None, 8), (3, 8, 16), (4, 16, 9), (5, 9, 16)]
    assert [c["verb"] for c in story["commits"]] == ["remember", "supersede", "remember", "retract"]
    shown = cli("history", "pool#size").out
    assert "corrected in commit 3" in shown
    assert "\x1b" not in shown


def test_history_of_a_record_tells_its_label_changes(cli: Cli, told: dict[str, str]) -> None:
    events = cli.result("history", told["sum"])["events"]
    assert [(e["commit"], e["what"]) for e in events] == [
        (2, "recorded"),
        (2, "justified"),
        (2, "now-GROUNDED"),
        (3, "now-OUT"),
    ]
    (old,) = cli.result("history", told["old"])["records"]
    assert (old["ended"]["how"], old["ended"]["by"]) == ("corrected", told["new"])
    later = cli.result("supersede", told["new"], "twenty", "--value", "20")["id"]
    (new,) = cli.result("history", told["new"])["records"]
    assert (new["ended"]["how"], new["ended"]["by"]) == ("superseded-by", later)
    assert cli("history", "r-ffffffffffffffffffff").code == 2
    assert cli("history", "nobody#said").code == 1


def test_diff_tells_what_fell_and_rose_and_the_beliefs(cli: Cli, told: dict[str, str]) -> None:
    found = cli.result("diff", "2", "3")
    assert found["counts"] == {"fell": 2, "rose": 1, "shifted": 0, "restated": 0}
    assert {r["record"]["id"] for r in found["records"]} == {told["old"], told["sum"], told["new"]}
    assert [(t["before"]["value"], t["after"]["value"]) for t in found["beliefs"]] == [(8, 16)]
    page = cli.result("diff", "2", "3", "--limit", "1")
    assert (page["partial"], page["next"], page["counts"]) == (
        True,
        page["records"][0]["record"]["id"],
        found["counts"],
    )
    assert "--after" in cli("diff", "2", "3", "--limit", "1").out
    assert "pool#size: 8" in cli("diff", "2", "3").out
    assert cli("diff", "3", "2").code == 2
    assert cli("diff", "5", "5").code == 1


def test_audit_counts_first_and_pages(cli: Cli, told: dict[str, str]) -> None:
    found = cli.result("audit", "--source", "crm/")
    assert found["counts"] == {"record": 1, "assertion": 1, "justification": 0, "edge": 1, "resting": 0}
    assert [e["names"] for e in found["entries"] if e["kind"] == "assertion"] == [[told["new"]]]
    assert cli.result("audit", "--subject", "ann")["entries"][0]["ended"] == 5
    page = cli.result("audit", "--by", "tester", "--limit", "2")
    rest = cli.result("audit", "--by", "tester", "--after", page["next"])
    assert page["partial"]
    assert len(page["entries"] + rest["entries"]) == sum(
        rest["counts"][k] for k in ("assertion", "justification", "edge")
    )
    assert "found: record 1" in cli("audit", "--source", "crm/").out
    assert cli("audit", "--source", "nowhere").code == 1
    assert cli("audit", "--after", "x").code == 2
    assert cli("audit", "--limit", "0").code == 2


def test_an_impact_shows_the_beliefs_that_would_change(cli: Cli, told: dict[str, str]) -> None:
    (turn,) = cli.result("impact", "retract", told["new"])["beliefs"]
    assert (turn["key"], turn["before"]["value"], turn["after"]["record"]) == ("pool#size", 16, None)
    assert "pool#size: 16" in cli("impact", "retract", told["new"]).out


@pytest.mark.parametrize("form", DRAWN)
@pytest.mark.parametrize("command", ["why", "why of an OUT", "audit"])
def test_no_text_breaks_out_of_a_drawing(cli: Cli, command: str, form: str) -> None:
    seen = cli.remember(HOSTILE, "--source", HOSTILE, "--mention", HOSTILE)
    below = cli.remember(HOSTILE + "!", "--role", "summary", "--because", seen, "--informant", HOSTILE)
    if command != "why":
        cli("retract", seen)
    words = ("audit",) if command == "audit" else ("why", below)
    out = cli(*words, "--format", form).out
    assert DRAWN[form].fullmatch(out), out
    assert cli.result(*words, "--format", form, code=int(command == "why of an OUT"))["text"] == out
    assert cli(*words, "--format", "svg").code == 2


def test_a_drawing_joins_a_conclusion_to_its_premises(cli: Cli) -> None:
    names = [cli.remember(f"premise {n}") for n in range(2)]
    below = cli.remember("so", "--role", "summary", "--because", names[0], "--because", names[1])
    out = cli("why", below, "--format", "dot").out
    labels = dict(re.findall(r'^  (n\d+) \[label="(\S+)', out, re.MULTILINE))
    ends = [(labels[a], labels[b]) for a, b in re.findall(r"(n\d+) -> (n\d+)", out)]
    assert {b for a, b in ends if a.startswith("j-")} == set(names)
    assert [a for a, b in ends if b.startswith("j-")] == [below]


def test_why_shows_the_asked_alternatives_and_cuts_at_a_depth(cli: Cli) -> None:
    one, two = cli.remember("one"), cli.remember("two")
    middle = cli.remember("middle", "--role", "summary", "--because", one)
    top = cli.remember("top", "--role", "summary", "--because", middle)
    cli("justify", top, "--because", two)
    found = cli.result("why", top, "--alternatives", "5")
    assert sorted(found["alternatives"]) == sorted([[one], [two]])
    assert not found["partial"]
    assert cli.result("why", top, "--alternatives", "1")["partial"]
    cut = cli.result("why", top, "--depth", "1")
    assert (cut["partial"], [s["cut"] for s in cut["proof"]]) == (True, [False, True])
    assert cli.result("why", middle, "--depth", "1")["partial"] is False
    assert "premises 1" in cli("why", top, "--alternatives", "2").out


def statements(document: Any) -> set[str]:
    return {record.get_provn() for record in document.get_records()}


def test_prov_json_is_read_back_by_the_librarys_own_reader(cli: Cli, told: dict[str, str]) -> None:
    text = cli("audit", "--format", "prov").out
    read = ProvDocument.deserialize(content=text, format="json")
    again = ProvDocument.deserialize(content=read.serialize(), format="json")
    assert statements(read) == statements(again)
    assert read == again
    said = "\n".join(sorted(statements(read)))
    old, new, summed = (f"graphmem:{told[name]}" for name in ("old", "new", "sum"))
    assert re.search(rf"wasDerivedFrom\({new}, {old}, .*prov:Revision", said)
    assert re.search(rf"used\(graphmem:j-\w+\.2, {old}", said)
    assert re.search(rf"wasGeneratedBy\({summed}, graphmem:j-\w+\.2", said)
    assert re.search(rf"wasInvalidatedBy\({old}, -, ", said)
    assert not re.search(rf"wasInvalidatedBy\({new}", said)
    assert "wasAttributedTo(" in said
    counts = cli.result("audit")["counts"]
    assert said.count("wasAttributedTo(") == counts["assertion"]
    assert said.count("activity(") == counts["justification"]


def test_prov_without_its_library_says_how_to_get_it(cli: Cli, told: dict[str, str]) -> None:
    cli.patch.setitem(sys.modules, "prov.model", None)
    ran = cli("audit", "--format", "prov")
    assert (ran.code, "graphmem[prov]" in ran.err) == (2, True)
