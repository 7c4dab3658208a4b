"""Extraction as a use case: what an extractor finds in a stretch of a record, ready to be installed. Lives here: the
reads, running the extractor, and what the installing plan must see. Lives elsewhere: the rules (core.facts,
core.installing), when it is done and how far it has come (the queue)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from graphmem.core.changes import Draft, empty_snapshot
from graphmem.core.facts import Checked, Extracted, Hints, Place, Sort, checked
from graphmem.core.installing import install, names_in, turn_id
from graphmem.core.phrases import phrases
from graphmem.core.records import entity_id
from graphmem.core.views import Held, Joint, Wanted
from graphmem.ports.extractor import Extractor
from graphmem.services.committing import Session

Plan = Callable[[Draft], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of a record's text, in characters: `fresh` is where the part begins that wasn't looked at before."""

    start: int
    fresh: int
    end: int

    @property
    def place(self) -> Place:
        return Place(self.start, self.end)


def installing(session: Session, extractor: Extractor, held: Held, stretch: Stretch) -> tuple[Wanted, Plan]:
    """What a commit must see, and the plan that installs what was found in a stretch of a record; the plan returns the
    names that are ambiguous. Doing it again installs nothing new. Raises ProviderError when the extractor fails."""
    found = look(session, extractor, held, stretch).found
    names = names_in(found)

    def plan(draft: Draft) -> tuple[str, ...]:
        return install(draft, held.record.id, found, extractor.tool)

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
    return _wanted(trial, names), plan


def _wanted(trial: Draft, names: tuple[str, ...]) -> Wanted:
    """What the facts of a trial touch."""
    return Wanted(
        records=tuple(sorted(trial.read)),
        justifications=tuple(sorted(trial.links)),
        keys=tuple(sorted(trial.read_keys)),
        names=names,
        graph=tuple(sorted(trial.entities)),
        edges=tuple(Joint(e.id, e.source, e.target) for e in trial.edges.values()),
    )


def look(session: Session, extractor: Extractor, held: Held, stretch: Stretch) -> Checked:
    """What stands of what an extractor finds in the part of a stretch that wasn't looked at before."""
    text, observed_at = held.record.text, held.record.observed_at
    known = _known(session, stretch.place.of(text))
    whole = checked(extractor.extract(text, stretch.place, Hints(observed_at, known)), text, observed_at)
    found = whole.found
    fresh = Extracted(
        mentions=tuple(m for m in found.mentions if m.place.end > stretch.fresh),
        statements=tuple(s for s in found.statements if s.place.end > stretch.fresh),
        relations=tuple(r for r in found.relations if r.place.end > stretch.fresh),
        turns=tuple(t for t in found.turns if stretch.fresh <= t.place.start < stretch.end),
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
