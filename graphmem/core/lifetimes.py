"""What became of records, commit by commit. Lives here: a record's life as a store tells it, who spoke for a key after
each commit, and what a write that isn't made yet will change of that. Lives elsewhere: reading lives (the stores),
the belief rule (core.belief)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, Generic, NamedTuple, TypeVar

from graphmem.core.authority import Authority
from graphmem.core.belief import Belief, Candidate, Voice, believe, candidate
from graphmem.core.changes import ChangeSet, LabelChange
from graphmem.core.labels import Label, Level, Segment, segment_at
from graphmem.core.records import BELIEVABLE, Assertion, Block, BlockKind, Justification, Key, Record

T = TypeVar("T")
ONGOING = 2**63 - 1  # the commit that ends what hasn't ended


class Kept(NamedTuple, Generic[T]):
    """A fact with the commit that brought it and the one that ended it."""

    value: T
    start: int
    end: int = ONGOING

    def at(self, commit: int) -> bool:
        return self.start <= commit < self.end


@dataclass(frozen=True, slots=True)
class Commit:
    """One write: its number, its time in microseconds, who wrote and by which verb."""

    k: int
    at: int
    writer: str
    verb: str


@dataclass(frozen=True, slots=True)
class Life:
    """A record from the commit that brought it on: its assertions, blocks, stretches of label, and the justifications
    that conclude it."""

    record: Record
    born: int
    assertions: tuple[Kept[Assertion], ...] = ()
    blocks: tuple[Kept[Block], ...] = ()
    stretches: tuple[Kept[Segment], ...] = ()
    links: tuple[Kept[Justification], ...] = ()

    def label(self, commit: int) -> Label:
        return tuple(sorted((s.value for s in self.stretches if s.at(commit)), key=lambda s: s.start))

    def commits(self) -> Iterator[int]:
        """The commits that changed anything of it."""
        yield self.born
        facts: tuple[tuple[Kept[Any], ...], ...] = (self.assertions, self.blocks, self.stretches, self.links)
        for kept in chain.from_iterable(facts):
            yield from (k for k in (kept.start, kept.end) if k != ONGOING)


@dataclass(frozen=True, slots=True)
class History:
    """Lives by record id, the commits that they name, and the last commit that was read."""

    lives: Mapping[str, Life]
    commits: Mapping[int, Commit]
    known: int


class Event(NamedTuple):
    """What one commit did to a record. `detail` names an assertion's source, a justification or a block's author;
    levels are those at the asked valid time."""

    commit: int
    record: str
    what: str
    detail: str = ""


class Ending(NamedTuple):
    """What ended a record: deleted, rejected or corrected (by whom), retracted (the last source), or superseded-by."""

    how: str
    commit: int
    by: str


@dataclass(frozen=True, slots=True)
class Said:
    """Who speaks for a key: the record and its value, and the records that say otherwise, strongest first."""

    record: str = ""
    value: str | None = None
    contested: tuple[str, ...] = ()


class Turn(NamedTuple):
    """The belief for a key before and after something; `commit` is what turned it, 0 for what isn't committed."""

    key: Key
    before: Said
    after: Said
    commit: int = 0


@dataclass
class _Standing:
    """A record as the belief rule sees it after a write: the overlay of an impact."""

    record: Record
    born: int
    label: Label
    live: dict[str, Assertion] = field(default_factory=dict)


def said(belief: Belief) -> Said:
    """A belief without what it was decided by."""
    if belief.winner is None:
        return Said()
    winner = belief.winner.record
    return Said(winner.id, winner.value, tuple(c.record.id for c in belief.contested))


def spoken(key: Key, lives: Iterable[Life], at: int, commit: int, authority: Authority) -> Said:
    """Who spoke for a key at a valid time, as a commit knew it and an authority weighs it."""
    return _spoken(key, (_standing(life, commit) for life in lives if life.born <= commit), at, authority)


def _standing(life: Life, commit: int) -> _Standing:
    live = {a.value.id: a.value for a in life.assertions if a.at(commit)}
    return _Standing(life.record, life.born, life.label(commit), live)


def _spoken(key: Key, standings: Iterable[_Standing], at: int, authority: Authority) -> Said:
    candidates = (_candidate(s, at) for s in standings if s.record.key == key)
    return said(believe(key, authority.weigh(c for c in candidates if c is not None)))


def _candidate(standing: _Standing, at: int) -> Candidate | None:
    record = standing.record
    segment = segment_at(standing.label, at)
    if segment is None or segment.level < Level.GROUNDED or record.role not in BELIEVABLE:
        return None
    said_by = ((a.provenance, a) for a in standing.live.values())
    voices = (Voice(p.locator, p.source_kind, a.authority, a.observed_at) for p, a in said_by)
    return candidate(record, voices, standing.born, "")


def turns(history: History, key: Key, at: int, authority: Authority) -> tuple[Turn, ...]:
    """Each commit that changed who speaks for a key, in order."""
    lives = [life for life in history.lives.values() if life.record.key == key]
    found: list[Turn] = []
    before = Said()
    for commit in sorted({k for life in lives for k in life.commits() if k <= history.known}):
        after = spoken(key, lives, at, commit, authority)
        if after != before:
            found.append(Turn(key, before, after, commit))
        before = after
    return tuple(found)


def keys_of(history: History, changes: ChangeSet) -> tuple[Key, ...]:
    """The keys whose belief a write may touch, sorted."""
    records = [*changes.records, *(life.record for life in history.lives.values())]
    return tuple(sorted({r.key for r in records if r.key is not None}))


def foreseen(
    history: History,
    keys: Iterable[Key],
    changes: ChangeSet,
    moved: Iterable[LabelChange],
    at: int,
    authority: Authority,
) -> tuple[Turn, ...]:
    """The beliefs at a valid time that a write will change, by key: what the rule says before and after it."""
    before = {name: _standing(life, history.known) for name, life in history.lives.items()}
    after = {name: replace(standing, live=dict(standing.live)) for name, standing in before.items()}
    for record in changes.records:
        after.setdefault(record.id, _Standing(record, history.known + 1, ()))
    for change in moved:
        if change.record in after:
            after[change.record].label = change.after
    for standing in after.values():
        for name in changes.withdrawn_assertions:
            standing.live.pop(name, None)
    for assertion in changes.assertions:
        if assertion.record in after:
            after[assertion.record].live[assertion.id] = assertion
    turned = (
        Turn(k, _spoken(k, before.values(), at, authority), _spoken(k, after.values(), at, authority))
        for k in sorted(keys)
    )
    return tuple(turn for turn in turned if turn.before != turn.after)


def ending(history: History, name: str) -> Ending | None:
    """What ended a record as of the last commit that was read; the first of the reasons that applies."""
    life = history.lives[name]
    block = next((b for b in life.blocks if b.at(history.known)), None)
    if block is not None:
        return Ending(block.value.kind.value, block.start, block.value.by)
    if life.assertions and not any(a.at(history.known) for a in life.assertions):
        last = max(life.assertions, key=lambda a: a.end)
        return Ending("retracted", last.end, last.value.provenance.locator)
    successors = (s for s in history.lives.values() if s.record.supersedes == name)
    first = min(successors, key=lambda s: (s.born, s.record.id), default=None)
    return Ending("superseded-by", first.born, first.record.id) if first else None


def events(life: Life, at: int, known: int) -> tuple[Event, ...]:
    """Everything that happened to a record, by commit; of one commit, facts come before the level that followed."""
    name = life.record.id
    found = [Event(life.born, name, "recorded", life.record.supersedes)]
    for a in life.assertions:
        found += _span(a, name, "asserted", "withdrawn", a.value.provenance.locator)
    for j in life.links:
        found += _span(j, name, "justified", "justification-withdrawn", j.value.id)
    for b in life.blocks:
        lifted = "unrejected" if b.value.kind is BlockKind.REJECTED else "unblocked"
        found += _span(b, name, b.value.kind.value, lifted, b.value.by)
    level = Level.OUT
    for commit in sorted({k for s in life.stretches for k in (s.start, s.end) if k <= known}):
        segment = segment_at(life.label(commit), at)
        now = Level(segment.level) if segment else Level.OUT
        if now != level:
            found.append(Event(commit, name, f"now-{now.name}"))
        level = now
    return tuple(sorted(found, key=lambda e: (e.commit, e.what.startswith("now-"))))


def _span(kept: Kept[T], record: str, begun: str, ended: str, detail: str) -> Iterator[Event]:
    yield Event(kept.start, record, begun, detail)
    if kept.end != ONGOING:
        yield Event(kept.end, record, ended, detail)
