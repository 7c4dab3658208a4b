"""Labels over time: reading, clipping and meeting, held against pointwise definitions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from graphmem.core.intervals import ALWAYS, Intervals, normalise
from graphmem.core.labels import (
    PREMISE,
    Label,
    Level,
    Segment,
    clip,
    ever,
    holds,
    level_at,
    segment_at,
    shape,
    tidy,
    together,
    without,
)

INSTANTS = range(12)
windows = st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=4).map(normalise)


@st.composite
def some_labels(draw: st.DrawFn) -> Label:
    cuts = sorted(draw(st.sets(st.integers(0, 11), max_size=6)))
    made = []
    for start, end in pairwise(cuts):
        level = draw(st.integers(0, 2))
        if level:
            made.append(Segment(start, end, level, draw(st.integers(0, 3)), draw(st.integers(0, 2))))
    return tidy(made)


def levels(label: Sequence[Segment]) -> list[int]:
    return [level_at(tuple(label), n) for n in INSTANTS]


def test_a_gap_is_out_and_the_end_is_outside() -> None:
    label = (Segment(2, 4, 1, 0, PREMISE), Segment(4, 6, 2, 1, "j"))
    assert levels(label)[:8] == [0, 0, 1, 1, 2, 2, 0, 0]
    assert segment_at(label, 4) == label[1]
    assert segment_at(label, 6) is None


def test_the_two_fixpoints_are_two_cuts_of_one_label() -> None:
    label = (Segment(2, 4, Level.IN, 0, PREMISE), Segment(4, 6, Level.GROUNDED, 1, "j"))
    assert holds(label) == ((2, 6),)
    assert holds(label, Level.GROUNDED) == ((4, 6),)


def test_the_shape_forgets_supports_and_ranks() -> None:
    one = (Segment(0, 2, 2, 0, PREMISE), Segment(2, 4, 2, 1, "j"), Segment(5, 6, 1, 1, "j"))
    assert shape(one) == ((0, 4, 2), (5, 6, 1))


@given(some_labels(), windows)
def test_clipping_and_cutting_part_a_label(label: Label, window: Intervals) -> None:
    inside, outside = clip(label, window), without(label, window)
    for n in INSTANTS:
        within = any(a <= n < b for a, b in window)
        assert segment_facts(inside, n) == (segment_facts(label, n) if within else None)
        assert segment_facts(outside, n) == (None if within else segment_facts(label, n))


def segment_facts(label: Sequence[Segment], instant: int) -> tuple[object, ...] | None:
    found = segment_at(tuple(label), instant)
    return None if found is None else tuple(found[2:])


@given(some_labels())
def test_tidying_changes_no_instant_and_leaves_no_seam(label: Label) -> None:
    pieces = [Segment(n, n + 1, *found[2:]) for n in INSTANTS if (found := segment_at(label, n))]
    assert tidy(reversed(pieces)) == label


@given(st.lists(some_labels(), min_size=1, max_size=3))
def test_together_holds_where_all_hold_at_the_lowest_level(some: list[Label]) -> None:
    met = tuple(together(some))
    for n in INSTANTS:
        found = [segment_at(label, n) for label in some]
        lowest = min((s.level if s else 0) for s in found)
        assert level_at(met, n) == lowest
        if lowest:
            made = segment_at(met, n)
            assert made is not None
            assert made.rank == max(s.rank for s in found if s is not None and s.level == lowest)


def test_a_meeting_takes_the_highest_rank_of_its_own_level_only() -> None:
    grounded, held = Segment(0, 9, Level.GROUNDED, 7, "j"), Segment(0, 9, Level.IN, 2, "k")
    assert together([(grounded,), (held,)]) == [Segment(0, 9, Level.IN, 2, PREMISE)]


@given(st.lists(some_labels(), min_size=1, max_size=3))
def test_a_timeless_meeting_needs_each_at_some_time_and_then_is_always(some: list[Label]) -> None:
    met = ever(some, ALWAYS[0])
    best = [max((s.level for s in label), default=0) for label in some]
    assert [(s.start, s.end, s.level) for s in met] == ([(*ALWAYS[0], min(best))] if min(best) else [])
