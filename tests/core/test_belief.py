"""The belief rule: which candidate answers for a key, component by component, and who contests it."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.core.belief import Candidate, believe
from graphmem.core.records import Key, Role
from tests.memories import record

STATE = Key("pump", "state")


def candidate(
    name: str,
    value: str | None,
    authority: int = 0,
    observed_at: int = 0,
    commit: int = 0,
    role: Role = Role.OBSERVATION,
) -> Candidate:
    return Candidate(record(f"text of {value}", role, id=name, value=value, key=STATE), authority, observed_at, commit)


# Each pair differs in one component, and every later component speaks for the loser.
PAIRS = {
    "authority": (candidate("a", "won", 2, 0, 0), candidate("b", "lost", 1, 9, 9)),
    "observed_at": (candidate("a", "won", 1, 2, 0), candidate("b", "lost", 1, 1, 9)),
    "commit": (candidate("a", "won", 1, 1, 2), candidate("b", "lost", 1, 1, 1)),
    "id": (candidate("b", "won", 1, 1, 1), candidate("a", "lost", 1, 1, 1)),
}


@pytest.mark.parametrize("component", PAIRS)
def test_the_first_component_that_differs_decides(component: str) -> None:
    winner, loser = PAIRS[component]
    for pair in ([winner, loser], [loser, winner]):
        belief = believe(STATE, pair)
        assert (belief.winner, belief.value, belief.contested) == (winner, "won", (loser,))


def test_those_who_say_otherwise_contest_it_strongest_first() -> None:
    said = [candidate(name, value, rank) for name, value, rank in zip("abcde", "vwvxw", (5, 4, 3, 2, 1), strict=True)]
    for order in permutations(said):
        belief = believe(STATE, order)
        assert belief.winner == said[0]
        assert [c.record.id for c in belief.contested] == ["b", "d", "e"]


def test_agreement_is_no_contest() -> None:
    assert believe(STATE, [candidate("a", "v", 2), candidate("b", "v", 1)]).contested == ()


def test_records_without_a_value_speak_by_their_text() -> None:
    first, second = candidate("a", None, 2), candidate("b", "v", 1)
    belief = believe(STATE, [first, second])
    assert (belief.value, belief.contested) == (None, (second,))


@pytest.mark.parametrize("role", Role)
def test_only_sources_observations_and_summaries_are_believed(role: Role) -> None:
    belief = believe(STATE, [candidate("a", "v", role=role)])
    assert (belief.winner is not None) == (role in (Role.SOURCE, Role.OBSERVATION, Role.SUMMARY))


def test_a_claim_neither_wins_nor_contests_however_strong() -> None:
    seen, claimed = candidate("a", "seen"), candidate("b", "claimed", 9, 9, 9, Role.CLAIM)
    belief = believe(STATE, [claimed, seen])
    assert (belief.winner, belief.contested) == (seen, ())


def test_without_candidates_the_declared_default_answers_and_is_marked() -> None:
    assert believe(STATE, [], '"idle"').is_default
    assert believe(STATE, [], '"idle"').value == '"idle"'
    nothing = believe(STATE, [])
    assert (nothing.winner, nothing.value, nothing.is_default) == (None, None, False)


def test_a_default_is_never_used_beside_a_candidate() -> None:
    belief = believe(STATE, [candidate("a", "v")], '"idle"')
    assert (belief.value, belief.is_default) == ("v", False)


drawn = st.builds(
    candidate, st.sampled_from("abcdef"), st.sampled_from("vw"), st.integers(0, 2), st.integers(0, 2), st.integers(0, 2)
)


@given(st.lists(drawn, min_size=1, max_size=6, unique_by=lambda c: c.record.id))
def test_the_winner_is_the_greatest_and_order_of_arrival_never_matters(some: list[Candidate]) -> None:
    belief = believe(STATE, some)
    assert belief.winner is not None
    assert all(belief.winner.order >= c.order for c in some)
    assert believe(STATE, some[::-1]) == belief
