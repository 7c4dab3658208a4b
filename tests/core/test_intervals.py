"""Half-open intervals behave as sets of instants."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from graphmem.core.intervals import (
    ALWAYS,
    NEVER,
    TIME_MAX,
    TIME_MIN,
    Intervals,
    contains,
    intersect,
    normalise,
    subtract,
)

INSTANTS = range(-1, 13)
parts = st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=5)
sets = parts.map(normalise)


def instants(of: Intervals) -> set[int]:
    return {n for n in INSTANTS if any(a <= n < b for a, b in of)}


def test_the_end_of_an_interval_is_outside() -> None:
    assert [contains(((2, 5),), n) for n in (1, 2, 4, 5)] == [False, True, True, False]


def test_touching_intervals_become_one() -> None:
    assert normalise([(3, 5), (1, 3), (7, 7), (9, 8), (6, 7)]) == ((1, 5), (6, 7))


@given(parts)
def test_normal_form_is_sorted_apart_and_holds_the_same_instants(some: list[tuple[int, int]]) -> None:
    made = normalise(some)
    assert instants(made) == instants(tuple(some))
    assert all(a < b for a, b in made)
    assert all(left[1] < right[0] for left, right in pairwise(made))


@given(sets, sets)
def test_intersection_and_difference_are_those_of_sets(left: Intervals, right: Intervals) -> None:
    assert instants(intersect(left, right)) == instants(left) & instants(right)
    assert instants(subtract(left, right)) == instants(left) - instants(right)


@given(sets, sets)
def test_results_are_in_normal_form(left: Intervals, right: Intervals) -> None:
    for made in (intersect(left, right), subtract(left, right)):
        assert made == normalise(made)


@given(sets)
def test_always_and_never_are_the_bounds(some: Intervals) -> None:
    assert intersect(some, ALWAYS) == some
    assert (intersect(some, NEVER), subtract(some, ALWAYS)) == (NEVER, NEVER)


def test_always_reaches_from_year_1_to_year_9999() -> None:
    from datetime import UTC, datetime, timedelta

    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    assert epoch + timedelta(microseconds=TIME_MIN) == datetime.min.replace(tzinfo=UTC)
    assert epoch + timedelta(microseconds=TIME_MAX - 1) == datetime.max.replace(tzinfo=UTC)
