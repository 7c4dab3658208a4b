"""Load, plan, apply: the way of every write. Lives here: the retry on Conflict and the acknowledgement. Lives
elsewhere: what each verb plans (core.changes)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeVar

from graphmem.core.admission_policy import DEFAULT, Policy
from graphmem.core.authority import UNCONFIGURED, Authority
from graphmem.core.changes import Applied, ChangeSet, Draft
from graphmem.core.credentials import KnownForms
from graphmem.core.echo import Delivered
from graphmem.core.errors import Conflict, LeaseLost, NotFound
from graphmem.core.jobs import OPEN_JOBS
from graphmem.core.labels import level_at
from graphmem.core.lifetimes import Turn
from graphmem.core.views import Wanted
from graphmem.ports.clock import Clock
from graphmem.ports.detector import Detector
from graphmem.ports.store import Store
from graphmem.services.auditing import forecast

T = TypeVar("T")

# A plan that lost against another writer is made anew from what is there now, so often at most. Each loss means that a
# write of somebody else went in, so this many writers can want the same record at once and all get through.
ATTEMPTS = 64


@dataclass(frozen=True, slots=True)
class Session:
    """Who writes where: one tenant and writer over a store and a clock. `authority` weighs what sources say,
    `delivered` is what the writer was shown, `admission` says what may be kept, `detector` finds credentials.
    `extraction` are the kinds of jobs that new raw records are left for; `bound` is how many open jobs make a further
    one deferred."""

    store: Store
    clock: Clock
    tenant: str
    writer: str
    authority: Authority = UNCONFIGURED
    delivered: Delivered = field(default_factory=Delivered)
    admission: Policy = DEFAULT
    detector: Detector = field(default_factory=KnownForms)
    extraction: tuple[str, ...] = ()
    bound: int = OPEN_JOBS


class Ack(StrEnum):
    """How far a write got: accepted by this process; durable; durable with the jobs that it left done too."""

    BUFFERED = "buffered"
    COMMITTED = "committed"
    INDEXED = "indexed"


@dataclass(frozen=True, slots=True)
class Written:
    """The acknowledgement of a write: the id that it is about, the commit (0 when nothing changed or on a dry run), and
    the ids that fell and rose at the time of writing, sorted. `notes` are for people; `beliefs` are those that a dry
    run would change at that time, by key. `outcome` and `code` are the verdict of admission where the verb asks for
    one; what was skipped has no id. `ack` says how far the write got; it is `partial` when what it left to be done was
    put off or failed."""

    id: str
    verb: str
    commit: int
    changed: bool
    fell: tuple[str, ...] = ()
    rose: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    beliefs: tuple[Turn, ...] = ()
    ack: Ack = Ack.COMMITTED
    partial: bool = False
    outcome: str = ""
    code: str = ""


@dataclass(frozen=True, slots=True)
class Foreseen(Applied):
    """The outcome of a dry run, with the beliefs that a commit would change."""

    beliefs: tuple[Turn, ...] = ()


def commit(
    session: Session,
    verb: str,
    wanted: Wanted,
    plan: Callable[[Draft], T],
    *,
    dry_run: bool = False,
) -> tuple[T, Applied, int, bool]:
    """Run a plan against fresh facts until it applies; returns its result, the outcome, the time, and whether facts
    changed.

    A Conflict that the plan itself raises is the caller's; one that the store raises starts over, unless it says that
    the lease is gone under which the plan was made. So does, once, what the store doesn't find: it may have been
    forgotten since it was loaded.
    """
    attempt = 1
    while True:
        now = session.clock.now()
        draft = Draft(session.store.load(session.tenant, wanted), at=now, writer=session.writer, verb=verb)
        result = plan(draft)
        changes = draft.finish()
        try:
            return result, _store(session, changes, dry_run=dry_run), now, not changes.is_empty
        except LeaseLost:
            raise
        except (Conflict, NotFound) as error:
            if attempt == ATTEMPTS or (attempt > 1 and isinstance(error, NotFound)):
                raise
            attempt += 1


def _store(session: Session, changes: ChangeSet, *, dry_run: bool) -> Applied:
    if changes.is_empty:
        return Applied(0)
    if not dry_run:
        return session.store.apply(changes)
    applied = session.store.preview(changes)
    return Foreseen(0, applied.moved, forecast(session.store, changes, applied, session.authority))


def acknowledge(
    record: str,
    verb: str,
    applied: Applied,
    now: int,
    changed: bool,
    notes: tuple[str, ...] = (),
    *,
    partial: bool = False,
) -> Written:
    """Say what a commit did to the labels at its own time."""
    fell: list[str] = []
    rose: list[str] = []
    for name, before, after in applied.moved:
        gain = (level_at(after, now) if after else 0) - (level_at(before, now) if before else 0)
        if gain:
            (rose if gain > 0 else fell).append(name)
    beliefs = applied.beliefs if isinstance(applied, Foreseen) else ()
    return Written(record, verb, applied.commit, changed, tuple(fell), tuple(rose), notes, beliefs, partial=partial)
