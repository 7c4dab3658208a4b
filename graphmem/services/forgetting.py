"""Forgetting as a use case. Lives here: choosing what is to be forgotten, the plan with its receipt, the commit, the
scouring and the look afterwards; reading and verifying receipts. Lives elsewhere: the rules (core.forgetting), the
erasing (the stores)."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from graphmem.core import forgetting as rules
from graphmem.core import verbs
from graphmem.core.analyzer import analyze, analyze_query
from graphmem.core.auditing import Entry, Place, Sought
from graphmem.core.changes import Applied, Draft, assertion_of, empty_snapshot, record_id
from graphmem.core.erasure import SOURCE, SUBJECT, Closure, content_mark, source_mark, subject_mark
from graphmem.core.errors import Conflict, InvalidInput, NotFound
from graphmem.core.forgetting import RECEIPTS, Plan, Request, is_receipt
from graphmem.core.labels import level_at
from graphmem.core.lifetimes import ONGOING, Life
from graphmem.core.provenance import own_locator
from graphmem.core.records import Tombstone, clean_text, context_text
from graphmem.core.times import format_time
from graphmem.core.views import Held, LinkState, View, Wanted
from graphmem.ports.store import Store
from graphmem.services.committing import ATTEMPTS, Session, Written, acknowledge

PAGE = 10_000  # entries of an audit, or hits of a search, that one look takes
VERIFICATION = "verification"  # the source kind of the assertion that says what a look for remains found


@dataclass(frozen=True, slots=True)
class Chosen:
    """What is to be forgotten: records by id, everything from a source, about a subject, or found by a query."""

    ids: tuple[str, ...] = ()
    subject: str = ""
    source: str = ""
    query: str = ""

    @property
    def is_empty(self) -> bool:
        return not (self.ids or self.subject or self.source or self.query)


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was forgotten, or would be, under which receipt. `survived` are records that rested on it and still hold,
    each with the supports left to it; `remains` is what the look afterwards still found, in plain words."""

    receipt: str
    written: Written
    erased: tuple[str, ...] = ()
    scrubbed: tuple[str, ...] = ()
    survived: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    remains: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Verified:
    """What a look through the whole memory for what a receipt names found; empty `remains` is well."""

    receipt: str
    records: int
    remains: tuple[str, ...]


def forget(session: Session, chosen: Chosen, reason: str, *, dry_run: bool = False) -> Forgotten:
    """Erase what was chosen, and what was made of it; forgetting again gives the same receipt.

    Raises InvalidInput without a reason or a choice, NotFound for an unknown id or when nothing is found.
    """
    if not reason.strip():
        raise InvalidInput("forgetting needs a reason", hint="say it with --reason")
    if chosen.is_empty:
        raise InvalidInput("nothing was chosen", hint="give ids, --subject, --source or --query")
    attempt = 1
    while True:
        try:
            return _forget(session, chosen, clean_text(reason), dry_run=dry_run)
        except Conflict:
            if attempt == ATTEMPTS:
                raise
            attempt += 1


def _forget(session: Session, chosen: Chosen, reason: str, *, dry_run: bool) -> Forgotten:
    request = requested(session, chosen, reason)
    names = (*request.roots, *request.assertions)
    closure = session.store.closure(session.tenant, (*names, *request.marks))
    now = session.clock.now()
    first = rules.plan(closure, request, at=now, writer=session.writer, receipt="")
    if not first.erased and not request.assertions:
        return _again(closure, request)
    survived = _survivors(session, first, session.store.preview(first.draft.finish()), now)
    record, origin = rules.receipt_of(first, request, survived)
    receipt = record_id(empty_snapshot(session.tenant, session.store.identity_key), record, origin)
    made = rules.plan(closure, request, at=now, writer=session.writer, receipt=receipt)
    verbs.remember(made.draft, record, origin)
    changes = made.draft.finish()
    applied = session.store.preview(changes) if dry_run else session.store.apply(changes)
    remains = () if dry_run else _look_after(session, made, receipt)
    written = acknowledge(receipt, "forget", applied, now, True)
    return Forgotten(receipt, written, made.erased, made.scrubbed, survived, made.counts, remains)


def _again(closure: Closure, request: Request) -> Forgotten:
    """The receipt of what is forgotten already. Raises NotFound when nothing ever was."""
    blocks = (closure.snapshot.records[name].block for name in request.roots)
    known = [b.by for b in blocks if b] + [
        closure.tombstones[m].receipt for m in request.marks if m in closure.tombstones
    ]
    if not known:
        raise NotFound("nothing that was chosen is there", hint="look first with: graphmem audit, or recall")
    return Forgotten(known[0], Written(known[0], "forget", 0, False))


def requested(session: Session, chosen: Chosen, reason: str) -> Request:
    """The records and assertions that a choice means."""
    store, tenant, secret = session.store, session.tenant, session.store.identity_key
    roots = dict.fromkeys(chosen.ids)
    marks: dict[str, str] = {}
    assertions: dict[str, tuple[str, ...]] = {}
    if chosen.subject:
        entries = brought(session, Sought(subject=chosen.subject))
        roots.update(dict.fromkeys(e.names[0] for e in entries if e.kind != "edge"))
        roots.update(dict.fromkeys(store.keyed_by(tenant, chosen.subject)))
        marks[subject_mark(tenant, chosen.subject, secret)] = SUBJECT
    if chosen.source:
        whole, assertions = _from_source(session, chosen.source)
        roots.update(dict.fromkeys(whole))
        if not chosen.source.startswith(own_locator("")):  # a writer may go on to speak
            marks[source_mark(tenant, chosen.source, secret)] = SOURCE
    if chosen.query:
        roots.update(dict.fromkeys(_found(session, chosen.query)))
    kept = {name: found for name, found in sorted(assertions.items()) if name not in roots}
    return Request(tuple(sorted(roots)), reason, kept, marks)


def brought(session: Session, sought: Sought) -> Iterator[Entry]:
    """Everything that an audit finds."""
    view, after = View(session.tenant, session.clock.now()), Place()
    while True:
        found = session.store.audit(view, sought, after, PAGE, reach=0)
        yield from found.entries
        if not found.more:
            return
        after = found.entries[-1].place


def _from_source(session: Session, source: str) -> tuple[list[str], dict[str, tuple[str, ...]]]:
    """The records that only a source puts forward or that were concluded from it, and the assertions by it of others,
    by record."""
    entries = [e for e in brought(session, Sought(source=source)) if e.provenance.locator == source]
    concluded = {e.names[0] for e in entries if e.kind == "justification"}
    said = {e.names[0] for e in entries if e.kind == "assertion"}
    held = session.store.load(session.tenant, Wanted(records=tuple(sorted(said)))).records
    whole, shared = [*sorted(concluded)], {}
    for name in sorted(said - concluded):
        if any(a.provenance.locator != source for a in held[name].live):
            every = (*held[name].live, *(a for a, _ in held[name].withdrawn))
            shared[name] = tuple(a.id for a in every if a.provenance.locator == source)
        else:
            whole.append(name)
    return whole, shared


def _found(session: Session, query: str) -> list[str]:
    """The records that hold now and have every word of a query in their text or around it."""
    words = analyze_query(query)
    if not words:
        raise InvalidInput("the query has no words", hint="give words that the records say")
    view = View(session.tenant, session.clock.now())
    hits = [name for name, _ in session.store.search(view, (), words, PAGE).lexical]
    found = session.store.find(view, hits)
    wanted = set(words)
    return [n for n, f in found.items() if wanted <= {*analyze(f.record.text), *analyze(context_text(f.record))}]


def _survivors(session: Session, made: Plan, applied: Applied, now: int) -> dict[str, tuple[str, ...]]:
    """The records that lost a justification or their text and hold now, with the supports that are left to them."""
    asked = tuple(sorted({*made.losing, *made.scrubbed}))
    held = session.store.load(session.tenant, Wanted(records=asked)).records
    after = {name: found.label for name, found in held.items()} | {c.record: c.after for c in applied.moved}
    standing = [name for name in asked if level_at(after[name] or (), now)]
    lives = session.store.history(View(session.tenant, now), standing).lives
    return {name: _supports(lives[name], made.draft.withdrawn_links) for name in standing}


def _supports(life: Life, withdrawn: Collection[str]) -> tuple[str, ...]:
    """What a record may rest on: each live justification but those that are withdrawn, and its own assertions."""
    links = {link.value.id for link in life.links if link.end == ONGOING}.difference(withdrawn)
    return (*sorted(links), *(["premise"] if any(a.end == ONGOING for a in life.assertions) else []))


def _look_after(session: Session, made: Plan, receipt: str) -> tuple[str, ...]:
    """Make the bytes go, look whether anything is left, and put on record what was found."""
    session.delivered.forget({*made.erased, *made.scrubbed})
    remains = (*session.store.scour(), *_left(session, made))
    _note(session, receipt, remains)
    return remains


def _left(session: Session, made: Plan) -> Iterator[str]:
    """What the store still tells of the records that were forgotten."""
    erased = set(made.erased)
    gone = {*erased, *made.scrubbed}
    closure = session.store.closure(session.tenant, (*made.erased, *made.scrubbed))
    for name in (*made.erased, *made.scrubbed):
        yield from _content_of(closure.snapshot.records[name])
    for link in sorted(closure.snapshot.live):
        found = closure.snapshot.justifications[link]
        if found.names(erased):
            yield f"justification {link} still names a forgotten record"
    for name, edge in sorted(closure.edges.items()):
        if not gone.isdisjoint(n for place in edge.evidence for n in place):
            yield f"edge {name} still rests on a forgotten record"


def _content_of(held: Held) -> Iterator[str]:
    record = held.record
    if record.text or record.value or record.context or record.key or record.identity:
        yield f"{record.id} still has content"


def _note(session: Session, receipt: str, remains: tuple[str, ...]) -> None:
    """Assert a receipt once more, with what the look found."""
    now = session.clock.now()
    snapshot = session.store.load(session.tenant, Wanted(records=(receipt,)))
    draft = Draft(snapshot, at=now, writer=session.writer, verb="verify")
    held = draft.get(receipt)
    said = (("found", "; ".join(remains) or "nothing"), ("looked-at", format_time(now) or ""))
    origin = replace(held.live[0].provenance, source_kind=VERIFICATION, conditions=said, captured_at=now)
    assertion = assertion_of(draft.snapshot, receipt, held.record, origin)
    draft.assert_(assertion)
    draft.restand(replace(held, live=(*held.live, assertion)))
    session.store.apply(draft.finish())


def receipts(session: Session) -> tuple[Held, ...]:
    """Every receipt, oldest first."""
    names = dict.fromkeys(e.names[0] for e in brought(session, Sought(source=RECEIPTS)) if e.kind == "assertion")
    return tuple(session.store.load(session.tenant, Wanted(records=tuple(names))).records.values())


def receipt(session: Session, name: str) -> Held:
    """A receipt by id. Raises NotFound."""
    held = session.store.load(session.tenant, Wanted(records=(name,))).records.get(name)
    if held is None or not is_receipt(held):
        raise NotFound(f"no receipt {name}", hint="see: graphmem receipt list")
    return held


def told(held: Held) -> dict[str, Any]:
    """What a receipt says."""
    found: dict[str, Any] = json.loads(held.record.value or "{}")
    return found


def verify(session: Session, held: Held) -> Verified:
    """Look through every fact of the tenant for what a receipt says was forgotten."""
    said = told(held)
    facts = _Scan(session.store, session.tenant, set(said["erased"]), {*said["erased"], *said["scrubbed"]})
    return Verified(held.record.id, facts.records, tuple(facts.remains))


class _Scan:
    """One look through all facts of a tenant."""

    def __init__(self, store: Store, tenant: str, erased: set[str], gone: set[str]) -> None:
        self.erased, self.gone, self.records = erased, gone, 0
        self.said: dict[str, list[Held]] = {}
        self.remains: list[str] = []
        digests: dict[str, str] = {}
        for fact in store.dump(tenant):
            match fact:
                case Held():
                    self.record(fact, content_mark(tenant, fact.record.text, fact.record.value, store.identity_key))
                case LinkState(justification=j, live=True) if j.names(erased):
                    self.remains.append(f"justification {j.id} still names a forgotten record")
                case Tombstone() if fact.id in erased:
                    digests[fact.content] = fact.id
        self.copies(digests)
        self.remains += (f"{name} has no tombstone" for name in sorted(erased - set(digests.values())))

    def record(self, held: Held, mark: str) -> None:
        self.records += 1
        if held.record.id in self.gone:
            self.remains += _content_of(held)
        elif held.record.text:
            self.said.setdefault(mark, []).append(held)

    def copies(self, digests: Mapping[str, str]) -> None:
        """Records that say what was forgotten and weren't let in again by an override."""
        for mark, of in digests.items():
            for held in self.said.get(mark, ()):
                if held.record.supersedes not in self.gone:
                    self.remains.append(f"{held.record.id} says what {of} said")
