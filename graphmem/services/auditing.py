"""What changed, what became of something and what came from where, as use cases. Lives here: diff, history, audit and
the beliefs that a write will change. Lives elsewhere: the rules (core.lifetimes, core.auditing), the reads (the
store)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from graphmem.core.auditing import Audited, Moved, Sought, parse_place
from graphmem.core.authority import Authority
from graphmem.core.belief import believe
from graphmem.core.changes import Applied, ChangeSet
from graphmem.core.errors import InvalidInput, NotFound
from graphmem.core.lifetimes import Ending, Event, History, Turn, ending, events, foreseen, keys_of, said, turns
from graphmem.core.records import Key, Record
from graphmem.core.views import View
from graphmem.ports.store import Store

COUNTED = 10_000  # records that one diff looks at; more make it partial
WAYS = ("fell", "rose", "shifted", "restated")


@dataclass(frozen=True, slots=True)
class Diff:
    """What changed after the commit `since` up to `until`: counts of all by way (at the valid time `at`), and a page of
    records, with the beliefs of their keys. `next` goes on after the page, empty at the end; `partial` when counts or
    page are cut."""

    since: int
    until: int
    at: int
    counts: Mapping[str, int]
    moved: tuple[Moved, ...]
    turns: tuple[Turn, ...]
    records: Mapping[str, Record]
    next: str
    partial: bool


@dataclass(frozen=True, slots=True)
class Story:
    """What happened to a record, or to all records of a key: events by commit, what ended each record, and for a key
    each change of belief at the asked valid time. `partial` when there are more events."""

    subject: str
    history: History
    events: tuple[Event, ...]
    endings: Mapping[str, Ending]
    turns: tuple[Turn, ...]
    partial: bool


@dataclass(frozen=True, slots=True)
class Audit:
    """What an audit asked and found; `next` goes on after the page, empty at the end."""

    sought: Sought
    found: Audited
    next: str

    @property
    def partial(self) -> bool:
        return self.found.more or self.found.reach_cut


def _bounded(limit: int) -> None:
    if limit < 1:
        raise InvalidInput(f"a page of {limit}", hint="ask for at least 1")


def diff(store: Store, view: View, since: int, after: str, limit: int, authority: Authority) -> Diff:
    """Labels and beliefs that changed between a commit and the view's known time. Raises InvalidInput."""
    _bounded(limit)
    found = store.moved(view, since, COUNTED + 1)
    cut = len(found) > COUNTED
    told = [m for m in found[:COUNTED] if m.key is not None or m.way(view.at) != "restated"]
    counts = {way: sum(m.way(view.at) == way for m in told) for way in WAYS}
    rest = [m for m in told if m.record > after]
    page = tuple(rest[:limit])
    more = len(rest) > limit
    keys = sorted({m.key for m in page if m.key is not None})
    history = store.history(view, [m.record for m in page])
    return Diff(
        since,
        history.known,
        view.at,
        counts,
        page,
        _turned(store, view, since, keys, authority),
        {name: life.record for name, life in history.lives.items()},
        page[-1].record if more else "",
        more or cut,
    )


def _turned(store: Store, view: View, since: int, keys: list[Key], authority: Authority) -> tuple[Turn, ...]:
    """The keys whose belief isn't what it was."""
    if not keys:
        return ()
    views = (replace(view, known_at=since), view)
    then, now = ({k: authority.weigh(c) for k, c in store.candidates(v, keys).items()} for v in views)
    pairs = ((k, said(believe(k, then.get(k, ()))), said(believe(k, now.get(k, ())))) for k in keys)
    return tuple(Turn(k, before, after) for k, before, after in pairs if before != after)


def story_of_key(store: Store, view: View, key: Key, limit: int, authority: Authority) -> Story:
    """Everything that was ever said of a key."""
    _bounded(limit)
    history = store.history(view, (), [key])
    return _story(str(key), history, view, history.lives, turns(history, key, view.at, authority), limit)


def story_of_record(store: Store, view: View, record: str, limit: int) -> Story:
    """Everything that happened to a record. Raises NotFound for an id that the view doesn't allow."""
    _bounded(limit)
    history = store.history(view, [record])
    if record not in history.lives:
        raise NotFound(f"no record {record}", hint="ids come from recall and export")
    key = history.lives[record].record.key
    beside = store.history(view, (), [key]) if key else history  # what superseded it is among them
    found = _story(record, beside, view, [record], (), limit)
    return replace(found, history=history)


def _story(
    subject: str, history: History, view: View, names: Collection[str], turned: tuple[Turn, ...], limit: int
) -> Story:
    every = [e for name in names for e in events(history.lives[name], view.at, history.known)]
    every.sort(key=lambda e: (e.commit, e.record))
    endings = {name: found for name in sorted(names) if (found := ending(history, name))}
    return Story(subject, history, tuple(every[:limit]), endings, turned[:limit], max(len(every), len(turned)) > limit)


def audit(store: Store, view: View, sought: Sought, after: str, limit: int) -> Audit:
    """What came from a source, about a subject, by a writer, or within some commits. Raises InvalidInput."""
    _bounded(limit)
    found = store.audit(view, sought, parse_place(after), limit)
    return Audit(sought, found, str(found.entries[-1].place) if found.more else "")


def forecast(store: Store, changes: ChangeSet, applied: Applied, authority: Authority) -> tuple[Turn, ...]:
    """The beliefs at its own time that a write will change, by the outcome of its dry run."""
    view = View(changes.tenant, changes.at)
    touched = {change.record for change in applied.moved} | changes.standings.keys()
    keys = keys_of(store.history(view, touched), changes)
    every = store.history(view, (), keys) if keys else None
    return foreseen(every, keys, changes, applied.moved, changes.at, authority) if every else ()
