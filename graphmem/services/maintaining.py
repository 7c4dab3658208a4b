"""Doing what writes left to be done. Lives here: a worker that leases jobs, runs their handlers window by window, and
installs what they find in the commit that moves the job on. Lives elsewhere: what may be leased and what a failure
leads to (core.jobs), windows (core.windows), the handlers (beside, one file for each kind).

A worker may be killed at any point: what it installed is as far as its job has come, and its lease ends by itself.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from threading import Event
from typing import Protocol

from graphmem.core.changes import Draft
from graphmem.core.errors import CommitUnknown, DeadlineExceeded, LeaseLost, NotFound, StoreUnavailable
from graphmem.core.jobs import LEASE_US, Job, JobState, Offer, Settled, cause_of
from graphmem.core.views import Held, Wanted
from graphmem.core.windows import Window, window_at
from graphmem.services.committing import Ack, Session, Written, commit

FIRST_WAIT_S = 0.1  # of a watching worker that found nothing; doubled up to the longest
LONGEST_WAIT_S = 2.0


@dataclass(frozen=True, slots=True)
class Installing:
    """What a handler wants to be installed: what its plan must see, and the plan, which may run several times."""

    wanted: Wanted
    plan: Callable[[Draft], object]


class Handler(Protocol):
    """One kind of work on one window of a record's text. It must come to the same for the same window, because a job
    may be done again; what it raises sends the job back."""

    def __call__(self, session: Session, job: Job, window: Window, /) -> Installing: ...


Handlers = Mapping[str, Handler]
OnJob = Callable[["Tally"], None]


@dataclass(slots=True)
class Tally:
    """What a worker did: jobs done, sent back for another attempt, given up, and lost to another worker or a deletion.
    `causes` counts the causes of those that failed. `left` are the tenant's jobs by state afterwards."""

    done: int = 0
    retried: int = 0
    dead: int = 0
    lost: int = 0
    windows: int = 0
    causes: dict[str, int] = field(default_factory=dict)
    left: Mapping[str, int] = field(default_factory=dict)


class Worker:
    """One worker over one session; it does one job at a time. `stop` ends it after the window at hand."""

    def __init__(self, session: Session, handlers: Handlers, stop: Event | None = None) -> None:
        self.session = session
        self.handlers = handlers
        self.stop = stop or Event()
        self.tally = Tally()
        self.name = secrets.token_hex(8)

    def once(self, lane: str = "") -> bool:
        """Do one job (of a lane, where it is named), if there is one that may be done now; whether there was."""
        kinds = tuple(sorted(self.handlers))
        offer = Offer(self.name, self.session.clock.now(), kinds=kinds, lane=lane)
        jobs = self.session.store.lease(self.session.tenant, offer) if kinds else ()
        for job in jobs:
            self._attempt(job)
        return bool(jobs)

    def until_idle(self, on_job: OnJob | None = None) -> Tally:
        """Do jobs until none may be done now; those that wait for another attempt are left."""
        while not self.stop.is_set() and self.once():
            if on_job:
                on_job(self.tally)
        return self.tally

    def watch(self, on_job: OnJob | None = None) -> Tally:
        """Do jobs until the stop is set, looking less often while there are none."""
        wait_s = FIRST_WAIT_S
        while not self.stop.is_set():
            if self._once_if_reachable():
                wait_s = FIRST_WAIT_S
                if on_job:
                    on_job(self.tally)
            else:
                self.stop.wait(wait_s)
                wait_s = min(LONGEST_WAIT_S, 2 * wait_s)
        return self.tally

    def _once_if_reachable(self) -> bool:
        """`once`; a store that can't be reached for now has nothing to do."""
        try:
            return self.once()
        except (StoreUnavailable, CommitUnknown, DeadlineExceeded):
            return False

    def _attempt(self, job: Job) -> None:
        """Do a leased job; whatever goes wrong, its lease ends."""
        try:
            if self._work(job):
                self.tally.done += 1
            else:
                self._give_back(job, "")
        except LeaseLost:
            self.tally.lost += 1
        except Exception as error:
            self._give_back(job, cause_of(error))
        except BaseException:
            self._give_back(job, "")
            raise

    def _work(self, job: Job) -> bool:
        """Go through the rest of a job's text, a commit a window; whether it came to the end."""
        held = self._held(job)
        position = job.position
        while position < job.length:
            if self.stop.is_set():
                return False
            window = window_at(held, position)
            position = job.length if window.is_last else window.end
            self._install(job, window, position)
            self.tally.windows += 1
        return True

    def _held(self, job: Job) -> Held:
        found = self.session.store.load(self.session.tenant, Wanted(records=(job.record,))).records.get(job.record)
        if found is None:
            raise NotFound(f"no record {job.record}", hint="its job ends by itself")
        return found

    def _install(self, job: Job, window: Window, position: int) -> None:
        found = self.handlers[job.kind](self.session, job, window)
        until = self.session.clock.now() + LEASE_US

        def plan(draft: Draft) -> None:
            found.plan(draft)
            draft.settled.append(Settled(job, position, until))

        commit(self.session, job.kind, found.wanted, plan)

    def _give_back(self, job: Job, cause: str) -> None:
        after = self.session.store.fail(self.session.tenant, job, cause, self.session.clock.now())
        if after is None:
            self.tally.lost += 1
        elif cause:
            self.tally.causes[cause] = self.tally.causes.get(cause, 0) + 1
            if after.state is JobState.DEAD:
                self.tally.dead += 1
            else:
                self.tally.retried += 1


def finish_record(session: Session, handlers: Handlers, record: str) -> tuple[Job, ...]:
    """Do the jobs of one record, and before them the older ones of its lane; those that stay open, because they failed,
    wait for another attempt or are nobody's here to do."""
    worker = Worker(session, handlers)
    wait_s = FIRST_WAIT_S
    while waiting := session.store.jobs(session.tenant, records=(record,)):
        job = waiting[0]
        if worker.once(job.lane):
            wait_s = FIRST_WAIT_S
            continue
        if not _held_by_another(session, job):
            return waiting
        worker.stop.wait(wait_s)
        wait_s = min(LONGEST_WAIT_S, 2 * wait_s)
    return ()


def indexed(session: Session, handlers: Handlers, done: Written) -> Written:
    """The acknowledgement of a write after its record's jobs were done; partial, with the reason, where one wasn't."""
    left = finish_record(session, handlers, done.id)
    if not left:
        return replace(done, ack=Ack.INDEXED, partial=False)
    notes = (f"{job.id} is {job.state}" + (f" after {job.cause}" if job.cause else "") for job in left)
    return replace(done, partial=True, notes=(*done.notes, *notes))


def _held_by_another(session: Session, job: Job) -> bool:
    """Whether a worker is on the lane of a job, so that waiting helps."""
    return any(
        other.lane == job.lane and other.leased_until > session.clock.now()
        for other in session.store.jobs(session.tenant, state=JobState.LEASED)
    )
