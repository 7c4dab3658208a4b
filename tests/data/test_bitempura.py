"""Bitemporal version histories, rebuilt by the verbs under a clock that shows their transaction times, and asked at
every corner and midpoint of every rectangle.

How a history's step becomes verbs, at the transaction time at which some rectangles end and others begin:

| what the history shows | verb |
|---|---|
| a first version | remember |
| a version over another | supersede, how=change |
| the last version, cut with nothing over it (a deletion) | supersede, how=correct, with a time that is left |
| an earlier version, cut with nothing over it | retract, then remember with a time that is left |
| a second time that is left of a version cut in its middle | remember |
| a version that ends whole with nothing over it | retract |

Every history is covered that holds a version. The others (NOT_COVERED) hold none: they show refusals of the library
that they come from, or an empty database.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any

import pytest

from graphmem.core.intervals import TIME_MAX, TIME_MIN
from graphmem.core.times import format_time, parse_time
from graphmem.memory import Memory
from graphmem.ports.store import Store
from tests.data.truth import TRUTH, needs_truth, read_truth
from tests.memories import FakeClock, memory_over

pytestmark = needs_truth


@dataclass(frozen=True)
class Version:
    """One rectangle: a value (as JSON) that holds over [valid_from, valid_to), as known over [known_from, known_to)."""

    value: str
    known_from: int
    known_to: int
    valid_from: int
    valid_to: int

    def covers(self, at: int, known_at: int) -> bool:
        return self.valid_from <= at < self.valid_to and self.known_from <= known_at < self.known_to


def version_of(row: dict[str, Any]) -> Version:
    times = [row[name] for name in ("TxTimeStart", "TxTimeEnd", "ValidTimeStart", "ValidTimeEnd")]
    value = json.dumps(row["Value"], sort_keys=True)
    return Version(value, *(TIME_MAX if time is None else parse_time(time) for time in times))


def read_histories() -> dict[str, dict[str, list[Version]]]:
    found = {}
    for path in sorted((TRUTH / "bitempura").glob("Test*.json")):
        histories = read_truth(f"bitempura/{path.name}")["Histories"]
        rows = {key: [version_of(row) for row in rows] for key, rows in histories.items()}
        # What ends at the moment at which it begins was never to be seen.
        found[path.stem] = {key: [v for v in versions if v.known_from < v.known_to] for key, versions in rows.items()}
    return found


HISTORIES = read_histories()
COVERED = [name for name, keys in HISTORIES.items() if any(keys.values())]
NOT_COVERED = {
    "TestDelete_empty_db_delete_with_no_match_is_nop": "an empty database",
    "TestGet_empty_db_not_found": "an empty database",
    "TestHistory_empty_db_not_found": "an empty database",
    "TestList_empty_db_not_found": "an empty database",
    "TestSet_empty_db_error_if_end_valid_time_before_valid_time": "a refusal",
    "TestSet_empty_db_error_if_end_valid_time_before_valid_time_default_valid_time_": "a refusal",
    "TestSet_empty_db_error_if_end_valid_time_equal_to_valid_time": "a refusal",
    "TestSet_empty_db_error_if_end_valid_time_in_the_future": "a refusal that we don't make: plans are allowed",
    "TestSet_empty_db_error_if_key_not_set": "a refusal",
    "TestSet_empty_db_error_if_start_valid_time_in_the_future": "a refusal that we don't make: plans are allowed",
}


class Replay:
    """A memory in which one key's history happens again."""

    def __init__(self, memory: Memory, key: str) -> None:
        self.memory = memory
        self.key = f"{key}#value"
        self.ids: dict[Version, str] = {}
        self.head = ""

    def step(self, ended: list[Version], begun: list[Version]) -> None:
        rest = [v for v in begun if any(is_part(v, old) for old in ended)]
        new = [v for v in begun if v not in rest]
        for version in new:
            self.put(version, how="change")
        for old in ended:
            left = [v for v in rest if is_part(v, old)]
            if new:
                # What is left of a version beside the new one is still its record.
                self.ids.update(dict.fromkeys(left, self.ids[old]))
            else:
                self.cut(self.ids[old], left)

    def cut(self, name: str, left: list[Version]) -> None:
        """A deletion: only what is left of a record holds from now on."""
        if left and name == self.head:
            self.put(left.pop(0), how="correct")
        else:
            self.memory.retract(name)
        for version in left:
            self.remember(version)

    def put(self, version: Version, how: str) -> None:
        if not self.head:
            self.head = self.remember(version)
        else:
            made = self.memory.supersede(self.head, self.text(version), how=how, **details_of(version))
            self.head = self.ids[version] = made.id

    def remember(self, version: Version) -> str:
        name = self.memory.remember(self.text(version), key=self.key, **details_of(version)).id
        self.ids[version] = name
        return name

    def text(self, version: Version) -> str:
        return f"{self.key} is {version.value} ({len(self.ids)})"


def details_of(version: Version) -> dict[str, Any]:
    times = {"valid_from": format_time(version.valid_from), "valid_to": format_time(version.valid_to)}
    return {"value": version.value, **times}


def is_part(version: Version, old: Version) -> bool:
    return version.value == old.value and old.valid_from <= version.valid_from and version.valid_to <= old.valid_to


def replayed(store: Store, keys: dict[str, list[Version]]) -> Memory:
    """The histories of all keys, each step at its own time; known time needs the steps in order over all keys."""
    clock = FakeClock()
    memory = memory_over(store, clock)
    replays = {key: Replay(memory, key) for key in keys}
    moments = {t for versions in keys.values() for v in versions for t in (v.known_from, v.known_to)}
    for moment in sorted(moments - {TIME_MAX}):
        clock.time = moment
        for key, versions in keys.items():
            begun = sorted((v for v in versions if v.known_from == moment), key=lambda v: v.valid_from)
            replays[key].step([v for v in versions if v.known_to == moment], begun)
    return memory


def instants(edges: set[int]) -> Iterator[int]:
    """Every edge, the last moment before it, and the middle between neighbours; one day beyond both ends."""
    day = 86_400_000_000
    inner = sorted(edges - {TIME_MAX, TIME_MIN})
    ends = [inner[0] - day, *inner, inner[-1] + day]
    yield from sorted({*ends, *(t - 1 for t in inner), *((a + b) // 2 for a, b in pairwise(ends))})


def test_every_history_is_covered_or_says_why_not() -> None:
    assert len(HISTORIES) == 56
    assert {*COVERED} | NOT_COVERED.keys() == HISTORIES.keys()
    assert {*COVERED} & NOT_COVERED.keys() == set()


@pytest.mark.parametrize("name", COVERED)
def test_belief_is_what_the_rectangles_say_at_every_corner_and_between(store: Store, name: str) -> None:
    keys = HISTORIES[name]
    memory = replayed(store, keys)
    for key, versions in keys.items():
        if not versions:
            continue
        for known_at in instants({t for v in versions for t in (v.known_from, v.known_to)}):
            for at in instants({t for v in versions for t in (v.valid_from, v.valid_to)}):
                said = [v.value for v in versions if v.covers(at, known_at)]
                belief = memory.believe(f"{key}#value", at=moment(at), known_at=moment(known_at))
                found = [] if belief.winner is None else [read_value(belief.value)]
                assert found == said, (key, format_time(at), format_time(known_at))


def moment(micros: int) -> str:
    text = format_time(micros)
    assert text is not None
    return text


def read_value(value: str | None) -> Any:
    assert value is not None
    return json.loads(value)


# The crime investigation: its writes as they were made, and its three questions.

CRIME = read_truth("bitempura/crime_ops.json")
NOW = "2026-01-01"


def investigated(store: Store) -> Memory:
    clock = FakeClock()
    memory = memory_over(store, clock)
    heads: dict[str, str] = {}
    for op in CRIME["ops"]:
        clock.time = parse_time(op["tx"])
        key, text = f"{op['key']}#whereabouts", f"{op['key']}: {op['value']} from {op['valid_from']}"
        details = {"value": op["value"], "valid_from": op["valid_from"]}
        if op["key"] in heads:
            heads[op["key"]] = memory.supersede(heads[op["key"]], text, how="change", **details).id
        else:
            heads[op["key"]] = memory.remember(text, key=key, **details).id
    return memory


@pytest.mark.parametrize("number", range(len(CRIME.get("queries", []))))
def test_who_was_where_as_known_then(store: Store, number: int) -> None:
    query = CRIME["queries"][number]
    at, known_at = (NOW if query[name] == "now" else query[name] for name in ("valid_at", "known_at"))
    memory = investigated(store)
    found = {}
    for person in {op["key"] for op in CRIME["ops"]}:
        belief = memory.believe(f"{person}#whereabouts", at=at, known_at=datetime.fromisoformat(known_at))
        if belief.winner is not None:
            found[person] = read_value(belief.value)
    assert found == query["answer"]
