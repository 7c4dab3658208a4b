"""Extraction as a use case: what an extractor finds in a stretch of a record, ready to be installed. Lives here: the
reads, running the extractor, and what the installing plan must see. Lives elsewhere: the rules (core.facts,
core.installing), when it is done and how far it has come (the queue)."""

from __future__ import annotations

from dataclasses import replace

from graphmem.core.analyzer import exact_terms
from graphmem.core.changes import Draft, empty_snapshot
from graphmem.core.facts import Checked, Extracted, Hints, Place, Sort, checked
from graphmem.core.installing import install, names_in, turn_id
from graphmem.core.jobs import Job
from graphmem.core.linking import names_of
from graphmem.core.phrases import phrases
from graphmem.core.records import entity_id
from graphmem.core.views import Joint, Wanted
from graphmem.core.windows import Window
from graphmem.ports.extractor import Extractor
from graphmem.services.committing import Session
from graphmem.services.maintaining import Handler, Installing


def handler(extractor: Extractor) -> Handler:
    """What the queue does with a new record: link it to what it speaks of, and install what the extractor finds."""

    def extract(session: Session, job: Job, window: Window, /) -> Installing:
        return installing(session, extractor, window)

    return extract


def installing(session: Session, extractor: Extractor, window: Window) -> Installing:
    """What a commit must see, and the plan that installs what was found in a window of a record; the plan returns the
    names that are ambiguous. Doing it again installs nothing new. Raises ProviderError when the extractor fails."""
    held = window.held
    found = look(session, extractor, window).found
    identifiers = exact_terms(held.record.text[window.fresh : window.end])
    names = tuple(dict.fromkeys((*names_of(held.record, (), identifiers), *names_in(found))))

    def plan(draft: Draft) -> tuple[str, ...]:
        return install(draft, held.record.id, found, extractor.tool, identifiers)

    empty = empty_snapshot(session.tenant, session.store.identity_key)
    answered = tuple(turn_id(empty, held.record, t.replies_to) for t in found.turns if t.replies_to >= 0)
    trial = Draft(
        session.store.load(session.tenant, Wanted((held.record.id, *answered), names=names)),
        at=session.clock.now(),
        writer=session.writer,
        verb="extract",
    )
    plan(trial)
    trial.read.update(answered)
    return Installing(_wanted(trial, names), plan)


def _wanted(trial: Draft, names: tuple[str, ...]) -> Wanted:
    """What the facts of a trial touch."""
    return Wanted(
        records=tuple(sorted(trial.read)),
        justifications=tuple(sorted(trial.links)),
        keys=tuple(sorted(trial.read_keys)),
        names=names,
        graph=tuple(sorted(trial.entities)),
        edges=tuple(Joint(e.id, e.source, e.target) for e in trial.edges.values()),
        marks=tuple(sorted(trial.unforgotten)),
    )


def look(session: Session, extractor: Extractor, window: Window) -> Checked:
    """What stands of what an extractor finds in the part of a window that wasn't looked at before."""
    record, place = window.held.record, Place(window.start, window.end)
    text, observed_at = record.text, record.observed_at
    known = _known(session, place.of(text))
    whole = checked(extractor.extract(text, place, Hints(observed_at, known)), text, observed_at)
    found = whole.found
    fresh = Extracted(
        mentions=tuple(m for m in found.mentions if m.place.end > window.fresh),
        statements=tuple(s for s in found.statements if s.place.end > window.fresh),
        relations=tuple(r for r in found.relations if r.place.end > window.fresh),
        turns=tuple(t for t in found.turns if window.fresh <= t.place.start < window.end),
    )
    return replace(whole, found=fresh)


def _known(session: Session, text: str) -> frozenset[str]:
    """The phrases of a text that name something in the memory. One in small letters doesn't name what only bears the
    capitalised name: a will is no Will."""
    asked = tuple(dict.fromkeys(phrase for phrase, _ in phrases(text)))
    found = session.store.load(session.tenant, Wanted(names=asked)).names
    return frozenset(name for name, ids in found.items() if not set(ids) <= _capitalised(session.tenant, name))


def _capitalised(tenant: str, name: str) -> set[str]:
    if not name.islower():
        return set()
    return {entity_id(tenant, sort.value, "", way) for sort in Sort for way in (name.capitalize(), name.title())}


def shown(extractor: Extractor, text: str, observed_at: int = 0) -> Checked:
    """What stands of what an extractor finds in a text that isn't kept."""
    whole = Place(0, len(text))
    return checked(extractor.extract(text, whole, Hints(observed_at)), text, observed_at)
