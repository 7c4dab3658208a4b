"""The write verbs as use cases: remember, justify, withdraw, retract, reassert, reject, unreject, supersede. Lives
here: what each needs to load, and its draft. Lives elsewhere: their rules (core.changes)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from graphmem.core import admission, echo, verbs
from graphmem.core import changes as facts
from graphmem.core.analyzer import exact_terms
from graphmem.core.changes import Applied, Draft
from graphmem.core.erasure import is_scrubbed, is_tombstone, marks_of
from graphmem.core.errors import InvalidInput
from graphmem.core.intervals import ALWAYS, TIME_MAX
from graphmem.core.jobs import EXTRACT, is_material, new_job
from graphmem.core.linking import link, names_of
from graphmem.core.provenance import RESOLUTION, Method, Provenance, own_locator
from graphmem.core.records import GROUNDING, Mode, Record, Role, clean_text, content_hash
from graphmem.core.views import Held, Snapshot, Wanted
from graphmem.services.admitting import Admitted, admit
from graphmem.services.committing import Session, Written, acknowledge, commit


@dataclass(frozen=True, slots=True)
class Statement:
    """A record to be, with its provenance, the names that it mentions, what it was concluded from, and what it is to be
    kept for. `identifiers` are found in its text. `linked_later` leaves it to a job to link it to what it speaks of.
    `override` is why it is kept although it was forgotten."""

    record: Record
    provenance: Provenance
    mentions: tuple[str, ...] = ()
    because: tuple[str, ...] = ()
    informant: str = ""
    mode: Mode = Mode.INTERSECT
    identifiers: tuple[str, ...] = ()
    purpose: str = admission.ASKED
    linked_later: bool = False
    override: str = ""


@dataclass(slots=True)
class Outcome:
    """What a plan found out on the way."""

    id: str = ""
    notes: list[str] = field(default_factory=list)
    deferred: bool = False
    verdict: admission.Verdict | None = None

    def again(self, notes: tuple[str, ...] = ()) -> None:
        """Forget what an earlier attempt at the plan found out."""
        self.notes[:] = notes
        self.deferred = False


def prepare(statement: Statement, now: int, *, identify: bool = True) -> Statement:
    """The statement as it will be kept: clean text, its hash, a time of observation, and the identifiers in its text
    unless those aren't asked for. Raises InvalidInput."""
    text = clean_text(statement.record.text)
    record = statement.record
    if record.text != text or not record.observed_at:
        record = replace(record, text=text, observed_at=record.observed_at or now)
    provenance = replace(
        statement.provenance,
        content_hash=statement.provenance.content_hash or content_hash(text),
        captured_at=statement.provenance.captured_at or now,
    )
    if statement.because and record.role not in (Role.INFERENCE, Role.SUMMARY):
        raise InvalidInput(
            f"a {record.role} doesn't rest on other records", hint="use role inference or summary with --because"
        )
    identifiers = exact_terms(text) if identify else ()
    return replace(statement, record=record, provenance=provenance, identifiers=identifiers)


def wanted_for(session: Session, statement: Statement) -> Wanted:
    """Everything that planning a prepared statement may read; `follow` brings what a record without content has
    become."""
    record = statement.record
    empty = facts.empty_snapshot(session.tenant, session.store.identity_key)
    name = facts.record_id(empty, record, statement.provenance)
    return Wanted(
        records=(name, *statement.because),
        justifications=_link_of(empty, name, statement),
        keys=(record.key,) if record.key else (),
        names=() if statement.linked_later else names_of(record, statement.mentions, statement.identifiers),
        backlog=bool(session.extraction),
        marks=marks_of(empty, record, statement.provenance),
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
    """Link a new record to what it speaks of, unless a job is to do that."""
    if name in draft.records and not statement.linked_later:
        record, traced = draft.records[name], statement.provenance
        for ambiguous in link(draft, record, traced, statement.mentions, statement.identifiers):
            outcome.notes.append(f"{ambiguous!r} names several entities; no mention was linked")


def remember(session: Session, statement: Statement, *, dry_run: bool = False) -> Written:
    """Assert a record, or conclude it from others, as far as admission lets it in."""
    return keep(session, "remember", let_in(session, statement), dry_run=dry_run)


def let_in(session: Session, statement: Statement) -> Admitted:
    """The statement as it will be kept: as admission says, and as a claim where it is an echo. Raises InvalidInput, and
    NotPermitted for what admission refuses."""
    admitted = admit(session, prepare(statement, session.clock.now(), identify=False))
    if admitted.skipped:
        return admitted
    statement = admitted.statement
    origins = _origins(session, statement)
    statement = as_echo(session, statement, origins) if origins else statement
    later = EXTRACT in session.extraction and not statement.mentions and not admitted.by and _is_raw(statement)
    identifiers = () if later else exact_terms(statement.record.text)
    return replace(admitted, statement=replace(statement, linked_later=later, identifiers=identifiers), echoes=origins)


def _is_raw(statement: Statement) -> bool:
    return not statement.because and is_material(statement.record, statement.provenance)


def keep(session: Session, verb: str, admitted: Admitted, *, dry_run: bool = False) -> Written:
    """Store what was admitted; what a person has to look at first is blocked in the same commit."""
    if admitted.skipped:
        return skipped(verb, admitted)
    outcome = Outcome()

    def plan(draft: Draft) -> str:
        return _place(draft, session, admitted, outcome)

    return _run(session, verb, wanted_for(session, admitted.statement), plan, outcome, dry_run=dry_run)


def keep_together(session: Session, admitted: Sequence[Admitted]) -> list[Written]:
    """Store several statements that were admitted in one commit: all of them or, when one is refused, none."""
    outcomes = [Outcome() for _ in admitted]

    def plan(draft: Draft) -> list[str]:
        return [_place(draft, session, one, outcome) for one, outcome in zip(admitted, outcomes, strict=True)]

    wanted = union(wanted_for(session, one.statement) for one in admitted)
    names, applied, now, changed = commit(session, "remember", wanted, plan)
    return [
        _acknowledged(name, "remember", applied, now, changed, outcome)
        for name, outcome in zip(names, outcomes, strict=True)
    ]


def skipped(verb: str, admitted: Admitted) -> Written:
    """The acknowledgement of what isn't kept."""
    verdict = admitted.verdict
    return Written("", verb, 0, False, notes=admitted.notes, outcome=verdict.outcome.value, code=verdict.code)


def _place(draft: Draft, session: Session, admitted: Admitted, outcome: Outcome) -> str:
    """Plan one admitted statement, with the work that it leaves; what waits for a person leaves none yet."""
    outcome.again(admitted.notes)
    if draft.held:
        follow(session, draft, admitted.statement)
    name = state(draft, admitted.statement, outcome)
    outcome.verdict = _carried_out(draft, name, admitted)
    if not admitted.by:
        enqueue(draft, session, name, admitted.statement, outcome)
    return name


def _carried_out(draft: Draft, name: str, admitted: Admitted) -> admission.Verdict:
    """The verdict after it met what was there: a record that was approved before stays in, and nothing else does."""
    if admitted.by and not verbs.quarantine(draft, name, admitted.by) and draft.get(name).block is None:
        return replace(admitted.verdict, outcome=admission.Outcome.STORED, code="kept-before")
    return admitted.verdict


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


def enqueue(draft: Draft, session: Session, name: str, statement: Statement, outcome: Outcome) -> None:
    """Leave the session's jobs for a record that the draft makes of raw material; what was said before has had them."""
    if name in draft.records and _is_raw(statement):
        leave_jobs(draft, session, draft.records[name], statement.provenance, outcome)


def leave_jobs(draft: Draft, session: Session, record: Record, provenance: Provenance, outcome: Outcome) -> None:
    """Leave the session's jobs for a raw record, or put them off when the queue is full."""
    for kind in session.extraction:
        full = draft.snapshot.backlog + len(draft.jobs) >= session.bound
        key = draft.snapshot.identity_key
        job = new_job(kind, record, provenance, identity_key=key, deferred=full, now=draft.at)
        if job.id not in draft.jobs:
            draft.jobs[job.id] = job
            outcome.deferred = outcome.deferred or full
    if outcome.deferred:
        outcome.notes.append(f"the queue is full: {record.id} is kept, and worked on later")


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


def as_echo(session: Session, statement: Statement, origins: tuple[str, ...]) -> Statement:
    """The statement as the writer's claim that rests on what it repeats; on nothing when it repeats that very claim."""
    claim = replace(statement, record=replace(statement.record, role=Role.CLAIM))
    empty = facts.empty_snapshot(session.tenant, session.store.identity_key)
    itself = facts.record_id(empty, claim.record, claim.provenance)
    because = tuple(name for name in origins if name != itself)
    return replace(claim, because=because, informant=echo.INFORMANT if because else claim.informant)


def supersede(
    session: Session,
    old: str,
    statement: Statement,
    *,
    how: str,
    expected_version: int | None,
    dry_run: bool = False,
) -> Written:
    """Put a new record at the head of the old one's key. One that a person has to look at first takes no place: it is
    kept beside the old one, out of sight."""
    statement = prepare(statement, session.clock.now())
    outcome = Outcome()
    held = session.store.load(session.tenant, Wanted(records=(old,))).records.get(old)
    record = replace(_successor(statement.record, held, how), key=held.record.key if held else None)
    admitted = admit(session, replace(statement, record=record))
    if admitted.by or admitted.skipped:
        return keep(session, "supersede", admitted, dry_run=dry_run)
    statement = admitted.statement
    named = replace(statement, record=replace(statement.record, supersedes=old))
    wanted = wanted_for(session, named)
    wanted = replace(wanted, records=(old, *wanted.records))

    def plan(draft: Draft) -> str:
        outcome.again(admitted.notes)
        outcome.verdict = admitted.verdict
        draft.override = statement.override
        follow(session, draft, named)
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
    return _acknowledged(name, verb, applied, now, changed, outcome)


def _acknowledged(name: str, verb: str, applied: Applied, now: int, changed: bool, outcome: Outcome) -> Written:
    done = acknowledge(name, verb, applied, now, changed, tuple(outcome.notes), partial=outcome.deferred)
    verdict = outcome.verdict
    return replace(done, outcome=verdict.outcome.value, code=verdict.code) if verdict else done
