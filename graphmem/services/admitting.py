"""Admission carried out: a statement is cleaned of credentials, judged, and changed as its verdict says. Lives here:
which parts of a statement are looked at, and what a verdict does to it. Lives elsewhere: the checks (core.admission),
planning and committing (services.writing)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from graphmem.core.admission import BLOCKING, Outcome, Proposal, Verdict, credentials_told, judge
from graphmem.core.credentials import Finding, says_more, scrub
from graphmem.core.errors import NotPermitted
from graphmem.core.provenance import CONSENT, Provenance, own_locator
from graphmem.core.records import Key, Role, canonical, content_hash
from graphmem.core.views import Held, Wanted
from graphmem.ports.detector import Detector

GIVEN, WITHDRAWN = "given", "withdrawn"  # the values of a person's consent

if TYPE_CHECKING:
    from graphmem.services.committing import Session
    from graphmem.services.writing import Statement


MOST = 100  # credentials that a record may be cleaned of; one with more is a list of them


@dataclass(frozen=True, slots=True)
class Admitted:
    """A statement as it may be kept, and why; `by` is the reason for which it is kept out of sight, or empty. `echoes`
    are the records that it only repeats."""

    statement: Statement
    verdict: Verdict
    echoes: tuple[str, ...] = ()

    @property
    def skipped(self) -> bool:
        return self.verdict.outcome is Outcome.SKIPPED

    @property
    def by(self) -> str:
        return self.verdict.code if self.verdict.outcome in BLOCKING else ""

    @property
    def notes(self) -> tuple[str, ...]:
        """What people are told of it."""
        removed = (f"credential removed: {kind}" for kind in self.verdict.removed)
        detail = (self.verdict.detail,) if self.verdict.outcome is not Outcome.STORED else ()
        rests = f"recognised as an echo: kept as a claim that rests on {', '.join(self.echoes)}"
        return (*removed, *detail, *((rests,) if self.echoes else ()))


def admit(session: Session, statement: Statement) -> Admitted:
    """Judge a prepared statement. Raises NotPermitted for one that is refused; its message names the reason, never the
    text."""
    admitted = assess(session, statement)
    if admitted.verdict.outcome is Outcome.REFUSED:
        raise refusal(admitted.verdict)
    return admitted


def refusal(verdict: Verdict) -> NotPermitted:
    """The error that says why something isn't kept."""
    return NotPermitted(
        f"refused ({verdict.code}): {verdict.detail}", hint="see what decided it with: graphmem admission check"
    )


def assess(session: Session, statement: Statement) -> Admitted:
    """The statement as it would be kept, and the verdict on it; nothing is raised or written."""
    clean, removed, left = without_credentials(session.detector, statement)
    verdict = judge(_proposal(session, clean, removed, left), session.admission)
    if verdict.outcome is Outcome.HYPOTHESIS:
        record = replace(
            clean.record, role=Role.INFERENCE, evidence_status=clean.record.evidence_status or "hypothesis"
        )
        clean = replace(clean, record=record)
    return Admitted(clean, verdict)


def cleaned(detector: Detector, statement: Statement) -> Statement:
    """The statement without its credentials. Raises NotPermitted when it says nothing else."""
    clean, removed, left = without_credentials(detector, statement)
    if left:
        return clean
    raise refusal(Verdict(Outcome.REFUSED, "credential", "credentials", removed, credentials_told(removed)))


def without_credentials(detector: Detector, statement: Statement) -> tuple[Statement, tuple[str, ...], bool]:
    """The statement with a marker in the place of each credential, the types of those, and whether it still says
    something."""
    findings = detector.find("\n".join(_texts(statement)))
    if not findings:
        return statement, (), True
    types = tuple(sorted({f.type for f in findings}))
    if len(findings) > MOST:
        return statement, types, False
    clean = _scrubbed(statement, findings)
    in_key = clean.record.key != statement.record.key
    left = says_more(clean.record.text) and not in_key
    return clean, types, left


def _texts(statement: Statement) -> Iterator[str]:
    """Every part of a statement that may hold a credential; a value and a condition are read with their names, since a
    name such as `password` tells what follows it."""
    record, provenance = statement.record, statement.provenance
    yield record.text
    if record.key is not None:
        yield str(record.key)
    name = record.key.attribute if record.key else "value"
    if record.value is not None:
        yield from (f"{name}: {said}" for name, said in _strings(name, json.loads(record.value)))
    yield from (f"{name}: {value}" for name, value in provenance.conditions)
    details = (provenance.locator, provenance.revision, provenance.subject, provenance.owner, provenance.consent)
    yield from filter(None, (record.context, provenance.scope, *details, *statement.mentions))


def _strings(name: str, value: Any) -> Iterator[tuple[str, str]]:
    """The texts within a JSON value, each with the name that it stands under."""
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, dict):
        yield from (pair for key, part in value.items() for pair in ((key, key), *_strings(key, part)))
    elif isinstance(value, list):
        yield from (pair for part in value for pair in _strings(name, part))


def _scrubbed(statement: Statement, findings: Iterable[Finding]) -> Statement:
    findings = tuple(findings)

    def clean(text: str) -> str:
        return scrub(text, findings)

    record, provenance = statement.record, statement.provenance
    text = clean(record.text)
    key = record.key and replace(
        record.key,
        entity=clean(record.key.entity),
        attribute=clean(record.key.attribute),
        scope=clean(record.key.scope),
    )
    value = None if record.value is None else canonical(_mapped(json.loads(record.value), clean))
    return replace(
        statement,
        record=replace(record, text=text, key=key, value=value, context=clean(record.context)),
        provenance=replace(
            provenance,
            content_hash=provenance.content_hash if text == record.text else content_hash(text),
            locator=clean(provenance.locator),
            revision=clean(provenance.revision),
            subject=clean(provenance.subject),
            owner=clean(provenance.owner),
            consent=clean(provenance.consent),
            scope=clean(provenance.scope),
            conditions=tuple((clean(name), clean(said)) for name, said in provenance.conditions),
        ),
        mentions=tuple(map(clean, statement.mentions)),
    )


def _mapped(value: Any, clean: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(key): _mapped(part, clean) for key, part in value.items()}
    return [_mapped(part, clean) for part in value] if isinstance(value, list) else value


def consent_of(session: Session, key: Key) -> Held | None:
    """The record that stands at the head of a person's consent to a purpose."""
    head = session.store.load(session.tenant, Wanted(keys=(key,))).heads.get(key)
    if head is None:
        return None
    return session.store.load(session.tenant, Wanted(records=(head.record,))).records.get(head.record)


def _withdrawn(session: Session, provenance: Provenance) -> bool:
    """Whether a person withdrew the consent that a statement about them names; one that nobody recorded stands."""
    if not (provenance.subject and provenance.consent):
        return False
    held = consent_of(session, Key(provenance.subject, CONSENT, provenance.consent))
    return held is not None and held.record.value == canonical(WITHDRAWN)


def _proposal(session: Session, statement: Statement, removed: tuple[str, ...], left: bool) -> Proposal:
    record, provenance = statement.record, statement.provenance
    return Proposal(
        text=record.text,
        writer=session.writer,
        tenant=session.tenant,
        role=record.role,
        kind=record.kind.value,
        key=str(record.key or ""),
        value=record.value,
        subject=provenance.subject,
        owner=provenance.owner,
        scope=provenance.scope,
        consent=provenance.consent,
        purpose=statement.purpose,
        source="" if provenance.locator == own_locator(session.writer) else provenance.locator,
        source_kind=provenance.source_kind,
        sensitivity=record.sensitivity,
        because=statement.because,
        metadata=dict(provenance.conditions),
        removed=removed,
        says_more=left,
        consent_withdrawn=_withdrawn(session, provenance),
    )
