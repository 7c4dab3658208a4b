"""Valid time goes by without anybody writing. Over every store; the instants are the calendar's own."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from graphmem.core.changes import Draft
from graphmem.core.records import Role
from graphmem.core.verbs import conclude, remember
from graphmem.memory import Memory
from graphmem.ports.store import Store
from tests.memories import TENANT, FakeClock, commit, memory_over, provenance, record, view

MANY = 10_000
ENDS = 5_000  # the instant at which all of the many end


@pytest.fixture
def memory(store: Store) -> Memory:
    return memory_over(store)


def test_a_record_whose_time_is_over_is_out_at_once_and_nothing_was_written(memory: Memory) -> None:
    offer = memory.remember("The offer stands.", key="offer#state", value="open", valid_to="2026-05-01T12:00:00Z").id
    note = memory.remember("We may accept.", role="summary", because=[offer]).id
    before = memory.status()
    inside, over = "2026-05-01T11:59:59.999999Z", "2026-05-01T12:00:00Z"
    assert memory.believe("offer#state", at=inside).value == '"open"'
    assert memory.why(note, at=inside).proof is not None
    assert memory.believe("offer#state", at=over).winner is None
    for name in (offer, note):
        refutation = memory.why(name, at=over).refutation
        assert refutation is not None
        assert refutation.reason == ("not-valid-at" if name == offer else "cascade")
    assert memory.status() == before


def test_ten_thousand_ends_at_one_instant_are_one_look(store: Store) -> None:
    def plan(draft: Draft) -> tuple[str, str]:
        for number in range(MANY - 1):
            remember(draft, record(f"lease {number}", own=((0, ENDS),)), provenance())
        last = remember(draft, record("lease", own=((0, ENDS),)), provenance())
        rests = conclude(draft, record("all leases run", Role.SUMMARY), (last,), "rule", provenance())[0]
        return last, rests

    (last, rests), _ = commit(store, plan)
    assert store.status(TENANT, ENDS - 1).counts["out"] == 0
    assert store.status(TENANT, ENDS).counts["out"] == MANY + 1
    assert set(store.find(view(at=ENDS - 1), [last, rests])) == {last, rests}
    assert not store.find(view(at=ENDS), [last, rests])


def test_office_hours_of_two_places_keep_their_own_clocks_when_only_one_has_changed_them(memory: Memory) -> None:
    """Clocks went forward on 8 March 2026 in New York and on 29 March in London: on the 10th they are four hours
    apart, on 3 March and on 1 April five."""
    for month, day, new_york, london in ((3, 3, 14, 9), (3, 10, 13, 9), (4, 1, 13, 8)):
        for place_, zone, opens in (
            ("new-york", "America/New_York", new_york),
            ("london", "Europe/London", london),
        ):
            key = f"office#open-{month}-{day}@calendar:{place_}"
            hours = [datetime(2026, month, day, hour, tzinfo=ZoneInfo(zone)) for hour in (9, 17)]
            memory.remember(f"{place_} is open", key=key, value=True, valid_from=hours[0], valid_to=hours[1])
            first = datetime(2026, month, day, opens, tzinfo=UTC)
            assert memory.believe(key, at=first).value == "true"
            assert memory.believe(key, at=first.replace(hour=opens - 1, minute=59)).winner is None
            assert memory.believe(key, at=first.replace(hour=opens + 8)).winner is None


def test_a_confirmation_refreshes_what_is_believed_and_being_found_does_not(store: Store) -> None:
    clock = FakeClock(1_000)
    memory = memory_over(store, clock)
    first = memory.remember("The pool is open.", key="pool#state", value="open", source="door").id
    clock.time = 2_000
    second = memory.remember("The pool is shut.", key="pool#state", value="shut", source="web").id
    clock.time = 3_000
    assert first in {item.id for item in memory.recall("is the pool open?").items}
    assert memory.believe("pool#state").winner.record.id == second  # type: ignore[union-attr]
    memory.confirm(first, source="door")
    winner = memory.believe("pool#state").winner
    assert winner is not None
    assert (winner.record.id, winner.observed_at) == (first, 3_000)
    assert memory.why(first).sources == ("door",)


def test_a_confirmation_is_withdrawn_with_its_source(store: Store) -> None:
    clock = FakeClock(1_000)
    memory = memory_over(store, clock)
    seen = memory.remember("The pool is open.", key="pool#state", value="open", source="door").id
    clock.time = 2_000
    memory.confirm(seen, source="camera")
    memory.retract(seen, source="door")
    assert memory.believe("pool#state").value == '"open"'
    assert memory.retract(seen, source="camera").fell == (seen,)
