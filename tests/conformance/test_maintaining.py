"""What writes leave is done later: in order, window by window, by any number of workers, and visible until it is done.
Texts are kept whole, leases that were lost install nothing, and buffered writes are committed together."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

import pytest

from graphmem.core.changes import Applied, ChangeSet
from graphmem.core.errors import InvalidInput, NotPermitted, ProviderError
from graphmem.core.jobs import ATTEMPTS, LEASE_US, Job, JobState, Pending, backoff_us
from graphmem.core.records import Role
from graphmem.core.views import Held
from graphmem.core.windows import WINDOW_CHARS
from graphmem.memory import Memory
from graphmem.ports.store import Store
from graphmem.services.buffering import BOUND, GROUP
from graphmem.services.committing import Ack
from graphmem.services.maintaining import Worker
from tests.counting import CountingStore
from tests.handlers import after, failing, note_facts
from tests.memories import TENANT, FakeClock, memory_over

NOTES = {"extract": note_facts}
WRITERS = 20
TENANTS, ADDS = 8, 50
TURN_TOKENS = 30_000  # of four characters or so


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def memory(store: Store, clock: FakeClock) -> Memory:
    return memory_over(store, clock, handlers=NOTES)


def summaries(memory: Memory) -> list[str]:
    """The texts of all summaries, sorted."""
    dump = memory.store.dump(memory.session.tenant)
    return sorted(f.record.text for f in dump if isinstance(f, Held) and f.record.role is Role.SUMMARY)


def turn(facts: int = 1) -> str:
    """A turn of TURN_TOKENS with facts spread over it, the last at its very end."""
    filler = "The meeting went on and nothing of note was said. "
    part = filler * (TURN_TOKENS * 4 // len(filler) // facts)
    return "\n".join(f"{part}\nFACT: valve {n} drips." for n in range(facts))


# Captures.


def test_without_a_handler_nothing_is_left_to_do(store: Store) -> None:
    memory = memory_over(store)
    done = memory.remember("FACT: pump-7 leaks.")
    assert (done.ack, done.partial) == (Ack.COMMITTED, False)
    assert memory.jobs() == ()
    assert memory.maintain().done == 0
    assert memory.remember("again", ack="indexed").ack is Ack.INDEXED


def test_a_capture_leaves_a_job_in_its_own_commit_and_a_repetition_none(store: Store) -> None:
    counting = CountingStore(store)
    memory = memory_over(counting, handlers=NOTES)
    done = memory.remember("FACT: pump-7 leaks.")
    assert dict(counting.calls) == {"load": 1, "apply": 1}
    assert [job.record for job in memory.jobs()] == [done.id]
    memory.maintain()
    memory.remember("FACT: pump-7 leaks.", source="another")
    memory.remember("so it is old", role="summary", because=[done.id])
    memory.remember("maybe", role="inference")
    assert memory.jobs() == ()


def test_what_is_done_rests_on_the_record_and_falls_with_it(memory: Memory) -> None:
    name = memory.remember("FACT: pump-7 leaks.").id
    tally = memory.maintain()
    assert (tally.done, tally.retried, tally.dead, dict(tally.left)) == (1, 0, 0, {})
    assert summaries(memory) == ["FACT: pump-7 leaks."]
    assert len(memory.retract(name).fell) == 2


def test_an_indexed_write_returns_when_its_jobs_are_done(memory: Memory) -> None:
    memory.remember("FACT: the older of its lane.", subject="ann")
    memory.remember("FACT: of another lane.", subject="bob")
    done = memory.remember("FACT: the younger.", subject="ann", ack="indexed")
    assert (done.ack, done.partial) == (Ack.INDEXED, False)
    assert summaries(memory) == ["FACT: the older of its lane.", "FACT: the younger."]


def test_an_indexed_write_whose_job_fails_is_committed_and_says_so(store: Store) -> None:
    memory = memory_over(store, handlers={"extract": failing(ProviderError("secret text"))})
    done = memory.remember("FACT: pump-7 leaks.", ack="indexed")
    assert (done.ack, done.partial) == (Ack.COMMITTED, True)
    assert done.notes == (f"extract:{done.id} is waiting after provider-error ProviderError",)


def test_beyond_the_bound_a_record_is_kept_and_its_job_deferred_until_its_turn(store: Store) -> None:
    memory = memory_over(store, handlers=NOTES, open_jobs=2)
    done = [memory.remember(f"FACT: note {n}.") for n in range(3)]
    assert [d.partial for d in done] == [False, False, True]
    assert "the queue is full" in done[2].notes[0]
    assert dict(memory.status().jobs) == {"waiting": 2, "deferred": 1}
    assert memory.maintain().done == 3
    assert not memory.remember("FACT: there is room.").partial


def test_an_unknown_acknowledgement_is_refused(memory: Memory) -> None:
    with pytest.raises(InvalidInput):
        memory.remember("text", ack="eventually")


# Long texts and what recall shows of them.


def test_a_long_turn_is_kept_whole_found_and_worked_through_to_its_end(memory: Memory) -> None:
    text = turn()
    name = memory.remember(text).id
    assert memory.held(name).record.text == text
    (item,) = memory.recall("which valve drips?", limit=1, budget=200_000).items
    assert item.id == name and item.text == text
    tally = memory.maintain()
    assert tally.windows >= len(text) // WINDOW_CHARS
    assert summaries(memory) == ["FACT: valve 0 drips."]


def test_recall_shows_that_a_record_waits_and_how_far_it_is(store: Store, clock: FakeClock) -> None:
    seen = []

    def waiting() -> list[Pending]:
        items = memory.recall("valve", budget=400_000).items
        return [item.found.pending for item in items if item.found.pending]

    def look(job: Job) -> None:
        (pending,) = waiting()
        seen.append(pending.done)

    memory = memory_over(store, clock, handlers={"extract": after(look)})
    name = memory.remember(turn(3)).id
    assert waiting() == [Pending(0, len(memory.held(name).record.text))]
    memory.maintain()
    assert seen[0] == 0 and seen == sorted(set(seen)) and len(seen) > 3
    assert waiting() == []


def test_recall_asks_no_more_often_for_what_waits(store: Store) -> None:
    counting = CountingStore(store)
    memory = memory_over(counting, handlers=NOTES)
    memory.remember("pump-7 leaks", key="pump-7#state", value="leaks")
    counting.calls.clear()
    assert memory.recall("pump-7").items[0].found.pending is not None
    assert dict(counting.calls) == {"search": 1, "neighbourhood": 1, "candidates": 1}


def test_a_job_goes_on_in_another_process_where_it_stopped(
    store: Store, reopened: Callable[[], Store], clock: FakeClock
) -> None:
    reached = []

    class Killed(BaseException):
        pass

    def die(job: Job) -> None:
        reached.append(memory.jobs()[0].position)
        if len(reached) == 3:
            raise Killed

    memory = memory_over(store, clock, handlers={"extract": after(die)})
    memory.remember(turn(6))
    with pytest.raises(Killed):
        memory.maintain()
    again = memory_over(reopened(), clock, handlers=NOTES)
    (job,) = again.jobs()
    assert job.position == reached[-1] > 0
    again.maintain()
    assert summaries(again) == [f"FACT: valve {n} drips." for n in range(6)]


# Failures and lost leases.


def test_a_failing_job_backs_off_and_succeeds_later(store: Store, clock: FakeClock) -> None:
    memory = memory_over(store, clock, handlers={"extract": failing(ProviderError("down"), times=2)})
    memory.remember("FACT: pump-7 leaks.")
    for attempt in (1, 2):
        tally = memory.maintain()
        assert (tally.done, tally.retried) == (0, 1)
        clock.time += backoff_us(attempt) - 1
        assert memory.maintain().retried == 0
        clock.time += 1
    assert memory.maintain().done == 1


def test_a_job_that_keeps_failing_dies_with_a_cause_that_says_nothing_of_the_text(
    store: Store, clock: FakeClock
) -> None:
    memory = memory_over(store, clock, handlers={"extract": failing(ValueError("FACT: pump-7 leaks."))})
    name = memory.remember("FACT: pump-7 leaks.").id
    dead = 0
    for _ in range(ATTEMPTS):
        dead += memory.maintain().dead
        clock.time += backoff_us(ATTEMPTS)
    (job,) = memory.jobs(state="dead")
    assert (dead, job.cause) == (1, "fault ValueError")
    pending = memory.recall("pump-7").items[0].found.pending
    assert pending is not None and pending.stalled
    assert memory.retry_jobs([job.id]) == 1
    mended = memory_over(store, clock, handlers=NOTES)
    assert mended.maintain().done == 1
    assert mended.store.find(mended._view(None, None, "")[0], [name])[name].pending is None


def test_a_worker_that_slept_through_its_lease_installs_nothing(store: Store, clock: FakeClock) -> None:
    others = memory_over(store, clock, handlers=NOTES)

    def sleep(job: Job) -> None:
        clock.time += LEASE_US
        assert others.maintain().done == 1

    memory = memory_over(store, clock, handlers={"extract": after(sleep)})
    memory.remember("FACT: pump-7 leaks.")
    tally = memory.maintain()
    assert (tally.done, tally.lost) == (0, 1)
    assert summaries(memory) == ["FACT: pump-7 leaks."]


def test_an_interrupted_worker_gives_its_job_back_at_once(store: Store, clock: FakeClock) -> None:
    memory = memory_over(store, clock, handlers={"extract": failing(KeyboardInterrupt(), times=1)})
    memory.remember("FACT: pump-7 leaks.")
    with pytest.raises(KeyboardInterrupt):
        memory.maintain()
    (job,) = memory.jobs()
    assert (job.state, job.attempts) == (JobState.WAITING, 0)
    assert memory.maintain().done == 1


def test_a_watching_worker_does_what_comes_and_stops_when_told(store: Store, clock: FakeClock) -> None:
    stop, done = Event(), Event()
    memory = memory_over(store, clock, handlers=NOTES)
    with ThreadPoolExecutor(1) as pool:
        watching = pool.submit(memory.maintain, watch=True, stop=stop, on_job=lambda tally: done.set())
        memory.remember("FACT: pump-7 leaks.")
        assert done.wait(30)
        stop.set()
        assert watching.result(30).done == 1


def test_a_thread_of_an_open_memory_does_the_work_until_it_is_closed(store: Store) -> None:
    done = Event()
    memory = memory_over(store, handlers={"extract": after(lambda job: done.set())})
    memory.maintain_in_background()
    memory.remember("FACT: pump-7 leaks.")
    assert done.wait(30)
    memory.close()
    assert memory._thread is not None and not memory._thread.is_alive()


def test_a_stopped_worker_ends_after_the_window_at_hand(store: Store, clock: FakeClock) -> None:
    stop = Event()
    memory = memory_over(store, clock, handlers={"extract": after(lambda job: stop.set())})
    memory.remember(turn(2))
    worker = Worker(memory.session, memory.handlers, stop)
    worker.once()
    assert (worker.tally.windows, worker.tally.done) == (1, 0)
    (job,) = memory.jobs()
    assert job.state is JobState.WAITING and job.position > 0


# Many at once.


def test_twenty_writers_of_one_fact_leave_one_record_twenty_supports_and_one_job(memory: Memory) -> None:
    together = Barrier(WRITERS)

    def work(writer: int) -> str:
        together.wait()
        return memory.remember("FACT: the pool has eight places.", source=f"note-{writer}").id

    with ThreadPoolExecutor(WRITERS) as pool:
        (fact,) = set(pool.map(work, range(WRITERS)))
    assert len(memory.held(fact).live) == WRITERS
    assert len(memory.jobs()) == 1
    assert memory.maintain().done == 1


def test_eight_tenants_with_fifty_adds_at_once_each_end_with_fifty(store: Store) -> None:
    together = Barrier(TENANTS)

    def work(tenant: int) -> Memory:
        memory = memory_over(store, tenant=f"tenant-{tenant}", handlers=NOTES)
        together.wait()
        for n in range(ADDS):
            memory.remember(f"FACT: note {n}.")
        return memory

    with ThreadPoolExecutor(TENANTS) as pool:
        memories = list(pool.map(work, range(TENANTS)))
    for memory in memories:
        assert memory.status().counts["record"] == ADDS
        assert memory.maintain().done == ADDS
        assert summaries(memory) == sorted(f"FACT: note {n}." for n in range(ADDS))


def test_workers_at_once_do_each_job_once(store: Store, clock: FakeClock) -> None:
    jobs = 24
    for n in range(jobs):
        memory_over(store, clock, handlers=NOTES).remember(f"FACT: note {n}.", subject=f"person {n % 5}")
    together = Barrier(3)

    def work(_: int) -> int:
        memory = memory_over(store, clock, handlers=NOTES)
        together.wait()
        done = 0
        while memory.jobs():
            tally = memory.maintain()
            assert (tally.retried, tally.dead, tally.lost) == (0, 0, 0), tally.causes
            done += tally.done
        return done

    with ThreadPoolExecutor(3) as pool:
        assert sum(pool.map(work, range(3))) == jobs


# Buffered writes.


class Telling(CountingStore):
    """A store that tells when something is committed."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self.committing = Event()

    def apply(self, changes: ChangeSet) -> Applied:
        done = self.store.apply(changes)
        self.committing.set()
        return done


def buffering(store: Store, *, wait_s: float = 600, bound: int = BOUND) -> Memory:
    """A memory whose buffer waits so long, and takes so many."""
    memory = memory_over(store)
    memory._buffer.wait_s, memory._buffer.bound = wait_s, bound
    return memory


def test_buffered_writes_are_one_commit_and_known_by_their_ids_before(store: Store) -> None:
    memory = buffering(store)
    accepted = [memory.remember(f"note {n}", ack="buffered") for n in range(3)]
    assert {(a.ack, a.commit) for a in accepted} == {(Ack.BUFFERED, 0)}
    assert memory.status().counts["record"] == 0
    kept = memory.flush()
    assert [k.id for k in kept] == [a.id for a in accepted]
    assert {(k.ack, k.commit) for k in kept} == {(Ack.COMMITTED, 1)}


def test_what_is_buffered_is_committed_after_a_moment(store: Store) -> None:
    telling = Telling(store)
    memory = buffering(telling, wait_s=0.001)
    name = memory.remember("note", ack="buffered").id
    assert telling.committing.wait(30)
    assert memory.held(name).live


def test_closing_keeps_what_is_buffered(store: Store, reopened: Callable[[], Store]) -> None:
    memory = memory_over(store, handlers=NOTES)
    names = [memory.remember(f"note {n}", ack="buffered").id for n in range(GROUP + 7)]
    memory.close()
    again = memory_over(reopened())
    assert again.held_all(names).keys() == set(names)
    assert len(again.jobs(limit=1_000)) == len(names)


def test_a_full_group_is_committed_without_being_asked(store: Store) -> None:
    telling = Telling(store)
    memory = buffering(telling)
    for n in range(GROUP):
        memory.remember(f"note {n}", ack="buffered")
    assert telling.committing.wait(30)
    memory.flush()
    assert memory.status().counts["commits"] == 1


def test_a_full_buffer_commits_at_once_and_says_so(store: Store) -> None:
    memory = buffering(store, bound=2)
    far = [memory.remember(f"note {n}", ack="buffered") for n in range(3)]
    assert [f.ack for f in far] == [Ack.BUFFERED, Ack.BUFFERED, Ack.COMMITTED]
    assert "the buffer is full" in far[2].notes[0] and far[2].commit == 1
    assert len(memory.flush()) == 2


def test_what_is_refused_of_a_group_is_told_and_costs_the_others_nothing(store: Store) -> None:
    memory = buffering(store)
    old = memory.remember("it has eight", key="pool#size", value=8).id
    memory.supersede(old, "it has nine", value=9, how="correct")
    good = memory.remember("note", ack="buffered").id
    memory.remember("it has eight", key="pool#size", value=8, ack="buffered")
    with pytest.raises(NotPermitted):
        memory.flush()
    assert memory.held(good).live
    assert memory.flush() == ()
    with pytest.raises(InvalidInput):
        memory.remember("  ", ack="buffered")


def test_a_repeated_capture_of_another_tenant_is_a_record_of_its_own(store: Store) -> None:
    one = memory_over(store, handlers=NOTES).remember("FACT: note.")
    other = memory_over(store, tenant="other", handlers=NOTES).remember("FACT: note.")
    assert one.id != other.id
    assert [job.tenant for job in (*store.jobs(TENANT), *store.jobs("other"))] == [TENANT, "other"]
