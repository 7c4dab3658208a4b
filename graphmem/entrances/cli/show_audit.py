"""The words that people read about the past. Lives here: diff, history and audit as lines and trees. Lives elsewhere:
what they tell (services.auditing)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from graphmem.core.auditing import Entry
from graphmem.core.labels import level_at
from graphmem.core.lifetimes import Event, Turn
from graphmem.core.times import format_time
from graphmem.entrances.cli import show
from graphmem.entrances.cli.blocks import Block, Line, Part, Tree, line
from graphmem.services.auditing import Audit, Diff, Story

STYLES = {"fell": "bad", "rose": "good"}


def diff(found: Diff) -> Iterator[Block]:
    """Counts, then each record with the way it went, then beliefs."""
    yield line(Part(f"commit {found.since} to {found.until}", "head"))
    yield from show.counted("records", {way: n for way, n in found.counts.items() if n})
    for m in found.moved:
        way = m.way(found.at)
        levels = f" {_level(level_at(m.before, found.at))} -> {_level(level_at(m.after, found.at))}: "
        yield line(Part(way, STYLES.get(way, "")), levels, *show.record_line(m.record, found.records[m.record]).parts)
    yield from turns(found.turns)
    yield from _more(found.next, found.partial)


def _level(level: int) -> str:
    return show.level_word(level).text


def turns(found: Iterable[Turn]) -> Iterator[Line]:
    """Beliefs before and after."""
    for turn in found:
        commit = f" in commit {turn.commit}" if turn.commit else ""
        yield line(
            Part(str(turn.key), "head"),
            f": {show.spoken(turn.before)} -> {show.spoken(turn.after)}",
            Part(commit, "dim"),
        )


def story(found: Story) -> Iterator[Block]:
    """Each commit with what it did."""
    yield line(Part(found.subject, "head"))
    rows: list[tuple[int, Line]] = []
    last = 0
    for event in found.events:
        if event.commit != last:
            commit = found.history.commits[event.commit]
            rows.append((0, line(f"commit {commit.k}, {format_time(commit.at)}: {commit.verb} by {commit.writer}")))
        last = event.commit
        rows.append((1, _event(found, event)))
    yield Tree(tuple(rows))
    for name, ended in sorted(found.endings.items()):
        yield line(show.short(name), f" {ended.how} in commit {ended.commit} ", Part(ended.by, "dim"))
    yield from turns(found.turns)
    yield from _more("", found.partial)


def _event(found: Story, event: Event) -> Line:
    record = found.history.lives[event.record].record
    value = f" {record.value}, valid {show.validity(record)}" if event.what == "recorded" and record.value else ""
    told = show.record_line(event.record, record if event.what == "recorded" else None)
    return line(Part(f"{event.what} ", "head"), *told.parts, value, Part(f" {event.detail}".rstrip(), "dim"))


def audit(found: Audit) -> Iterator[Block]:
    """Counts, then entries below their commits."""
    yield from show.counted("found", found.found.counts)
    rows: list[tuple[int, Line]] = []
    last = 0
    for entry in found.found.entries:
        if entry.commit != last:
            rows.append((0, line(f"commit {entry.commit}, {format_time(entry.at)}")))
        last = entry.commit
        rows.append((1, _entry(entry)))
    yield Tree(tuple(rows))
    yield from _more(found.next, found.partial)


def _entry(entry: Entry) -> Line:
    first, *others = entry.names
    rest = [part for name in others for part in (Part(" "), show.short(name))]
    ended = f", ended in commit {entry.ended}" if entry.ended else ""
    place = f" {entry.detail} {show.place(entry.provenance)} by {entry.provenance.writer}{ended}"
    return line(Part(f"{entry.kind} ", "head"), show.short(first), *rest, Part(place, "dim"))


def _more(following: str, partial: bool) -> Iterator[Line]:
    if partial:
        how = f"go on with --after {following}" if following else "raise --limit, or ask for less"
        yield line(Part("partial", "warn"), f": {how}")
