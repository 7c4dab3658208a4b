"""The review queue: what admission kept out of sight until a person has looked. Lives here: a page of it, the two
decisions, and records that are nearly the same. Lives elsewhere: what comes into it (core.admission), the blocks
(core.verbs)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from graphmem.core import verbs
from graphmem.core.admission import Outcome
from graphmem.core.analyzer import analyze_query
from graphmem.core.auditing import Place
from graphmem.core.changes import Draft
from graphmem.core.errors import InvalidInput, NotFound, NotPermitted
from graphmem.core.jobs import is_material
from graphmem.core.provenance import REVIEW, Method, Provenance, own_locator
from graphmem.core.records import BlockKind, Record, Role
from graphmem.core.similarity import NEAR, Similar, similar
from graphmem.core.views import Held, View, Waiting, Wanted
from graphmem.ports.store import Store
from graphmem.services import writing
from graphmem.services.admitting import cleaned
from graphmem.services.committing import Session, Written, acknowledge, commit
from graphmem.services.writing import Statement, prepare, wanted_for

LIMIT = 100  # records of a page
WORDS = 40  # of a text, by which others like it are looked for


@dataclass(frozen=True, slots=True)
class Queue:
    """A page of what waits, oldest first. `count` waited from its beginning on; `next` goes on, empty at the end."""

    waiting: tuple[Waiting, ...]
    count: int
    next: str

    @property
    def partial(self) -> bool:
        return bool(self.next)


def queue(store: Store, view: View, after: Place, limit: int) -> Queue:
    """A page of the review queue. Raises InvalidInput for a limit below 1."""
    if limit < 1:
        raise InvalidInput(f"the limit is {limit}", hint="give a limit of 1 or more")
    page = store.quarantined(view, after, limit)
    more = page.count > len(page.waiting)
    last = page.waiting[-1] if page.waiting else None
    place = str(Place(last.commit, last.held.record.id)) if more and last else ""
    return Queue(page.waiting, page.count, place)


def similar_to(store: Store, view: View, held: Held, limit: int) -> tuple[Similar, ...]:
    """Records of the view that say nearly the same as one, nearest first, ties by id; at most `limit` are looked at.
    Only a person can tell what follows from that."""
    record = held.record
    hits = store.search(view, (), analyze_query(record.text)[:WORDS], limit + 1)
    names = [name for name, _ in hits.lexical if name != record.id]
    found = store.find(view, names)
    near = (similar(found[name].record.text, record.text, name) for name in names if name in found)
    return tuple(sorted((s for s in near if s.near >= NEAR), key=lambda s: (-s.near, s.record)))


def decide(session: Session, name: str, *, approved: bool, reason: str) -> Written:
    """Let a waiting record in, or keep it out for good; one commit does that and records who decided.

    Raises NotFound where nothing of that id waits, NotPermitted for a writer's own record where the configuration wants
    four eyes, and for a reason that is but a credential.
    """
    held = session.store.load(session.tenant, Wanted(records=(name,))).records.get(name)
    _check(session, name, held, approved=approved)
    decision = _decision(session, name, held.record if held else None, approved=approved, reason=reason)
    wanted = wanted_for(session, decision)
    wanted = replace(wanted, records=(name, *wanted.records))

    def plan(draft: Draft) -> str:
        now = draft.get(name)
        _check(session, name, now, approved=approved)
        if approved:
            verbs.approve(draft, name)
            if now.live and is_material(now.record, now.live[0].provenance):
                writing.leave_jobs(draft, session, now.record, now.live[0].provenance, writing.Outcome())
        else:
            verbs.reject(draft, name, session.writer)
        return verbs.remember(draft, decision.record, decision.provenance)

    made, applied, at, changed = commit(session, REVIEW, wanted, plan)
    done = acknowledge(name, "approve" if approved else "reject", applied, at, changed, (f"recorded as {made}",))
    return replace(done, outcome=Outcome.STORED.value, code="approved") if approved else done


def _check(session: Session, name: str, held: Held | None, *, approved: bool) -> None:
    if held is None or held.block is None or held.block.kind is not BlockKind.QUARANTINED:
        raise NotFound(f"{name} waits for no review", hint="see: graphmem review list")
    authors = {a.provenance.writer for a in held.live}
    if approved and session.admission.four_eyes and session.writer in authors:
        raise NotPermitted(f"{session.writer} wrote {name} and can't approve it", hint="have somebody else look at it")


def _decision(session: Session, name: str, about: Record | None, *, approved: bool, reason: str) -> Statement:
    """The decision as an observation of the person who took it; it may be read by whoever may read what it is about."""
    text = f"{'Approved' if approved else 'Rejected'} {name}." + (f" {reason}" if reason else "")
    record = Record("", session.tenant, Role.OBSERVATION, text)
    if about is not None:
        record = replace(record, policy=about.policy, sensitivity=about.sensitivity, retention=about.retention)
    conditions = (("decision", "approved" if approved else "rejected"), ("reviewed", name))
    provenance = Provenance(
        REVIEW, own_locator(session.writer), session.writer, Method.ASSERTED, 0, conditions=conditions
    )
    return cleaned(session.detector, prepare(Statement(record, provenance), session.clock.now()))
