"""Consent as a use case: records of what a person agreed to, their withdrawal, and the deletion that it starts. Lives
here: them. Lives elsewhere: the check that asks for a consent (core.admission), the deletion (services.forgetting).

A consent is an observation under the key PERSON#consent@PURPOSE; a withdrawal takes its place, so its history stays
until the person asks to be forgotten.
"""

from __future__ import annotations

from dataclasses import dataclass

from graphmem.core.auditing import Sought
from graphmem.core.errors import InvalidInput, NotFound
from graphmem.core.provenance import CONSENT, Method, Provenance
from graphmem.core.records import Key, Kind, Record, Role, canonical
from graphmem.core.views import Wanted
from graphmem.services import forgetting, writing
from graphmem.services.admitting import GIVEN, WITHDRAWN, consent_of
from graphmem.services.committing import Session, Written
from graphmem.services.forgetting import Chosen, Forgotten
from graphmem.services.writing import Statement


@dataclass(frozen=True, slots=True)
class Consent:
    """What a person agreed to, or withdrew: for what, since when (microseconds), and the record that says so."""

    subject: str
    purpose: str
    given: bool
    since: int
    record: str


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """A consent that was withdrawn, and the deletion of what had been kept under it (None where nothing had)."""

    purpose: str
    written: Written
    forgotten: Forgotten | None


def key_of(subject: str, purpose: str) -> Key:
    """The key of a person's consent to a purpose. Raises InvalidInput for an empty one."""
    if not subject.strip() or not purpose.strip():
        raise InvalidInput("a consent is a person's, to a purpose", hint="name both")
    return Key(subject.strip(), CONSENT, purpose.strip())


def give(session: Session, subject: str, purpose: str, reason: str) -> Written:
    """Record that a person agreed to a purpose; again after a withdrawal, as the next in its chain."""
    key = key_of(subject, purpose)
    held = consent_of(session, key)
    if held is None or held.record.value == canonical(GIVEN):
        return writing.remember(session, _statement(session, key, GIVEN, reason))
    statement = _statement(session, key, GIVEN, reason)
    return writing.supersede(session, held.record.id, statement, how="change", expected_version=None)


def withdraw(session: Session, subject: str, purpose: str, reason: str, *, dry_run: bool = False) -> Withdrawal:
    """Record that a person withdrew a consent, and erase what was kept about them under it.

    Raises NotFound where no such consent stands.
    """
    key = key_of(subject, purpose)
    held = consent_of(session, key)
    if held is None or held.record.value != canonical(GIVEN):
        raise NotFound(f"no consent of that person to {purpose!r} stands", hint="see: graphmem consent list")
    statement = _statement(session, key, WITHDRAWN, reason)
    written = writing.supersede(
        session, held.record.id, statement, how="change", expected_version=None, dry_run=dry_run
    )
    under = _kept_under(session, key)
    if not under:
        return Withdrawal(purpose, written, None)
    because = f"consent to {purpose} was withdrawn" + (f": {reason}" if reason else "")
    return Withdrawal(purpose, written, forgetting.forget(session, Chosen(ids=under), because, dry_run=dry_run))


def withdraw_all(
    session: Session, subject: str, purpose: str, reason: str, *, dry_run: bool = False
) -> tuple[Withdrawal, ...]:
    """Withdraw one consent of a person, or without a purpose each that stands. Raises NotFound where none does."""
    purposes = (purpose,) if purpose else tuple(c.purpose for c in consents(session, subject) if c.given)
    if not purposes:
        raise NotFound("no consent of that person stands", hint="see: graphmem consent list")
    return tuple(withdraw(session, subject, each, reason, dry_run=dry_run) for each in purposes)


def consents(session: Session, subject: str = "") -> tuple[Consent, ...]:
    """The consents that were given or withdrawn, of one person or of all, by person and purpose."""
    entries = forgetting.brought(session, Sought(source=CONSENT, subject=subject))
    names = {e.names[0] for e in entries if e.kind == "assertion"}
    held = session.store.load(session.tenant, Wanted(records=tuple(sorted(names)))).records.values()
    keys = tuple(sorted({h.record.key for h in held if h.record.key is not None}))
    heads = session.store.load(session.tenant, Wanted(keys=keys)).heads
    by_id = {h.record.id: h.record for h in held}
    found = [by_id[heads[key].record] for key in keys if key in heads and heads[key].record in by_id]
    return tuple(
        Consent(r.key.entity, r.key.scope, r.value == canonical(GIVEN), r.observed_at, r.id) for r in found if r.key
    )


def _statement(session: Session, key: Key, value: str, reason: str) -> Statement:
    text = f"{key.entity} has {value} consent to {key.scope}." + (f" {reason}" if reason else "")
    record = Record(
        id="",
        tenant=session.tenant,
        role=Role.OBSERVATION,
        text=text,
        kind=Kind.PROCEDURAL,
        key=key,
        value=canonical(value),
    )
    return Statement(
        record, Provenance(CONSENT, CONSENT, session.writer, Method.ASSERTED, 0, subject=key.entity, scope=key.scope)
    )


def _kept_under(session: Session, key: Key) -> tuple[str, ...]:
    """The records about a person that name a consent as what they rest on."""
    entries = forgetting.brought(session, Sought(subject=key.entity))
    return tuple(sorted({e.names[0] for e in entries if e.kind != "edge" and e.provenance.consent == key.scope}))
