"""The durable queue in SQLite. Lives here: the rows of jobs and the statements on them, for use inside a transaction.
Lives elsewhere: what may be leased and what a failure leads to (core.jobs), the table (schema)."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

from graphmem.adapters.store_sqlite.schema import OPEN
from graphmem.core.changes import ChangeSet
from graphmem.core.errors import LeaseLost
from graphmem.core.jobs import Job, JobState, Offer, Pending, Settled, advanced, failed, leasable, leased, revived
from graphmem.core.records import BlockKind

Db = sqlite3.Connection

# What a record `r` waits for, over all of its jobs; NULL for nothing.
PENDING = """(SELECT json_array(min(q.position), max(q.length), max(q.state = 'dead')) FROM job q
  WHERE q.tenant = r.tenant AND q.record = r.pk GROUP BY q.record)"""
COLUMNS = "j.tenant, j.kind, r.id, j.lane, j.length, j.state, j.position, j.attempts, j.due_at, j.token, j.cause"

# The oldest of each lane, if it is due.
HEADS = f"""
SELECT {COLUMNS} FROM job j CROSS JOIN record r ON r.pk = j.record
WHERE j.tenant = :tenant AND j.state <> 'dead' AND j.due_at <= :now
  AND (:every_kind OR j.kind IN (SELECT value FROM json_each(:kinds)))
  AND NOT EXISTS (SELECT 1 FROM job o INDEXED BY job_lane
    WHERE o.tenant = j.tenant AND o.lane = j.lane AND o.state <> 'dead' AND (o.record, o.kind) < (j.record, j.kind))
ORDER BY j.record, j.kind LIMIT :limit
"""
HEAD_OF_LANE = f"""
SELECT {COLUMNS} FROM job j INDEXED BY job_lane CROSS JOIN record r ON r.pk = j.record
WHERE j.tenant = :tenant AND j.lane = :lane AND j.state <> 'dead' ORDER BY j.record, j.kind LIMIT 1
"""
HELD = f"""
SELECT {COLUMNS} FROM record r CROSS JOIN job j ON j.tenant = r.tenant AND j.record = r.pk AND j.kind = :kind
WHERE r.id = :record AND r.tenant = :tenant AND j.state = 'leased' AND j.token = :token
  AND NOT EXISTS (SELECT 1 FROM block b WHERE b.record = r.pk AND b.kind = '{BlockKind.DELETED}' AND b.k_to = {OPEN})
"""
LISTED = f"""
SELECT {COLUMNS} FROM job j CROSS JOIN record r ON r.pk = j.record
WHERE j.tenant = :tenant AND j.state = coalesce(:state, j.state) AND j.kind || ':' || r.id > :after
ORDER BY j.kind || ':' || r.id LIMIT :limit
"""
LISTED_OF = f"""
SELECT {COLUMNS} FROM json_each(:records) f CROSS JOIN record r ON r.id = f.value
CROSS JOIN job j ON j.tenant = r.tenant AND j.record = r.pk
WHERE j.tenant = :tenant AND j.state = coalesce(:state, j.state) AND j.kind || ':' || r.id > :after
ORDER BY j.kind || ':' || r.id LIMIT :limit
"""
ENQUEUE = """
INSERT OR IGNORE INTO job (tenant, record, kind, lane, length, state, position, attempts, due_at, token, cause)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
PUT = """
UPDATE job SET state = ?, position = ?, attempts = ?, due_at = ?, token = ?, cause = ?
WHERE tenant = ? AND kind = ? AND record = (SELECT r.pk FROM record r WHERE r.id = ?)
"""
FINISH = "DELETE FROM job WHERE tenant = ? AND kind = ? AND record = (SELECT r.pk FROM record r WHERE r.id = ?)"
DROP = "DELETE FROM job WHERE tenant = ? AND record = (SELECT r.pk FROM record r WHERE r.id = ?)"


def pending_of(column: str | None) -> Pending | None:
    """What the column PENDING says."""
    if column is None:
        return None
    done, of, stalled = json.loads(column)
    return Pending(done, of, bool(stalled))


def backlog(db: Db, tenant: str) -> int:
    """How many jobs of a tenant are to be done yet."""
    row = db.execute("SELECT open FROM backlog WHERE tenant = ?", (tenant,)).fetchone()
    return int(row[0]) if row else 0


def check(db: Db, changes: ChangeSet) -> None:
    """Raise LeaseLost when a lease that the changes were made under is gone, or its record is deleted."""
    for settled in changes.settled:
        if settled.job.tenant != changes.tenant or _holding(db, settled.job) is None:
            raise LeaseLost(f"the lease of {settled.job.id} is gone", hint="lease again")


def write(db: Db, changes: ChangeSet, keys: Mapping[str, int]) -> None:
    """Enqueue, settle, and drop the jobs of what is deleted."""
    for settled in changes.settled:
        _settle(db, settled)
    if changes.jobs:
        db.executemany(ENQUEUE, (_row(job, keys[job.record]) for job in changes.jobs))
    if changes.blocks:
        db.executemany(DROP, ((changes.tenant, b.record) for b in changes.blocks if b.kind is BlockKind.DELETED))


def _settle(db: Db, settled: Settled) -> None:
    if settled.finished:
        db.execute(FINISH, (settled.job.tenant, settled.job.kind, settled.job.record))
    else:
        _put(db, [advanced(settled)])


def _row(job: Job, record: int) -> tuple[Any, ...]:
    head = (job.tenant, record, job.kind, job.lane, job.length, job.state.value)
    return (*head, job.position, job.attempts, job.due_at, job.token, job.cause)


def _put(db: Db, jobs: Iterable[Job]) -> None:
    db.executemany(
        PUT,
        ((j.state.value, j.position, j.attempts, j.due_at, j.token, j.cause, j.tenant, j.kind, j.record) for j in jobs),
    )


def _jobs(rows: Iterable[tuple[Any, ...]]) -> list[Job]:
    return [_job(*row) for row in rows]


def _job(*row: Any) -> Job:
    made = Job(*row)
    return replace(made, state=JobState(made.state))


def _holding(db: Db, job: Job) -> Job | None:
    """The job as it is kept, while the lease that it was given out under holds and its record isn't deleted."""
    values = {"kind": job.kind, "record": job.record, "tenant": job.tenant, "token": job.token}
    found = _jobs(db.execute(HELD, values))
    return found[0] if found else None


def lease(db: Db, tenant: str, offer: Offer) -> tuple[Job, ...]:
    """Lease what an offer may have; jobs whose holders vanished too often die."""
    values = {
        "tenant": tenant,
        "now": offer.now,
        "kinds": json.dumps(offer.kinds),
        "every_kind": not offer.kinds,
        "lane": offer.lane,
        "limit": offer.limit,
    }
    heads = _jobs(db.execute(HEAD_OF_LANE if offer.lane else HEADS, values))
    taken = [leased(job, offer) for job in leasable(heads, offer)]
    _put(db, taken)
    return tuple(job for job in taken if job.state is JobState.LEASED)


def fail(db: Db, tenant: str, job: Job, cause: str, now: int) -> Job | None:
    """What becomes of a job whose holder gives it back."""
    held = _holding(db, job) if job.tenant == tenant else None
    if held is None:
        return None
    after = failed(held, cause, now)
    _put(db, [after])
    return after


def jobs(
    db: Db, tenant: str, state: JobState | None, records: Collection[str] | None, after: str, limit: int
) -> tuple[Job, ...]:
    """A page of jobs by id."""
    values = {"tenant": tenant, "state": state and state.value, "after": after, "limit": limit}
    if records is None:
        return tuple(_jobs(db.execute(LISTED, values)))
    return tuple(_jobs(db.execute(LISTED_OF, values | {"records": json.dumps(sorted(records))})))


def retry(db: Db, tenant: str, ids: Collection[str] | None, now: int) -> int:
    """Revive dead jobs."""
    dead = jobs(db, tenant, JobState.DEAD, None, "", -1)
    chosen = [job for job in dead if ids is None or job.id in ids]
    _put(db, (revived(job, now) for job in chosen))
    return len(chosen)
