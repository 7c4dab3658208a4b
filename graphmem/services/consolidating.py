"""Consolidation as a use case: what is believed about some keys becomes one justified summary. Lives here: reading the
evidence, and writing the summary or the refused draft. Lives elsewhere: the checks (core.consolidation)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from graphmem.core import verbs
from graphmem.core.authority import Authority
from graphmem.core.belief import believe
from graphmem.core.changes import Draft
from graphmem.core.consolidation import (
    INFORMANT,
    Evidence,
    Refusal,
    SummaryDraft,
    extract,
    inherited,
    inherited_policy,
    inherited_sensitivity,
    observed,
    refusal,
)
from graphmem.core.errors import InvalidInput, NotFound
from graphmem.core.provenance import Method, Provenance, own_locator
from graphmem.core.records import Key, Kind, Record, Role
from graphmem.core.views import View, Wanted
from graphmem.ports.drafter import Drafter
from graphmem.ports.store import Store
from graphmem.services import writing
from graphmem.services.committing import Session, Written, acknowledge, commit
from graphmem.services.writing import Outcome, Statement

KEPT_REFUSED = "refused draft"


@dataclass(frozen=True, slots=True)
class Consolidated:
    """What became of a consolidation: the draft, why it was refused (None: it stands as a summary), the write, and the
    observations that it was drawn from."""

    draft: SummaryDraft
    refused: Refusal | None
    written: Written
    evidence: tuple[str, ...]


def consolidate(
    session: Session,
    view: View,
    authority: Authority,
    keys: Collection[Key],
    into: Key | None = None,
    *,
    drafter: Drafter | None = None,
    dry_run: bool = False,
) -> Consolidated:
    """Summarise what is believed about the keys, as a record of the key `into` (default: the sole key).

    A draft that fails a check is kept as rejected, out of every answer, with the reason. Raises NotFound when nothing
    that was seen speaks to a key, InvalidInput without keys, for several keys without `into`, and for inputs that no
    one policy covers.
    """
    asked = sorted(set(keys))
    if not asked or (into is None and len(asked) > 1):
        raise InvalidInput("a summary needs a key of its own", hint="name one key, or several and --into KEY")
    evidence = read_evidence(session.store, view, authority, asked)
    draft = drafter.draft(evidence) if drafter else extract(evidence)
    found = session.store.find(view, draft.cites)
    refused = refusal(draft, evidence, {name: f.record.role for name, f in found.items()})
    informant = drafter.name if drafter else INFORMANT
    statement = _statement(session, evidence, draft, into or asked[0], informant)
    if refused is not None:
        statement = _as_refused(statement, draft)
    written = _write(session, statement, refused, dry_run=dry_run)
    return Consolidated(draft, refused, written, statement.because)


def read_evidence(store: Store, view: View, authority: Authority, keys: Collection[Key]) -> Evidence:
    """The belief about each key, and the strongest observation that it has. Raises NotFound for a key without one."""
    said = store.candidates(view, keys)
    weighed = {key: authority.weigh(said.get(key, ())) for key in keys}
    seen = {key: believe(key, observed(candidates)).winner for key, candidates in weighed.items()}
    for key, winner in seen.items():
        if winner is None:
            raise NotFound(f"nothing that was seen speaks to {key}", hint=f"see: graphmem believe '{key}'")
    return Evidence(
        {key: believe(key, candidates) for key, candidates in weighed.items()},
        {key: winner for key, winner in seen.items() if winner is not None},
    )


def _statement(session: Session, evidence: Evidence, draft: SummaryDraft, key: Key, informant: str) -> Statement:
    """The summary with all that it inherits from what it was drawn from, whether the draft cites that or not."""
    won = evidence.winners
    records = [w.record for w in won]
    held = session.store.load(session.tenant, Wanted(records=tuple(r.id for r in records))).records
    sources = [a.provenance for name in sorted(held) for a in held[name].live]
    record = Record(
        id="",
        tenant=session.tenant,
        role=Role.SUMMARY,
        text=draft.text,
        kind=Kind.SEMANTIC,
        key=key,
        value=draft.value,
        observed_at=max(w.observed_at for w in won),
        authority=min(w.authority for w in won),
        policy=inherited_policy(r.policy for r in records),
        sensitivity=inherited_sensitivity(r.sensitivity for r in records),
        retention=inherited(r.retention for r in records) or "standard",
    )
    provenance = Provenance(
        source_kind=INFORMANT,
        locator=own_locator(session.writer),
        writer=session.writer,
        method=Method.DERIVED,
        captured_at=0,
        subject=inherited(p.subject for p in sources),
        owner=inherited(p.owner for p in sources),
        scope=inherited(p.scope for p in sources),
        consent=inherited(p.consent for p in sources),
        extractor=informant,
    )
    because = tuple(sorted(r.id for r in records))
    return Statement(record, provenance, because=because, informant=informant)


def _as_refused(statement: Statement, draft: SummaryDraft) -> Statement:
    """A refused draft as it is kept: under no key and without a value, so that it speaks to nothing."""
    record = statement.record
    kept = Record(
        id="",
        tenant=record.tenant,
        role=Role.INFERENCE,
        text=draft.text if draft.text.strip() else f"empty draft for {record.key}",
        kind=record.kind,
        observed_at=record.observed_at,
        policy=record.policy,
        sensitivity=record.sensitivity,
        retention=record.retention,
        evidence_status=KEPT_REFUSED,
    )
    return Statement(kept, statement.provenance, because=statement.because, informant=statement.informant)


def _write(session: Session, statement: Statement, refused: Refusal | None, *, dry_run: bool) -> Written:
    statement = writing.prepare(statement, session.clock.now())
    outcome = Outcome()

    def plan(draft: Draft) -> str:
        outcome.notes.clear()
        name = writing.state(draft, statement, outcome)
        if refused is not None:
            verbs.reject(draft, name, f"{INFORMANT}:{refused.code}")
        return name

    name, applied, now, changed = commit(
        session, "consolidate", writing.wanted_for(session, statement), plan, dry_run=dry_run
    )
    notes = (*outcome.notes, *((f"refused: {refused}",) if refused else ()))
    return acknowledge(name, "consolidate", applied, now, changed, notes)
