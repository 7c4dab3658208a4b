"""An export for a person: everything that describes them and nothing else. Over every store."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from graphmem.core.errors import NotPermitted
from graphmem.memory import Memory
from graphmem.ports.store import Store
from tests.memories import memory_over


@pytest.fixture
def memory(store: Store) -> Memory:
    return memory_over(store)


def ids(lines: Iterable[dict[str, Any]], kind: str) -> set[str]:
    return {line["id"] for line in lines if line["type"] == kind}


def test_a_person_gets_what_is_about_them_what_followed_from_it_and_their_consent(memory: Memory) -> None:
    told = memory.remember("She likes tea.", subject="ann", mentions=["tea"]).id
    keyed = memory.remember("Her desk is in B12.", key="ann#desk", value="B12").id
    consent = memory.remember("She agreed.", key="ann#consent@preferences", subject="ann", source_kind="consent").id
    guess = memory.remember("Tea at her desk.", role="inference", because=[told, keyed])
    further = memory.remember("Buy tea.", role="inference", because=[guess.id]).id
    memory.remember("Bob likes coffee.", subject="bob", mentions=["coffee"])
    lines = list(memory.export("ann"))
    assert ids(lines, "record") == {told, keyed, consent, guess.id, further}
    assert {line["name"] for line in lines if line["type"] == "entity"} == {"ann", "tea"}
    assert len(ids(lines, "justification")) == len([told, further])
    assert {line["edge"] for line in lines if line["type"] == "edge"} == {"about", "mentions"}
    assert "Bob" not in str(lines)


def test_what_was_withdrawn_or_rejected_still_describes_them(memory: Memory) -> None:
    told = memory.remember("She likes tea.", subject="ann").id
    other = memory.remember("She likes milk.", subject="ann").id
    memory.retract(told)
    memory.reject(other)
    assert ids(memory.export("ann"), "record") == {told, other}


def test_nobody_known_gives_nothing(memory: Memory) -> None:
    memory.remember("Bob likes coffee.", subject="bob")
    assert list(memory.export("ann")) == []


def test_who_reads_some_policies_cannot_export_all(store: Store) -> None:
    with pytest.raises(NotPermitted, match="every policy"):
        memory_over(store, policies=("open",)).export()
