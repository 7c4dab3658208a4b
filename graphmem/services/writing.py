"""The write verbs as use cases: remember, justify, withdraw, retract, reassert, reject, unreject, supersede. Lives
here: what each needs to load, and its draft. Lives elsewhere: their rules (core.changes)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from graphmem.core import changes as facts
from graphmem.core import echo, verbs
from graphmem.core.analyzer import exact_terms
from graphmem.core.changes import Draft
from graphmem.core.conflicts import RESOLUTION
from graphmem.core.erasure import is_scrubbed, is_tombstone, marks_of
from graphmem.core.errors import InvalidInput
from graphmem.core.intervals import ALWAYS, TIME_MAX
from graphmem.core.linking import link, names_of
from graphmem.core.provenance import Method, Provenance
from graphmem.core.records import GROUNDING, Mode, Record, Role, clean_text, content_hash
from graphmem.core.views import Held, Snapshot, Wanted
from graphmem.services.committing import Session, Written, acknowledge, commit


@dataclass(frozen=True, slots=True)
class Statement:
    """A record to be, with its provenance, the names that it mentions and what it was concluded from. `identifiers`
    are found in its text. `override` is why it is kept although it was forgotten."""

    record: Record
    provenance: Provenance
    mentions: tuple[str, ...] = ()
    because: tuple[str, ...] = ()
    informant: str = ""
    mode: Mode = Mode.INTERSECT
    identifiers: tuple[str, ...] = ()
    override: str = ""


@dataclass(slots=True)
class Outcome:
    """What a plan found out on the way."""

    id: str = ""
    notes: list[str] = field(default_factory=list)


def prepare(statement: Statement, now: int) -> Statement:
    """The statement as it will be kept: clean text, its hash, and a time of observation. Raises InvalidInput."""
    text = clean_text(statement.record.text)
    record = replace(statement.record, text=text, observed_at=statement.record.observed_at or now)
    provenance = replace(
        statement.provenance,
        content_hash=statement.provenance.content_hash or content_hash(text),
        captured_at=statement.provenance.captured_at or now,
    )
    if statement.because and record.role not in (Role.INFERENCE, Role.SUMMARY):
        raise InvalidInput(
            f"a {record.role} doesn't rest on other records", hint="use role inference or summary with --because"
        )
    return replace(statement, record=record, provenance=provenance, identifiers=exact_terms(text))


def wanted_for(session: Session, statement: Statement) -> Wanted:
    """Everything that planning a prepared statement may read; `follow` brings what a record without content has
    become."""
    empty = facts.empty_snapshot(session.tenant, session.store.identity_key)
    name = facts.record_id(empty, statement.record, statement.provenance)
    return Wanted(
        records=(name, *statement.because),
        justifications=_link_of(empty, name, statement),
        keys=(statement.record.key,) if statement.record.key else (),
        names=names_of(statement.record, statement.mentions, statement.identifiers),
        marks=marks_of(empty, statement.record, statement.provenance),
    )


def _link_of(snapshot: Snapshot, name: str, statement: Statement) -> tuple[str, ...]:
    if not statement.because:
        return ()
    antecedents = tuple(sorted(set(statement.because)))
    return (facts.justification_id(snapshot, name, antecedents, statement.informant, statement.mode),)


def follow(session: Session, draft: Draft, statement: Statement) -> str:
    """Load what a statement's record has become, once for each time that it lost its content, and give the id that it
    will have."""
    record = statement.record
    while True:
        name = facts.record_id(draft.snapshot, record, statement.provenance)
        held = draft.held.get(name)
        if held is None or not (is_scrubbed(held.record) or (statement.override and is_tombstone(held))):
            return name
        record = replace(record, supersedes=name)
        following = facts.record_id(draft.snapshot, record, statement.provenance)
        if following not in draft.held:
            wanted = Wanted((following,), _link_of(draft.snapshot, following, statement))
            draft.take(session.store.load(session.tenant, wanted))


def state(draft: Draft, statement: Statement, outcome: Outcome) -> str:
    """Plan one statement with its links; returns the record's id."""
    record, because = statement.record, statement.because
    draft.override = statement.override
    if not because:
        name = verbs.remember(draft, record, statement.provenance)
    else:
        derived = replace(statement.provenance, method=Method.DERIVED)
        if record.role is Role.CLAIM:
            name, _ = verbs.repeat(draft, record, because, derived)
        else:
            name, _ = verbs.conclude(draft, record, because, statement.informant, derived, statement.mode)
    attach(draft, name, statement, outcome)
    return name


def attach(draft: Draft, name: str, statement: Statement, outcome: Outcome) -> None:
    """Link a new record to what it speaks of."""
    if name in draft.records:
        record, traced = draft.records[name], statement.provenance
        for ambiguous in link(draft, record, traced, statement.mentions, statement.identifiers):
            outcome.notes.append(f"{ambiguous!r} names several entities; no mention was linked")


def remember(session: Session, statement: Statement, *, dry_run: bool = False) -> Written:
    """Assert a record, or conclude it from others."""
    statement = prepare(statement, session.clock.now())
    outcome = Outcome()
    note: tuple[str, ...] = ()
    if origins := _origins(session, statement):
        statement = as_echo(statement, origins)
        note = (f"recognised as an echo: kept as a claim that rests on {', '.join(origins)}",)

    def plan(draft: Draft) -> str:
        outcome.notes[:] = note
        follow(session, draft, statement)
        return state(draft, statement, outcome)

    return _run(session, "remember", wanted_for(session, statement), plan, outcome, dry_run=dry_run)


def _origins(session: Session, statement: Statement) -> tuple[str, ...]:
    """The records that a would-be observation is an echo of: those that it cites, or the one whose text this memory has
    shown and the writer now gives as their own word. A person's decision on a conflict speaks of its sides and is
    none."""
    record = statement.record
    if record.role not in GROUNDING or statement.provenance.source_kind == RESOLUTION:
        return ()
    own_word = statement.provenance.locator == own_locator(session.writer)
    asked = echo.cited(record.text) or (session.delivered.source_of(record.text) if own_word else ())
    if not asked:
        return ()
    empty = facts.empty_snapshot(session.tenant, session.store.identity_key)
    name = facts.record_id(empty, record, statement.provenance)
    known = session.store.load(session.tenant, Wanted(records=(*asked, name))).records
    mine = name in known and any(a.provenance.locator == statement.provenance.locator for a in known[name].live)
    return () if mine else tuple(sorted(n for n in asked if n in known))


def own_locator(writer: str) -> str:
    """The locator of what a writer says without naming a source."""
    return f"writer:{writer}"


def as_echo(statement: Statement, origins: tuple[str, ...]) -> Statement:
    """The statement as the writer's claim that rests on what it repeats."""
    record = replace(statement.record, role=Role.CLAIM)
    return replace(statement, record=record, because=origins, informant=echo.INFORMANT)


def supersede(
    session: Session,
    old: str,
    statement: Statement,
    *,
    how: str,
    expected_version: int | None,
    dry_run: bool = False,
) -> Written:
    """Put a new record at the head of the old one's key."""
    statement = prepare(statement, session.clock.now())
    outcome = Outcome()
    held = session.store.load(session.tenant, Wanted(records=(old,))).records.get(old)
    statement = replace(statement, record=_successor(statement.record, held, how))
    key = held.record.key if held else None
    named = replace(statement, record=replace(statement.record, key=key, supersedes=old))
    wanted = wanted_for(session, named)
    wanted = replace(wanted, records=(old, *wanted.records))

    def plan(draft: Draft) -> str:
        outcome.notes.clear()
        draft.override = statement.override
        follow(session, draft, named)
        name = verbs.supersede(
            draft, old, statement.record, statement.provenance, how=how, expected_version=expected_version
        )
        attach(draft, name, named, outcome)
        return name

    return _run(session, "supersede", wanted, plan, outcome, dry_run=dry_run)


def _successor(record: Record, old: Held | None, how: str) -> Record:
    """The new record's valid time where the caller gave none: a change holds from when it was observed, a correction
    for as long as what it corrects."""
    if record.own != ALWAYS or old is None:
        return record
    return replace(record, own=((record.observed_at, TIME_MAX),) if how == "change" else old.record.own)


def justify(
    session: Session,
    consequent: str,
    because: tuple[str, ...],
    informant: str,
    provenance: Provenance,
    *,
    mode: Mode = Mode.INTERSECT,
    dry_run: bool = False,
) -> Written:
    """Add a justification to a record."""
    empty = facts.empty_snapshot(session.tenant, session.store.identity_key)
    name = facts.justification_id(empty, consequent, tuple(sorted(set(because))), informant, mode)
    wanted = Wanted(records=(consequent, *because), justifications=(name,))

    def plan(draft: Draft) -> str:
        traced = replace(provenance, captured_at=provenance.captured_at or draft.at)
        return verbs.justify(draft, consequent, because, informant, traced, mode)

    return _run(session, "justify", wanted, plan, Outcome(), dry_run=dry_run)


def withdraw(session: Session, justification: str, *, dry_run: bool = False) -> Written:
    """End a justification."""

    def plan(draft: Draft) -> str:
        verbs.withdraw(draft, justification)
        return justification

    return _run(session, "withdraw", Wanted(justifications=(justification,)), plan, Outcome(), dry_run=dry_run)


def confirm(session: Session, record: str, provenance: Provenance, *, dry_run: bool = False) -> Written:
    """Say that a premise was looked at again and found so."""

    def plan(draft: Draft) -> str:
        verbs.confirm(draft, record, replace(provenance, captured_at=draft.at))
        return record

    return _run(session, "confirm", Wanted(records=(record,)), plan, Outcome(), dry_run=dry_run)


def on_record(session: Session, verb: str, record: str, *, source: str = "", dry_run: bool = False) -> Written:
    """Run one of the verbs that change one record's standing: see STANDING_VERBS."""
    action = STANDING_VERBS[verb]

    def plan(draft: Draft) -> str:
        action(draft, record, source)
        return record

    return _run(session, verb, Wanted(records=(record,)), plan, Outcome(), dry_run=dry_run)


STANDING_VERBS: dict[str, Callable[[Draft, str, str], object]] = {
    "retract": verbs.retract,
    "reassert": verbs.reassert,
    "reject": lambda draft, record, source: verbs.reject(draft, record, draft.writer),
    "unreject": lambda draft, record, source: verbs.unreject(draft, record),
}


def _run(
    session: Session,
    verb: str,
    wanted: Wanted,
    plan: Callable[[Draft], str],
    outcome: Outcome,
    *,
    dry_run: bool = False,
) -> Written:
    name, applied, now, changed = commit(session, verb, wanted, plan, dry_run=dry_run)
    return acknowledge(name, verb, applied, now, changed, tuple(outcome.notes))
