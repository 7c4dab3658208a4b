"""Jobs as values: what orders them, what may be leased, and what becomes of a lease."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.core.errors import ProviderError
from graphmem.core.jobs import (
    ATTEMPTS,
    FIRST_BACKOFF_US,
    LONGEST_BACKOFF_US,
    Job,
    JobState,
    Offer,
    Pending,
    Settled,
    advanced,
    backoff_us,
    cause_of,
    failed,
    is_material,
    lane_of,
    leasable,
    leased,
    pending_of,
    revived,
)
from graphmem.core.records import Key, Role
from tests.memories import KEY, provenance, record

JOB = Job("acme", "extract", "r-1", "lane", length=10)


def test_a_subject_orders_before_an_owner_an_owner_before_a_key_and_else_each_record_stands_alone() -> None:
    keyed, other = record("a", key=Key("pool", "size"), id="r-1"), record("b", key=Key("pool", "state"), id="r-2")
    said = provenance()
    about_ann, of_ann = replace(said, subject="ann", owner="bob"), replace(said, owner="ann")
    assert lane_of(keyed, about_ann, KEY) == lane_of(other, replace(said, subject="ann"), KEY)
    assert lane_of(keyed, about_ann, KEY) != lane_of(keyed, of_ann, KEY)
    assert lane_of(keyed, of_ann, KEY) == lane_of(record("c", id="r-3"), of_ann, KEY)
    assert lane_of(keyed, said, KEY) == lane_of(other, said, KEY)
    assert lane_of(record("a", id="r-1"), said, KEY) != lane_of(record("b", id="r-2"), said, KEY)


def test_a_lane_names_nobody_and_no_two_memories_name_it_alike() -> None:
    said = replace(provenance(), subject="ann")
    lane = lane_of(record("a"), said, KEY)
    assert "ann" not in lane and lane != lane_of(record("a"), said, b"another key")


@pytest.mark.parametrize("role", Role)
def test_only_raw_records_that_are_not_about_the_memory_itself_are_material(role: Role) -> None:
    raw = role in (Role.SOURCE, Role.OBSERVATION, Role.CLAIM)
    assert is_material(record("a", role), provenance()) is raw
    assert not is_material(record("a", role), replace(provenance(), source_kind="receipt"))


def test_backoffs_double_up_to_the_longest() -> None:
    waits = [backoff_us(n) for n in range(1, 40)]
    assert waits[:3] == [FIRST_BACKOFF_US, 2 * FIRST_BACKOFF_US, 4 * FIRST_BACKOFF_US]
    assert waits == sorted(waits) and waits[-1] == LONGEST_BACKOFF_US


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 3), st.sampled_from("xy"))), st.integers(0, 3))
def test_what_may_be_leased_are_due_heads_of_different_lanes(made: list[tuple[str, int, str]], now: int) -> None:
    jobs = [replace(JOB, lane=lane, due_at=due, kind=kind, record=f"r-{n}") for n, (lane, due, kind) in enumerate(made)]
    found = leasable(jobs, Offer("w", now, limit=10, kinds=("x",)))
    heads = [next(job for job in jobs if job.lane == lane) for lane in dict.fromkeys(job.lane for job in jobs)]
    assert found == [job for job in heads if job.due_at <= now and job.kind == "x"]


def test_a_lease_counts_as_an_attempt_until_its_holder_gets_on() -> None:
    held = leased(replace(JOB, attempts=3), Offer("w", 5, lease_us=10))
    assert (held.state, held.attempts, held.leased_until) == (JobState.LEASED, 4, 15)
    moved = advanced(Settled(held, 4, 30))
    assert (moved.position, moved.attempts, moved.token, moved.leased_until) == (4, 1, held.token, 30)


def test_the_last_attempt_that_fails_or_vanishes_is_the_end_until_somebody_revives_it() -> None:
    spent = replace(JOB, state=JobState.LEASED, attempts=ATTEMPTS, token="t")
    dead = failed(spent, "fault ValueError", 7)
    assert (dead.state, dead.cause, dead.token) == (JobState.DEAD, "fault ValueError", "")
    assert leased(spent, Offer("w", 9)).state is JobState.DEAD
    again = revived(dead, 11)
    assert (again.state, again.attempts, again.due_at) == (JobState.WAITING, 0, 11)


def test_a_cause_quotes_nothing() -> None:
    assert cause_of(ProviderError("ann's secret")) == "provider-error ProviderError"
    assert cause_of(ValueError("ann's secret")) == "fault ValueError"


def test_a_record_is_as_far_as_the_slowest_of_its_jobs() -> None:
    assert pending_of([]) is None
    ahead, dead = replace(JOB, position=6), replace(JOB, kind="embed", position=2, state=JobState.DEAD)
    assert pending_of([ahead]) == Pending(6, 10)
    assert pending_of([ahead, dead]) == Pending(2, 10, stalled=True)
