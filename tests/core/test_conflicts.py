"""When candidates are in conflict, and what settles it."""

from __future__ import annotations

import pytest

from graphmem.core.belief import Candidate, Voice, believe, candidate
from graphmem.core.conflicts import Overlap, common_time, judge, to_verify
from graphmem.core.intervals import ALWAYS, Intervals
from graphmem.core.provenance import RESOLUTION
from graphmem.core.records import Key, Role
from tests.memories import record

KEY = Key("room", "seats", "east")


def said(
    name: str, value: str, authority: int = 0, seen: int = 0, kind: str = "document", own: Intervals = ALWAYS
) -> Candidate:
    made = record(name, id=name, value=value, key=KEY, own=own)
    return candidate(made, [Voice(name, kind, authority, seen)], 1, "")


def test_agreement_and_silence_are_no_conflict() -> None:
    assert judge(KEY, [], [said("w", "9")]) is None
    assert judge(KEY, [said("a", "8"), said("b", "8")], [said("w", "8")]) is None


@pytest.mark.parametrize(
    ("first", "second", "settled", "component"),
    [
        (said("a", "8", 2, 1), said("b", "9", 1, 9), "authority", "authority"),
        (said("a", "8", 1, 2), said("b", "9", 1, 1), "", "observed_at"),
        (said("b", "8", 1, 1), said("a", "9", 1, 1), "", "id"),
        (said("a", "8", 1, 2, RESOLUTION), said("b", "9", 1, 1), "resolution", "observed_at"),
        (said("a", "8", 1, 3), said("b", "9", 1, 2, RESOLUTION), "", "observed_at"),
    ],
)
def test_authority_or_the_latest_decision_settles_and_time_alone_does_not(
    first: Candidate, second: Candidate, settled: str, component: str
) -> None:
    found = judge(KEY, [second, first], [])
    assert found is not None
    assert (found.overlap, found.sides, found.settled_by, found.component) == (
        Overlap.KEY, (first, second), settled, component
    )  # fmt: skip


def test_a_scope_settles_against_everywhere_by_a_greater_authority_only() -> None:
    own = said("a", "8", 2, 1)
    for wider, settled in ((said("w", "9", 1, 9), "authority"), (said("w", "9", 2), ""), (said("w", "9", 3), "")):
        found = judge(KEY, [own], [wider])
        assert found is not None
        assert (found.overlap, found.sides, found.settled_by) == (Overlap.SCOPE, (own, wider), settled)


def test_sides_hold_together_where_all_of_their_windows_overlap() -> None:
    sides = [said("a", "8", own=((0, 5), (8, 20))), said("b", "9", own=((3, 12),)), said("c", "7")]
    assert common_time(sides, 4) == ((3, 5),)
    assert common_time(sides, 8) == ((8, 12),)
    assert common_time(sides, 6) == ()


def test_a_claim_is_verified_by_a_belief_that_says_the_same_and_by_nothing_else() -> None:
    claims = [candidate(record(n, Role.CLAIM, id=n, value=v, key=KEY), (), 1, "") for n, v in (("d", "8"), ("c", "9"))]
    for belief, waiting in (
        (believe(KEY, [said("a", "8")]), ["c"]),
        (believe(KEY, []), ["c", "d"]),
        (believe(KEY, [], "8"), ["c", "d"]),
    ):
        assert [task.claim.record.id for task in to_verify(claims, belief)] == waiting
