"""The durable queue in Neo4j. Lives here: jobs as nodes and the statements on them, for use inside a transaction that
holds the memory's one lock. Lives elsewhere: what may be leased and what a failure leads to (core.jobs)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict
from typing import Any

from graphmem.adapters.store_neo4j import rows
from graphmem.adapters.store_neo4j.session import Transaction
from graphmem.core.changes import ChangeSet
from graphmem.core.errors import LeaseLost
from graphmem.core.jobs import Job, JobState, Offer, advanced, failed, leasable, leased, revived
from graphmem.core.records import BlockKind

ALL = 2**31 - 1  # a limit that is none


def properties(job: Job) -> dict[str, Any]:
    """A job as a node has it; what is empty is no property."""
    found = asdict(job) | {"state": job.state.value}
    return {name: None if value == "" else value for name, value in found.items()}


def job_of(found: Mapping[str, Any]) -> Job:
    """A job from its properties."""
    texts = {name: found.get(name, "") for name in ("tenant", "kind", "record", "lane", "token", "cause")}
    numbers = {name: found[name] for name in ("length", "position", "attempts", "due_at")}
    return Job(**texts, **numbers, state=JobState(found["state"]))


def backlog(tx: Transaction, tenant: str) -> int:
    """How many jobs of a tenant are to be done yet."""
    return int(tx.rows("read/backlog", tenant=tenant)[0]["number"])


def check(tx: Transaction, changes: ChangeSet) -> None:
    """Raise LeaseLost when a lease that the changes were made under is gone, or its record is deleted."""
    wanted = [settled.job for settled in changes.settled]
    lost = {job.id for job in wanted} - {job.id for job in _held(tx, changes.tenant, wanted)}
    if lost:
        raise LeaseLost(f"the lease of {min(lost)} is gone", hint="lease again")


def _held(tx: Transaction, tenant: str, jobs: Collection[Job]) -> list[Job]:
    """The jobs as they are kept, while the leases that they were given out under hold and no record is deleted."""
    leases = [{"id": job.id, "token": job.token} for job in jobs]
    found = tx.rows("read/jobs_held", tenant=tenant, leases=leases, open=rows.OPEN) if leases else []
    return [job_of(row["job"]) for row in found]


def write(tx: Transaction, changes: ChangeSet, k: int) -> None:
    """Enqueue, settle, and drop the jobs of what is deleted."""
    finished = [settled.job.id for settled in changes.settled if settled.finished]
    if finished:
        tx.tell("write/jobs_end", ids=finished)
    _put(tx, (advanced(settled) for settled in changes.settled if not settled.finished))
    made = [
        {"id": job.id, "record": job.record, "properties": properties(job) | {"k_from": k, "place": place}}
        for place, job in enumerate(changes.jobs)
    ]
    if made:
        tx.tell("write/jobs", rows=made)
    gone = [block.record for block in changes.blocks if block.kind is BlockKind.DELETED]
    if gone:
        tx.tell("write/jobs_drop", ids=gone)


def _put(tx: Transaction, jobs: Iterable[Job]) -> None:
    changed = [{"id": job.id, "properties": properties(job)} for job in jobs]
    if changed:
        tx.tell("write/jobs_put", rows=changed)


def lease(tx: Transaction, tenant: str, offer: Offer) -> tuple[Job, ...]:
    """Lease what an offer may have; jobs whose holders vanished too often die."""
    tx.tell("write/lock")
    found = tx.rows(
        "read/job_heads",
        tenant=tenant,
        now=offer.now,
        kinds=list(offer.kinds),
        every_kind=not offer.kinds,
        lane=offer.lane,
        limit=offer.limit,
    )
    taken = [leased(job, offer) for job in leasable((job_of(row["job"]) for row in found), offer)]
    _put(tx, taken)
    return tuple(job for job in taken if job.state is JobState.LEASED)


def fail(tx: Transaction, tenant: str, job: Job, cause: str, now: int) -> Job | None:
    """What becomes of a job whose holder gives it back."""
    tx.tell("write/lock")
    held = _held(tx, tenant, [job])
    if not held:
        return None
    after = failed(held[0], cause, now)
    _put(tx, [after])
    return after


def jobs(
    tx: Transaction, tenant: str, state: JobState | None, records: Collection[str] | None, after: str, limit: int
) -> tuple[Job, ...]:
    """A page of jobs by id."""
    values = {"tenant": tenant, "state": state.value if state else "", "after": after, "limit": limit}
    found = tx.rows("read/jobs", values) if records is None else tx.rows("read/jobs_of", values, ids=sorted(records))
    return tuple(job_of(row["job"]) for row in found)


def retry(tx: Transaction, tenant: str, ids: Collection[str] | None, now: int) -> int:
    """Revive dead jobs."""
    tx.tell("write/lock")
    dead = jobs(tx, tenant, JobState.DEAD, None, "", ALL)
    chosen = [job for job in dead if ids is None or job.id in ids]
    _put(tx, (revived(job, now) for job in chosen))
    return len(chosen)
