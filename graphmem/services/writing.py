"""The write verbs as use cases: remember, justify, withdraw, retract, reassert, reject, unreject, supersede. Lives
here: what each needs to load, and its draft. Lives elsewhere: their rules (core.changes)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from graphmem.core import changes as facts
from graphmem.core import echo, verbs
from graphmem.core.analyzer import exact_terms
from graphmem.core.changes import Draft
from graphmem.core.conflicts import RESOLUTION
from graphmem.core.errors import InvalidInput
from graphmem.core.intervals import ALWAYS, TIME_MAX
from graphmem.core.jobs import is_material, new_job
from graphmem.core.linking import link, names_of
from graphmem.core.provenance import Method, Provenance
from graphmem.core.records import GROUNDING, Mode, Record, Role, clean_text, content_hash
from graphmem.core.views import Held, Wanted
from graphmem.services.committing import Session, Written, acknowledge, commit


@dataclass(frozen=True, slots=True)
class Statement:
    """A record to be, with its provenance, the names that it mentions and what it was concluded from. `identifiers`
    are found in its text."""

    record: Record
    provenance: Provenance
    mentions: tuple[str, ...] = ()
    because: tuple[str, ...] = ()
    informant: str = ""
    mode: Mode = Mode.INTERSECT
    identifiers: tuple[str, ...] = ()


@dataclass(slots=True)
class Outcome:
    """What a plan found out on the way."""

    id: str = ""
    notes: list[str] = field(default_factory=list)
    deferred: bool = False

    def again(self, notes: tuple[str, ...] = ()) -> None:
        """Forget what an earlier attempt at the plan found out."""
        self.notes[:] = notes
        self.deferred = False


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
    """Everything that planning a prepared statement may read."""
    empty = facts.empty_snapshot(session.tenant, session.store.identity_key)
    name = facts.record_id(empty, statement.record, statement.provenance)
    links: tuple[str, ...] = ()
    if statement.because:
        antecedents = tuple(sorted(set(statement.because)))
        links = (facts.justification_id(empty, name, antecedents, statement.informant, statement.mode),)
    return Wanted(
        records=(name, *statement.because),
        justifications=links,
        keys=(statement.record.key,) if statement.record.key else (),
        names=names_of(statement.record, statement.mentions, statement.identifiers),
        backlog=bool(session.extraction),
    )


def state(draft: Draft, statement: Statement, outcome: Outcome) -> str:
    """Plan one statement with its links; returns the record's id."""
    record, because = statement.record, statement.because
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
    statement, note = recognised(session, statement)
    outcome = Outcome()

    def plan(draft: Draft) -> str:
        outcome.again(note)
        name = state(draft, statement, outcome)
        enqueue(draft, session, name, statement, outcome)
        return name

    return _run(session, "remember", wanted_for(session, statement), plan, outcome, dry_run=dry_run)


def remember_together(session: Session, statements: Sequence[Statement]) -> list[Written]:
    """Assert several records in one commit: all of them or, when one is refused, none."""
    known = [recognised(session, statement) for statement in statements]
    outcomes = [Outcome() for _ in known]

    def plan(draft: Draft) -> list[str]:
        names = []
        for (statement, note), outcome in zip(known, outcomes, strict=True):
            outcome.again(note)
            names.append(state(draft, statement, outcome))
            enqueue(draft, session, names[-1], statement, outcome)
        return names

    wanted = union(wanted_for(session, statement) for statement, _ in known)
    names, applied, now, changed = commit(session, "remember", wanted, plan)
    return [
        acknowledge(name, "remember", applied, now, changed, tuple(o.notes), partial=o.deferred)
        for name, o in zip(names, outcomes, strict=True)
    ]


def union(asked: Iterable[Wanted]) -> Wanted:
    """What several plans of one commit may read."""
    every = list(asked)
    return Wanted(
        records=tuple(dict.fromkeys(r for w in every for r in w.records)),
        justifications=tuple(dict.fromkeys(j for w in every for j in w.justifications)),
        keys=tuple(dict.fromkeys(k for w in every for k in w.keys)),
        names=tuple(dict.fromkeys(n for w in every for n in w.names)),
        backlog=any(w.backlog for w in every),
    )


def recognised(session: Session, statement: Statement) -> tuple[Statement, tuple[str, ...]]:
    """The statement as it will be kept, as a claim where it is an echo, with what people should know of that. Raises
    InvalidInput."""
    statement = prepare(statement, session.clock.now())
    origins = _origins(session, statement)
    if not origins:
        return statement, ()
    note = f"recognised as an echo: kept as a claim that rests on {', '.join(origins)}"
    return as_echo(statement, origins), (note,)


def enqueue(draft: Draft, session: Session, name: str, statement: Statement, outcome: Outcome) -> None:
    """Leave the session's jobs for a record that the draft makes of raw material; what was said before has had them."""
    record = draft.records.get(name)
    if record is None or statement.because or not is_material(record, statement.provenance):
        return
    for kind in session.extraction:
        full = draft.snapshot.backlog + len(draft.jobs) >= session.bound
        key = draft.snapshot.identity_key
        job = new_job(kind, record, statement.provenance, identity_key=key, deferred=full, now=draft.at)
        if job.id not in {known.id for known in draft.jobs}:
            draft.jobs.append(job)
            outcome.deferred = outcome.deferred or full
    if outcome.deferred:
        outcome.notes.append(f"the queue is full: {name} is kept, and worked on later")


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
        outcome.again()
        name = verbs.supersede(
            draft, old, statement.record, statement.provenance, how=how, expected_version=expected_version
        )
        attach(draft, name, named, outcome)
        enqueue(draft, session, name, named, outcome)
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
    return acknowledge(name, verb, applied, now, changed, tuple(outcome.notes), partial=outcome.deferred)
