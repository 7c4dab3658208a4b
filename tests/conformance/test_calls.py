"""How often a use case asks the store: once for each thing that it must know, never in a loop."""

from __future__ import annotations

import pytest

from graphmem.memory import Memory
from graphmem.ports.store import Store
from tests.counting import CountingStore
from tests.memories import TENANT, memory_over

MANY = 30


class Filled:
    """A memory over a counting store with a chain of records about one thing; the counts start at nothing."""

    def __init__(self, store: Store) -> None:
        self.counting = CountingStore(store)
        self.memory: Memory = memory_over(self.counting)
        self.seen = self.memory.remember("pump-7 leaks", key="pump-7#state", value="leaks", mentions=["valve-3"]).id
        below = self.seen
        for n in range(MANY):
            below = self.memory.remember(
                f"step {n} about pump-7", role="summary", because=[below], key="pump-7#state", value=n
            ).id
        self.last = below
        self.counting.calls.clear()

    @property
    def calls(self) -> dict[str, int]:
        return dict(self.counting.calls)


@pytest.fixture
def filled(store: Store) -> Filled:
    return Filled(store)


def test_recall_asks_three_times(filled: Filled) -> None:
    answer = filled.memory.recall("what is wrong with pump-7 and valve-3?", limit=20)
    assert len(answer.items) > 5
    assert filled.calls == {"search": 1, "neighbourhood": 1, "candidates": 1}


def test_recall_that_finds_nothing_asks_once(filled: Filled) -> None:
    filled.memory.recall("zebra crossing")
    assert filled.calls == {"search": 1}


def test_believe_asks_once(filled: Filled) -> None:
    assert filled.memory.believe("pump-7#state").winner is not None
    assert filled.calls == {"candidates": 1}


def test_why_asks_once_however_long_the_proof(filled: Filled) -> None:
    why = filled.memory.why(filled.last)
    assert len(why.records) == MANY + 1
    assert filled.calls == {"proof": 1}


def test_why_not_a_value_asks_three_times(filled: Filled) -> None:
    filled.memory.why_not("pump-7#state", 3)
    assert filled.calls == {"candidates": 1, "keyed": 1, "proof": 1}


def test_a_page_of_the_conflict_queue_asks_twice_and_of_claims_three_times(filled: Filled) -> None:
    for n in range(MANY):
        filled.memory.remember(f"pump {n} is {n}", key=f"pump-{n}#state", value=n)
        filled.memory.remember(f"pump {n} isn't {n}", key=f"pump-{n}#state", value=-n - 1)
        filled.memory.remember("it rattles", role="claim", key=f"pump-{n}#state", value="rattles")
    filled.counting.calls.clear()
    assert len(filled.memory.conflicts().found) == MANY
    assert filled.calls == {"disputed": 1, "candidates": 1}
    filled.counting.calls.clear()
    assert len(filled.memory.tasks().found) == MANY
    assert filled.calls == {"disputed": 1, "candidates": 2}


def test_a_diff_asks_four_times_however_much_moved(filled: Filled) -> None:
    assert len(filled.memory.diff(1, limit=5).moved) == 5
    assert filled.calls == {"moved": 1, "history": 1, "candidates": 2}


def test_a_history_and_an_audit_ask_once(filled: Filled) -> None:
    assert len(filled.memory.history("pump-7#state").history.lives) == MANY + 1
    assert len(filled.memory.audit(limit=5).found.entries) == 5
    assert filled.calls == {"history": 1, "audit": 1}


def test_retract_loads_and_applies_however_much_falls(filled: Filled) -> None:
    written = filled.memory.retract(filled.seen)
    assert len(written.fell) == MANY + 1
    assert filled.calls == {"load": 1, "apply": 1}


def test_a_dry_run_loads_and_previews(filled: Filled) -> None:
    assert len(filled.memory.impact("retract", filled.seen).fell) == MANY + 1
    assert filled.calls == {"load": 1, "preview": 1, "history": 2}


def test_remember_loads_and_applies_whatever_it_mentions(filled: Filled) -> None:
    filled.memory.remember("see a.py, b.py and #42", key="pump-7#noise", value=1, mentions=["x", "y", "valve-3"])
    assert filled.calls == {"load": 1, "apply": 1}


def test_a_conclusion_loads_and_applies_whatever_it_rests_on(filled: Filled) -> None:
    filled.memory.remember("so it is", role="summary", because=[filled.seen, filled.last])
    assert filled.calls == {"load": 1, "apply": 1}


def test_saying_the_same_again_writes_nothing(filled: Filled) -> None:
    again = filled.memory.remember("pump-7 leaks", key="pump-7#state", value="leaks", mentions=["valve-3"])
    assert (again.id, again.changed, again.commit) == (filled.seen, False, 0)
    assert filled.calls == {"load": 1}


def test_asking_changes_no_fact_and_confirms_nothing(filled: Filled) -> None:
    before = list(filled.counting.store.dump(TENANT))
    filled.memory.recall("pump-7")
    filled.memory.believe("pump-7#state")
    filled.memory.why(filled.last)
    filled.memory.why_not("pump-7#state", 3)
    assert list(filled.counting.store.dump(TENANT)) == before
