"""Labels over time: when a record holds, how firmly, and what holds it up. Lives here: the label value and pointwise
algebra on it. Lives elsewhere: the fixpoint over a network of justifications (core.labelling).

Two fixpoints of truth maintenance, V (every premise counts) and G (only sources and observations count), are kept as
one label on the chain OUT < IN < GROUNDED: V is where the level is at least IN, G where it is GROUNDED. The least
fixpoint over that chain has exactly these two cuts, so one support and one rank per stretch of time serve both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import IntEnum
from typing import NamedTuple

from graphmem.core.intervals import ALWAYS, Intervals, normalise

PREMISE = 0


class Level(IntEnum):
    """How firmly a record holds at an instant."""

    OUT = 0
    IN = 1
    GROUNDED = 2


class Segment(NamedTuple):
    """A stretch of valid time with one level, one support and one rank.

    `support` is a justification's id in the network at hand, or PREMISE. `rank` is 0 for a premise, otherwise greater
    than the rank of every antecedent of the same level: (level falling, rank rising) strictly orders a support before
    what it supports.
    """

    start: int
    end: int
    level: int
    rank: int
    support: object


Label = tuple[Segment, ...]
OUT_LABEL: Label = ()


def level_at(label: Label, instant: int) -> int:
    """The level at an instant: Level.OUT in the gaps."""
    for start, end, level, _, _ in label:
        if start <= instant < end:
            return level
    return Level.OUT


def segment_at(label: Label, instant: int) -> Segment | None:
    """The segment that covers an instant, if one does."""
    return next((s for s in label if s.start <= instant < s.end), None)


def holds(label: Label, level: int = Level.IN) -> Intervals:
    """The times at which the label has at least that level."""
    return normalise((s.start, s.end) for s in label if s.level >= level)


def shape(label: Label) -> tuple[tuple[int, int, int], ...]:
    """The label without supports and ranks, adjacent equal levels joined: what two stores must agree on."""
    out: list[tuple[int, int, int]] = []
    for start, end, level, _, _ in label:
        if out and out[-1][1] == start and out[-1][2] == level:
            out[-1] = (out[-1][0], end, level)
        else:
            out.append((start, end, level))
    return tuple(out)


def clip(segments: Iterable[Segment], own: Intervals) -> list[Segment]:
    """The parts of the segments that lie inside the intervals."""
    if own == ALWAYS:
        return list(segments)
    return [
        Segment(max(s.start, a), min(s.end, b), s.level, s.rank, s.support)
        for s in segments
        for a, b in own
        if max(s.start, a) < min(s.end, b)
    ]


def without(label: Iterable[Segment], cuts: Intervals) -> list[Segment]:
    """The label outside the given times."""
    left = list(label)
    for a, b in cuts:
        kept: list[Segment] = []
        for s in left:
            if s.end <= a or b <= s.start:
                kept.append(s)
                continue
            if s.start < a:
                kept.append(s._replace(end=a))
            if b < s.end:
                kept.append(s._replace(start=b))
        left = kept
    return left


def tidy(segments: Iterable[Segment]) -> Label:
    """Sorted form with neighbours joined where level, rank and support are equal."""
    out: list[Segment] = []
    for s in sorted(segments):
        if out and out[-1].end == s.start and out[-1][2:] == s[2:]:
            out[-1] = out[-1]._replace(end=s.end)
        else:
            out.append(s)
    return tuple(out)


def together(labels: Sequence[Label]) -> list[Segment]:
    """Where all labels hold at once: the lowest level, and the highest rank among those of that level."""
    result: list[Segment] = list(labels[0])
    for label in labels[1:]:
        if not result:
            break
        result = [_meet(a, b) for a in result for b in label if a.start < b.end and b.start < a.end]
    return result


def _meet(a: Segment, b: Segment) -> Segment:
    level = min(a.level, b.level)
    rank = max(s.rank for s in (a, b) if s.level == level)
    return Segment(max(a.start, b.start), min(a.end, b.end), level, rank, PREMISE)


def ever(labels: Sequence[Label], span: tuple[int, int]) -> list[Segment]:
    """Everything, if each label holds at some time, at the lowest of their best levels; otherwise nothing."""
    if not all(labels):
        return []
    best = [max((s.level, -s.rank) for s in label) for label in labels]
    level = min(top for top, _ in best)
    rank = max(
        min(s.rank for s in label if s.level == level)
        for label, (top, _) in zip(labels, best, strict=True)
        if top == level
    )
    return [Segment(*span, level, rank, PREMISE)]
