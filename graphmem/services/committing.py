"""Load, plan, apply: the way of every write. Lives here: the retry on Conflict and the acknowledgement. Lives
elsewhere: what each verb plans (core.changes)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from graphmem.core.changes import Applied, ChangeSet, Draft
from graphmem.core.echo import Delivered
from graphmem.core.errors import Conflict
from graphmem.core.labels import level_at
from graphmem.core.views import Wanted
from graphmem.ports.clock import Clock
from graphmem.ports.store import Store

T = TypeVar("T")

# A plan that lost against another writer is made anew from what is there now, so often at most. Each loss means that a
# write of somebody else went in, so this many writers can want the same record at once and all get through.
ATTEMPTS = 64


@dataclass(frozen=True, slots=True)
class Session:
    """Who writes where: one tenant and writer over a store and a clock. `delivered` is what they were shown."""

    store: Store
    clock: Clock
    tenant: str
    writer: str
    delivered: Delivered = field(default_factory=Delivered)


@dataclass(frozen=True, slots=True)
class Written:
    """The acknowledgement of a write: the id that it is about, the commit (0 when nothing changed or on a dry run), and
    the ids that fell and rose at the time of writing, sorted. `notes` are for people."""

    id: str
    verb: str
    commit: int
    changed: bool
    fell: tuple[str, ...] = ()
    rose: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


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

    A Conflict that the plan itself raises is the caller's; one that the store raises starts over.
    """
    attempt = 1
    while True:
        now = session.clock.now()
        draft = Draft(session.store.load(session.tenant, wanted), at=now, writer=session.writer, verb=verb)
        result = plan(draft)
        changes = draft.finish()
        try:
            return result, _store(session.store, changes, dry_run), now, not changes.is_empty
        except Conflict:
            if attempt == ATTEMPTS:
                raise
            attempt += 1


def _store(store: Store, changes: ChangeSet, dry_run: bool) -> Applied:
    if changes.is_empty:
        return Applied(0)
    return store.preview(changes) if dry_run else store.apply(changes)


def acknowledge(
    record: str, verb: str, applied: Applied, now: int, changed: bool, notes: tuple[str, ...] = ()
) -> Written:
    """Say what a commit did to the labels at its own time."""
    fell: list[str] = []
    rose: list[str] = []
    for name, before, after in applied.moved:
        gain = (level_at(after, now) if after else 0) - (level_at(before, now) if before else 0)
        if gain:
            (rose if gain > 0 else fell).append(name)
    return Written(record, verb, applied.commit, changed, tuple(fell), tuple(rose), notes)
