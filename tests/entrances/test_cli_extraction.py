"""extract and merge on the command line."""

from __future__ import annotations

import json

from tests.entrances.conftest import Cli

TEXT = "Dr. Ann Smith joined on 3 March 2025. Northwind's country is Norway."


def test_extract_shows_what_is_found_and_makes_no_memory(cli: Cli) -> None:
    found = cli.result("extract", TEXT)
    assert [(m["name"], m["kind"], m["value"]) for m in found["mentions"]] == [
        ("Ann Smith", "person", None),
        ("3 March 2025", "date", "2025-03-03"),
        ("Northwind", "thing", None),
        ("Norway", "thing", None),
    ]
    assert [(s["entity"], s["attribute"], s["value"]) for s in found["statements"]] == [
        ("Northwind", "country", "Norway")
    ]
    assert all(TEXT[slice(*m["span"])] == m["name"] for m in found["mentions"])
    assert 'Northwind#country = "Norway"' in cli("extract", TEXT).out
    assert not cli.memory.exists()


def test_extract_reads_transcripts_from_standard_input(cli: Cli) -> None:
    chat = json.dumps([{"role": "user", "content": "We met yesterday."}, {"role": "assistant", "content": "Good."}])
    words = ("extract", "-", "--kind", "conversation", "--observed-at", "2025-03-03")
    found = cli.result(*words, stdin=chat.encode())
    assert [(t["speaker"], t["replies_to"]) for t in found["turns"]] == [("user", None), ("assistant", 1)]
    assert [m["value"] for m in found["mentions"]] == ["2025-03-02"]
    assert "assistant: Good." in cli(*words, stdin=chat.encode()).out


def test_extract_ends_with_one_when_nothing_is_found(cli: Cli) -> None:
    assert cli.result("extract", "it rains", code=1)["mentions"] == []
    assert "nothing found" in cli("extract", "it rains").out


def test_extract_refuses_a_kind_that_it_does_not_know(cli: Cli) -> None:
    assert cli.json("extract", "x", "--kind", "openai", code=2)["error"]["code"] == "invalid-input"


def test_merge_joins_two_entities_and_its_record_can_be_retracted(cli: Cli) -> None:
    cli.remember("She leads the lab.", "--key", "J. Smith#post")
    other = cli.remember("Born in a harbour town.", "--key", "Mary Jones#birth")
    words = ("merge", "J. Smith", "Mary Jones", "--reason", "same staff number")
    assert cli.result(*words, "--dry-run")["commit"] == 0
    made = cli.result(*words)
    assert made["verb"] == "merge"
    assert other in [item["id"] for item in cli.result("recall", "J. Smith")["items"]]
    assert cli.result("merge", "Mary Jones", "J. Smith", "--reason", "same staff number", code=1)["changed"] is False
    cli("retract", made["id"])
    assert other not in [item["id"] for item in cli.result("recall", "J. Smith")["items"]]


def test_merge_refuses_without_a_reason_and_a_name_that_nothing_has(cli: Cli) -> None:
    cli.remember("She leads the lab.", "--key", "J. Smith#post")
    cli.remember("Born in a harbour town.", "--key", "Mary Jones#birth")
    assert cli.json("merge", "J. Smith", "Mary Jones", code=2)["error"]["code"] == "invalid-input"
    assert cli.json("merge", "J. Smith", "Nobody", "--reason", "x", code=2)["error"]["code"] == "not-found"
