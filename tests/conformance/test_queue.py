"""The durable queue of a store: jobs come with their record, one worker at a time has one, lanes keep their order, and
a lease that is gone installs nothing."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier

import pytest

from graphmem.core.changes import Draft
from graphmem.core.errors import LeaseLost
from graphmem.core.jobs import ATTEMPTS, EXPIRED, LEASE_US, Job, JobState, Offer, Settled, backoff_us, new_job
from graphmem.core.records import Block, BlockKind
from graphmem.core.verbs import remember
from graphmem.core.views import Wanted
from graphmem.ports.store import Store
from tests.memories import KEY, TENANT, commit, draft_on, provenance, record, view

NOW = 1_000_000


def put(store: Store, text: str, subject: str = "", *, kind: str = "extract", tenant: str = TENANT) -> Job:
    """A record with a job, in one commit."""

    def plan(draft: Draft) -> Job:
        said = replace(provenance(), subject=subject)
        name = remember(draft, replace(record(text), tenant=tenant), said)
        made = new_job(kind, draft.records[name], said, identity_key=KEY, deferred=False, now=NOW)
        draft.jobs[made.id] = made
        return made

    return commit(store, plan, tenant=tenant)[0]


def lease(store: Store, worker: str = "w", now: int = NOW, limit: int = 100, **more: object) -> list[Job]:
    return list(store.lease(TENANT, Offer(worker, now, limit, **more)))  # type: ignore[arg-type]


def install(store: Store, job: Job, text: str = "found", position: int | None = None) -> int:
    """Commit a record under a lease, as a worker does."""
    draft = draft_on(store)
    remember(draft, record(text), provenance("worker"))
    draft.settled.append(Settled(job, job.length if position is None else position, NOW + 2 * LEASE_US))
    return store.apply(draft.finish()).commit


def test_a_job_comes_with_its_record_and_goes_with_the_commit_that_finishes_it(store: Store) -> None:
    made = put(store, "pump-7 leaks")
    assert store.jobs(TENANT) == (made,)
    assert store.load(TENANT, Wanted(backlog=True)).backlog == 1
    (taken,) = lease(store)
    assert (taken.record, taken.state, taken.leased_until) == (made.record, JobState.LEASED, NOW + LEASE_US)
    assert install(store, taken)
    assert store.jobs(TENANT) == ()
    assert store.load(TENANT, Wanted(backlog=True)).backlog == 0


def test_a_leased_job_is_nobody_elses_until_its_lease_ends(store: Store) -> None:
    put(store, "pump-7 leaks")
    (first,) = lease(store, "one")
    assert lease(store, "two", NOW + LEASE_US - 1) == []
    (second,) = lease(store, "two", NOW + LEASE_US)
    assert second.record == first.record and second.token != first.token


def test_who_was_overtaken_installs_nothing(store: Store) -> None:
    put(store, "pump-7 leaks")
    (first,) = lease(store, "one")
    (second,) = lease(store, "two", NOW + LEASE_US)
    before = list(store.dump(TENANT))
    with pytest.raises(LeaseLost):
        install(store, first, "late")
    assert list(store.dump(TENANT)) == before
    assert install(store, second, "in time")
    with pytest.raises(LeaseLost):
        install(store, first, "too late")


def test_a_lease_on_a_deleted_record_installs_nothing_and_its_job_is_gone(store: Store) -> None:
    made = put(store, "pump-7 leaks")
    (taken,) = lease(store)

    def delete(draft: Draft) -> None:
        draft.block(draft.get(made.record), Block(made.record, BlockKind.DELETED, "r-receipt"))

    commit(store, delete, records=[made.record])
    assert store.jobs(TENANT) == ()
    before = list(store.dump(TENANT))
    with pytest.raises(LeaseLost):
        install(store, taken)
    assert list(store.dump(TENANT)) == before
    assert store.fail(TENANT, taken, "fault ValueError", NOW) is None


def test_of_a_lane_the_oldest_goes_first_and_alone(store: Store) -> None:
    first, other, second = put(store, "one", "ann"), put(store, "two", "bob"), put(store, "three", "ann")
    taken = lease(store)
    assert [job.record for job in taken] == [first.record, other.record]
    assert lease(store, "another") == []
    install(store, taken[0])
    assert [job.record for job in lease(store, "another")] == [second.record]


def test_a_job_that_waits_for_its_backoff_holds_its_lane(store: Store) -> None:
    first, second = put(store, "one", "ann"), put(store, "two", "ann")
    (taken,) = lease(store)
    after = store.fail(TENANT, taken, "provider-error ProviderError", NOW)
    assert after is not None
    assert (after.state, after.due_at, after.cause) == (
        JobState.WAITING,
        NOW + backoff_us(1),
        "provider-error ProviderError",
    )
    assert lease(store) == []
    assert [job.record for job in lease(store, now=after.due_at)] == [first.record]
    assert second.record in {job.record for job in store.jobs(TENANT, state=JobState.WAITING)}


def test_a_job_that_fails_too_often_is_dead_with_its_cause_until_it_is_retried(store: Store) -> None:
    put(store, "one", "ann")
    behind = put(store, "two", "ann")
    now = NOW
    for attempt in range(1, ATTEMPTS + 1):
        (taken,) = lease(store, now=now)
        assert taken.attempts == attempt
        after = store.fail(TENANT, taken, "fault ValueError", now)
        assert after is not None
        now = max(now, after.due_at)
    assert (after.state, after.cause) == (JobState.DEAD, "fault ValueError")
    assert store.jobs(TENANT, state=JobState.DEAD) == (after,)
    assert store.load(TENANT, Wanted(backlog=True)).backlog == 1
    assert [job.record for job in lease(store, now=now)] == [behind.record]
    assert store.retry(TENANT, [behind.id], now) == 0
    assert store.retry(TENANT, None, now) == 1
    assert store.status(TENANT).jobs == {"leased": 1, "waiting": 1}


def test_a_job_whose_holders_vanish_dies_too(store: Store) -> None:
    put(store, "it kills its worker")
    now = NOW
    for _ in range(ATTEMPTS):
        (taken,) = lease(store, now=now)
        now = taken.leased_until
    assert lease(store, now=now) == []
    (dead,) = store.jobs(TENANT)
    assert (dead.state, dead.cause) == (JobState.DEAD, EXPIRED)


def test_a_job_given_back_untried_may_be_taken_at_once_and_counts_for_nothing(store: Store) -> None:
    put(store, "one")
    (taken,) = lease(store)
    after = store.fail(TENANT, taken, "", NOW)
    assert after is not None and (after.state, after.attempts, after.cause) == (JobState.WAITING, 0, "")
    assert len(lease(store, "two")) == 1


def test_a_commit_that_moves_a_job_on_keeps_its_lease_and_its_place(store: Store) -> None:
    made = put(store, "x" * 100)
    (taken,) = lease(store)
    install(store, taken, position=40)
    (kept,) = store.jobs(TENANT)
    assert (kept.position, kept.token, kept.due_at) == (40, taken.token, NOW + 2 * LEASE_US)
    found = store.find(view(), [made.record])[made.record].pending
    assert found is not None and (found.done, found.of, found.stalled) == (40, 100, False)
    (again,) = lease(store, "two", kept.due_at)
    assert again.position == 40
    install(store, again, "the rest")
    assert store.find(view(), [made.record])[made.record].pending is None


def test_only_jobs_of_the_asked_kinds_and_lane_are_leased(store: Store) -> None:
    a, b = put(store, "one", "ann"), put(store, "two", "bob", kind="embed")
    assert lease(store, kinds=("summarise",)) == []
    assert [job.record for job in lease(store, kinds=("embed",))] == [b.record]
    assert lease(store, lane=b.lane) == []
    assert [job.record for job in lease(store, lane=a.lane)] == [a.record]


def test_jobs_are_listed_by_id_page_by_page_and_by_record(store: Store) -> None:
    made = sorted(put(store, f"note {n}").id for n in range(5))
    first = store.jobs(TENANT, limit=3)
    rest = store.jobs(TENANT, after=first[-1].id, limit=3)
    assert [job.id for job in (*first, *rest)] == made
    assert [job.id for job in store.jobs(TENANT, records=[first[1].record])] == [first[1].id]
    assert store.jobs(TENANT, state=JobState.DEAD) == ()


def test_tenants_see_and_lease_none_of_one_anothers_jobs(store: Store) -> None:
    foreign = put(store, "theirs", tenant="canary")
    assert lease(store) == []
    assert store.jobs(TENANT) == () and store.jobs(TENANT, records=[foreign.record]) == ()
    assert store.load(TENANT, Wanted(backlog=True)).backlog == 0
    (theirs,) = store.lease("canary", Offer("w", NOW))
    assert store.fail(TENANT, theirs, "fault ValueError", NOW) is None
    assert store.retry(TENANT, None, NOW) == 0
    with pytest.raises(LeaseLost):
        install(store, theirs)


def test_two_workers_never_hold_one_job(store: Store) -> None:
    jobs = {put(store, f"note {n}").id for n in range(24)}
    together = Barrier(4)

    def work(worker: int) -> list[str]:
        together.wait()
        taken = []
        while found := lease(store, f"w{worker}", limit=2):
            taken += [job.id for job in found]
        return taken

    with ThreadPoolExecutor(4) as pool:
        taken = [name for names in pool.map(work, range(4)) for name in names]
    assert sorted(taken) == sorted(jobs)


def test_the_queue_is_there_when_the_memory_is_opened_again(store: Store, reopened: Callable[[], Store]) -> None:
    put(store, "one", "ann")
    put(store, "two", "ann")
    (taken,) = lease(store)
    install(store, taken, position=1)
    kept = store.jobs(TENANT)
    assert reopened().jobs(TENANT) == kept
