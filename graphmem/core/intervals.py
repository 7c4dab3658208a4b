"""Half-open time intervals in microseconds and the set algebra on them. Lives here: pure interval arithmetic.
Lives elsewhere: parsing of timestamps (core.times) and labels over time (core.labels)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

# Microseconds since 1970-01-01T00:00:00Z. The bounds are the first and one past the last instant that
# datetime can show (year 1 to year 9999); they stand for "always was" and "open end".
TIME_MIN = -62_135_596_800_000_000
TIME_MAX = 253_402_300_800_000_000

Interval = tuple[int, int]
Intervals = tuple[Interval, ...]

ALWAYS: Intervals = ((TIME_MIN, TIME_MAX),)
NEVER: Intervals = ()


def normalise(parts: Iterable[Interval]) -> Intervals:
    """Sorted, disjoint, non-touching form of any intervals; empty ones vanish."""
    out: list[Interval] = []
    for start, end in sorted(parts):
        if start >= end:
            continue
        if out and start <= out[-1][1]:
            out[-1] = (out[-1][0], max(out[-1][1], end))
        else:
            out.append((start, end))
    return tuple(out)


def intersect(left: Iterable[Interval], right: Iterable[Interval]) -> Intervals:
    """The times in both sets. Inputs are normalised; so is the result."""
    others = tuple(right)
    return tuple((max(a, c), min(b, d)) for a, b in left for c, d in others if max(a, c) < min(b, d))


def subtract(left: Iterable[Interval], right: Iterable[Interval]) -> Intervals:
    """The times in `left` that aren't in `right`. Inputs are normalised; so is the result."""
    remaining = tuple(left)
    for cut in right:
        remaining = tuple(_cut(remaining, cut))
    return remaining


def _cut(parts: Iterable[Interval], cut: Interval) -> Iterator[Interval]:
    for start, end in parts:
        if cut[1] <= start or end <= cut[0]:
            yield start, end
            continue
        if start < cut[0]:
            yield start, cut[0]
        if cut[1] < end:
            yield cut[1], end


def contains(parts: Iterable[Interval], instant: int) -> bool:
    """Whether the instant lies in the set; the end of an interval doesn't."""
    return any(start <= instant < end for start, end in parts)
