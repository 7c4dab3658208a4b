"""Export and import: the format's schema, round trips, and what a bad line does."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import graphmem
from graphmem.core.errors import InvalidInput
from graphmem.core.labels import shape
from graphmem.memory import Memory
from graphmem.ports.store import Store
from tests.conformance.fixtures import backend, place, store
from tests.memories import memory_over

__all__ = ["backend", "place", "store"]

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = Draft202012Validator(json.loads((ROOT / "docs/reference/jsonl.schema.json").read_text()))
SEEDS = sorted((ROOT / "seed").rglob("*.jsonl"))
KEY = b"k" * 16


def fresh(url: str = "memory:", key: bytes = KEY, tenant: str = "default") -> Memory:
    return graphmem.open(url, identity_key=key, writer="tester", tenant=tenant)


def rich(memory: Memory) -> Memory:
    """A memory with every kind of fact: sources in two generations, corrections, withdrawals, a rejection."""
    for revision in ("r17", "r18"):
        memory.ingest(ROOT / "seed/pool" / revision, repository="pool", revision=revision)
    for path in SEEDS:
        memory.import_lines(path.read_text(encoding="utf-8").splitlines())
    seen = memory.remember("the pool has ten connections", key="pool#size", value=10, conditions={"host": "a"})
    memory.remember("the pool has ten connections", key="pool#size", value=10, conditions={"host": "a"}, source="log")
    guess = memory.remember("ten is enough", role="inference", because=[seen.id])
    other = memory.remember("ten is too few", role="claim", source="mail/7")
    memory.retract(seen.id, source="log")
    memory.reject(other.id)
    memory.justify(guess.id, [other.id])
    memory.retract(other.id)
    memory.withdraw(memory.justify(guess.id, [other.id], informant="a second thought").id)
    return memory


def lines(memory: Memory) -> list[str]:
    return [json.dumps(line, ensure_ascii=False) for line in memory.export()]


def labels(memory: Memory) -> dict[str, Any]:
    """Label shapes by what a record says: ids may differ between memories."""
    ids = [line["id"] for line in memory.export() if line["type"] == "record"]
    held = memory.held_all(ids).values()
    return {f"{h.record.role} {h.record.key} {h.record.birth} {h.record.text}": shape(h.label) for h in held}


def valid(found: Iterable[str]) -> list[str]:
    return [e.message for line in found for e in SCHEMA.iter_errors(json.loads(line))]


@pytest.mark.parametrize("path", SEEDS, ids=lambda p: p.name)
def test_seed_files_follow_the_schema(path: Path) -> None:
    assert valid(path.read_text(encoding="utf-8").splitlines()) == []


def test_every_exported_line_follows_the_schema() -> None:
    exported = lines(rich(fresh()))
    assert {json.loads(line)["type"] for line in exported} == {
        "record",
        "justification",
        "entity",
        "edge",
        "site",
        "generation",
    }
    assert valid(exported) == []


def test_import_into_the_same_memory_changes_nothing(store: Store) -> None:
    memory = rich(memory_over(store, tenant="default"))
    before = lines(memory)
    report = memory.import_lines(before)
    assert (report.records, report.commits) == (0, 0)
    assert lines(memory) == before


@pytest.mark.parametrize("key", [KEY, b"another key 1234"], ids=["same key", "other key"])
def test_import_into_another_memory_gives_the_same_labels_and_beliefs(tmp_path: Path, key: bytes) -> None:
    first = rich(fresh())
    second = fresh(str(tmp_path / "second.db"), key)
    second.import_lines(lines(first))
    assert labels(second) == labels(first)
    for name in ("vendor-23#legal-name", "user-42#no-meetings-before@calendar:new-york", "pool#size"):
        mine, theirs = first.believe(name), second.believe(name)
        assert mine.value == theirs.value
        assert len(mine.contested) == len(theirs.contested)


def test_export_of_an_import_under_the_same_key_is_the_export(tmp_path: Path) -> None:
    exported = lines(rich(fresh()))
    second = fresh(str(tmp_path / "second.db"))
    second.import_lines(exported)
    assert sorted(lines(second)) == sorted(exported)


def test_ingest_goes_on_after_an_import(tmp_path: Path) -> None:
    second = fresh(str(tmp_path / "second.db"), b"another key 1234")
    second.import_lines(lines(rich(fresh())))
    report = second.ingest(ROOT / "seed/pool/r18", repository="pool", revision="r18")
    assert (report.born, report.died, report.edges, report.commit) == (0, 0, 0, 0)


def test_import_into_another_tenant_keeps_tenants_apart(tmp_path: Path) -> None:
    first = rich(fresh(str(tmp_path / "m.db")))
    second = fresh(str(tmp_path / "m.db"), tenant="other")
    second.import_lines(lines(first))
    assert labels(second) == labels(first)
    mine = {line.get("id") for line in first.export()} - {None}
    theirs = {line.get("id") for line in second.export()} - {None}
    assert not mine & theirs


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "line 2 isn't JSON"),
        ('{"type": "novel"}', "line 2 has no known type"),
        ('{"type": "record", "role": "observation"}', "line 2 lacks or misspells a field"),
        ('{"type": "record", "role": "hunch", "text": "x"}', "line 2"),
        ('{"type": "record", "role": "observation", "text": " "}', "line 2: the text is empty"),
        ('{"type": "record", "role": "summary", "text": "x"}', "line 2: a summary must name"),
        ('{"type": "justification", "consequent": "r-x", "antecedents": ["r-y"]}', "line 2: no record"),
        ('{"type": "record", "role": "claim", "text": "x", "observed_at": "soon"}', "line 2: not an ISO 8601 time"),
    ],
)
def test_a_bad_line_is_named_and_nothing_of_its_batch_is_kept(line: str, words: str) -> None:
    memory = fresh()
    good = '{"type": "record", "ref": "a", "role": "observation", "text": "good"}'
    with pytest.raises(Exception, match=words) as caught:
        memory.import_lines([good, line])
    assert caught.type.__module__ == InvalidInput.__module__
    assert memory.status().counts["record"] == 0


def test_lines_need_no_name_unless_others_speak_of_them(store: Store) -> None:
    memory = memory_over(store)
    lines = [json.dumps({"type": "record", "role": "observation", "text": f"Day {day}."}) for day in range(3)]
    report = memory.import_lines(lines)
    assert (report.records, sorted(report.ids)) == (3, ["line 1", "line 2", "line 3"])


def test_blank_lines_are_passed_over() -> None:
    good = '{"type": "record", "role": "observation", "text": "good"}'
    report = fresh().import_lines(["", good, "   "])
    assert (report.lines, report.records) == (1, 1)
