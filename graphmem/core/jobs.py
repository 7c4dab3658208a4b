"""Work that a commit leaves to be done later. Lives here: a job as a value, what may be leased next, and what becomes
of a lease that ends. Lives elsewhere: keeping jobs (the stores), doing them (services.maintaining), cutting texts
(core.windows).

A job names a record and a place in its text and holds no content: its cause of death is an error's code and class. A
lease's token is checked in the transaction that installs what the holder made, so a holder that was paused, overtaken
and resumed installs nothing. Source of that rule: M. Kleppmann, "How to do distributed locking" (2016), fencing tokens.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from graphmem.core.errors import GraphmemError
from graphmem.core.provenance import CONSENT, MERGE, RECEIPT, RESOLUTION, REVIEW, Provenance
from graphmem.core.records import Record, Role, digest

ATTEMPTS = 6  # leases without progress after which a job is dead
FIRST_BACKOFF_US = 1_000_000  # before the second attempt; doubled before each further one
LONGEST_BACKOFF_US = 300_000_000
LEASE_US = 60_000_000  # a slow model's answer fits in; a killed worker's job waits no longer
OPEN_JOBS = 10_000  # of a tenant, beyond which a further job is deferred and its writer told so
EXPIRED = "lease-expired"  # the cause of a job whose holders never came back

# The kind of job that finds out what a record speaks of; where there is one, its writer leaves that to it.
EXTRACT = "extract"

# The roles of raw material; conclusions have been made already.
RAW = frozenset({Role.SOURCE, Role.OBSERVATION, Role.CLAIM})
# The source kinds of records that are about the memory itself, whose texts are no material.
ABOUT_THE_MEMORY = frozenset({RESOLUTION, RECEIPT, REVIEW, CONSENT, MERGE})


class JobState(StrEnum):
    """Where a job stands; one that is done isn't kept. A deferred one came when the queue was full: it waits its turn,
    and its writer was told."""

    WAITING = "waiting"
    DEFERRED = "deferred"
    LEASED = "leased"
    DEAD = "dead"


@dataclass(frozen=True, slots=True)
class Job:
    """One kind of work on one record. `lane` is what orders it: of a lane, the oldest job goes first and alone.

    `position` of `length` characters are done. `due_at` (microseconds) is when it may be leased: at once, after a
    backoff, or when the lease that is on it ends. `attempts` are leases since it last got on. `token` names the lease.
    """

    tenant: str
    kind: str
    record: str
    lane: str
    length: int
    state: JobState = JobState.WAITING
    position: int = 0
    attempts: int = 0
    due_at: int = 0
    token: str = ""
    cause: str = ""

    @property
    def id(self) -> str:
        return f"{self.kind}:{self.record}"

    @property
    def leased_until(self) -> int:
        """When its lease ends, 0 without one."""
        return self.due_at if self.state is JobState.LEASED else 0


@dataclass(frozen=True, slots=True)
class Settled:
    """What a commit does to the lease it was made under: the work has come to `position`, and unless that is the end
    the lease goes on until then (microseconds)."""

    job: Job
    position: int
    until: int

    @property
    def finished(self) -> bool:
        return self.position >= self.job.length


@dataclass(frozen=True, slots=True)
class Offer:
    """What a worker asks for: jobs of these kinds (empty: of every kind), of one lane where it is named."""

    worker: str
    now: int
    limit: int = 1
    lease_us: int = LEASE_US
    kinds: tuple[str, ...] = ()
    lane: str = ""


@dataclass(frozen=True, slots=True)
class Pending:
    """Work that a record still waits for: characters done and in all, and whether some of it was given up."""

    done: int
    of: int
    stalled: bool = False


def is_material(record: Record, provenance: Provenance) -> bool:
    """Whether a record is raw material for work such as extraction."""
    return record.role in RAW and provenance.source_kind not in ABOUT_THE_MEMORY


def lane_of(record: Record, provenance: Provenance, identity_key: bytes) -> str:
    """What orders a record's jobs, as a digest that names nobody: its subject, else its owner, else its key's entity,
    else the record alone."""
    entity = record.key.entity if record.key else ""
    ways = {"subject": provenance.subject, "owner": provenance.owner, "entity": entity, "record": record.id}
    way = next(way for way, name in ways.items() if name)
    return digest(record.tenant, way, ways[way], key=identity_key)


def new_job(kind: str, record: Record, provenance: Provenance, *, identity_key: bytes, deferred: bool, now: int) -> Job:
    """The job of a kind for a record that is being made."""
    state = JobState.DEFERRED if deferred else JobState.WAITING
    lane = lane_of(record, provenance, identity_key)
    return Job(record.tenant, kind, record.id, lane, max(1, len(record.text)), state, due_at=now)


def leasable(in_order: Iterable[Job], offer: Offer) -> list[Job]:
    """Of the jobs that aren't dead, oldest first, those that the offer may lease: each the oldest of its lane."""
    heads: dict[str, Job] = {}
    for job in in_order:
        heads.setdefault(job.lane, job)
    return [job for job in heads.values() if _suits(job, offer)][: offer.limit]


def _suits(job: Job, offer: Offer) -> bool:
    named = (not offer.kinds or job.kind in offer.kinds) and offer.lane in ("", job.lane)
    return named and job.due_at <= offer.now


def leased(job: Job, offer: Offer) -> Job:
    """The job under a new lease; dead instead when its holders kept vanishing."""
    if job.attempts >= ATTEMPTS:
        return replace(job, state=JobState.DEAD, token="", cause=job.cause or EXPIRED)
    return replace(
        job,
        state=JobState.LEASED,
        attempts=job.attempts + 1,
        due_at=offer.now + offer.lease_us,
        token=f"{offer.worker}/{offer.now}/{job.attempts}",
    )


def failed(job: Job, cause: str, now: int) -> Job:
    """The leased job after its holder failed: tried again after a backoff, or dead. Without a cause the holder gave it
    back untried."""
    if not cause:
        return replace(job, state=JobState.WAITING, attempts=job.attempts - 1, due_at=now, token="")
    if job.attempts >= ATTEMPTS:
        return replace(job, state=JobState.DEAD, token="", cause=cause)
    return replace(job, state=JobState.WAITING, due_at=now + backoff_us(job.attempts), token="", cause=cause)


def backoff_us(attempts: int) -> int:
    """How long a job waits after so many attempts that failed, in microseconds."""
    return min(LONGEST_BACKOFF_US, FIRST_BACKOFF_US << max(0, attempts - 1))


def advanced(settled: Settled) -> Job:
    """The job after a commit of its holder that didn't finish it."""
    return replace(settled.job, position=settled.position, due_at=settled.until, attempts=1, cause="")


def revived(job: Job, now: int) -> Job:
    """A dead job that is to be tried anew."""
    return replace(job, state=JobState.WAITING, attempts=0, due_at=now)


def cause_of(error: BaseException) -> str:
    """An error's code and class, and nothing of what it says: that may quote a record."""
    code = error.code if isinstance(error, GraphmemError) else "fault"
    return f"{code} {type(error).__name__}"


def pending_of(jobs: Collection[Job]) -> Pending | None:
    """What a record still waits for, by its jobs."""
    if not jobs:
        return None
    dead = any(job.state is JobState.DEAD for job in jobs)
    return Pending(min(job.position for job in jobs), max(job.length for job in jobs), dead)
