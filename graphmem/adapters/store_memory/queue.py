"""The in-memory store's queue. Lives here: jobs in the order in which they came. Lives elsewhere: the rules
(core.jobs)."""

from __future__ import annotations

from collections.abc import Collection

from graphmem.core.changes import ChangeSet
from graphmem.core.errors import LeaseLost
from graphmem.core.jobs import Job, JobState, Offer, advanced, failed, leasable, leased, revived
from graphmem.core.records import BlockKind


class Queue:
    """Every job that isn't done, by id."""

    def __init__(self) -> None:
        self._jobs: dict[str, Job] = {}

    def open(self, tenant: str) -> int:
        """How many jobs of a tenant are to be done yet."""
        return sum(job.tenant == tenant and job.state is not JobState.DEAD for job in self._jobs.values())

    def check(self, changes: ChangeSet, deleted: Collection[str]) -> None:
        """Raise LeaseLost when a lease that the changes were made under is gone, or its record is deleted."""
        for settled in changes.settled:
            held = self._holding(settled.job)
            if held is None or settled.job.tenant != changes.tenant or settled.job.record in deleted:
                raise LeaseLost(f"the lease of {settled.job.id} is gone", hint="lease again")

    def _holding(self, job: Job) -> Job | None:
        """The job as it is kept, while the lease that it was given out under holds."""
        found = self._jobs.get(job.id)
        return found if found and found.state is JobState.LEASED and found.token == job.token else None

    def write(self, changes: ChangeSet) -> None:
        """Enqueue, settle, and drop the jobs of what is deleted."""
        for settled in changes.settled:
            if settled.finished:
                del self._jobs[settled.job.id]
            else:
                self._jobs[settled.job.id] = advanced(settled)
        for job in changes.jobs:
            self._jobs.setdefault(job.id, job)
        gone = {b.record for b in changes.blocks if b.kind is BlockKind.DELETED}
        if gone:
            self._jobs = {name: job for name, job in self._jobs.items() if job.record not in gone}

    def lease(self, tenant: str, offer: Offer) -> tuple[Job, ...]:
        alive = (j for j in self._jobs.values() if j.tenant == tenant and j.state is not JobState.DEAD)
        taken = [leased(job, offer) for job in leasable(alive, offer)]
        self._jobs.update({job.id: job for job in taken})
        return tuple(job for job in taken if job.state is JobState.LEASED)

    def fail(self, tenant: str, job: Job, cause: str, now: int) -> Job | None:
        held = self._holding(job)
        if held is None or held.tenant != tenant:
            return None
        self._jobs[job.id] = after = failed(held, cause, now)
        return after

    def jobs(
        self, tenant: str, state: JobState | None, records: Collection[str] | None, after: str, limit: int
    ) -> tuple[Job, ...]:
        found = (
            job
            for name, job in sorted(self._jobs.items())
            if job.tenant == tenant
            and name > after
            and state in (None, job.state)
            and (records is None or job.record in records)
        )
        return tuple(found)[:limit]

    def of(self, record: str) -> list[Job]:
        """The jobs of one record."""
        return [job for job in self._jobs.values() if job.record == record]

    def retry(self, tenant: str, ids: Collection[str] | None, now: int) -> int:
        all_dead = self.jobs(tenant, JobState.DEAD, None, "", len(self._jobs))
        dead = [job for job in all_dead if ids is None or job.id in ids]
        self._jobs.update({job.id: revived(job, now) for job in dead})
        return len(dead)
