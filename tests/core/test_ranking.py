"""BM25 and rank fusion against worked figures of the long-term-memory chapter and naive sums."""

from __future__ import annotations

from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.core.errors import InvalidInput
from graphmem.core.ranking import bm25, bm25_rank, idf, length_term, rrf

# The worked example gives 0.48 and 9.3 for 80 and 4,000 terms, so the mean length is 400; the scores
# of 14.58 and 8.46 then need a term that is in 5 of 100,000 documents.
MEAN_LENGTH, DOCUMENTS, HOLDING_TERM = 400.0, 100_000, 5
SHORT, LONG = (1, 80), (6, 4_000)  # occurrences, terms


def score(document: tuple[int, int], **parameters: float) -> float:
    occurrences, length = document
    return bm25(occurrences, HOLDING_TERM, DOCUMENTS, length, MEAN_LENGTH, **parameters)


def test_the_worked_example_ranks_the_short_document_first() -> None:
    assert length_term(80, MEAN_LENGTH) == pytest.approx(0.48)
    assert length_term(4_000, MEAN_LENGTH) == pytest.approx(9.3)
    assert score(SHORT) == pytest.approx(14.58, abs=0.005)
    assert score(LONG) == pytest.approx(8.46, abs=0.005)


def test_without_length_normalisation_repetition_puts_the_long_document_first() -> None:
    assert score(LONG, b=0.0) > score(SHORT, b=0.0)
    assert score((6, 80), b=0.0) == score(LONG, b=0.0)


def test_a_greater_b_costs_the_long_document_more() -> None:
    ladder = [score(LONG, b=b) for b in (0.0, 0.25, 0.5, 0.75, 1.0)]
    assert ladder == sorted(ladder, reverse=True)


def test_a_greater_k1_lets_repetition_pay_for_longer() -> None:
    gains = [
        bm25(6, 5, 100_000, 400, 400.0, k1=k1) / bm25(1, 5, 100_000, 400, 400.0, k1=k1)
        for k1 in (0.1, 0.6, 1.2, 2.0, 10.0)
    ]
    assert gains == sorted(gains)


@given(st.integers(1, 10_000), st.floats(0.1, 10), st.floats(0, 1), st.integers(1, 5_000))
def test_more_occurrences_add_less_and_never_exceed_k1_plus_1(n: int, k1: float, b: float, length: int) -> None:
    factors = [bm25(i, 1, 10, length, 100.0, k1, b) / idf(1, 10) for i in (n, n + 1, n + 2)]
    assert factors == sorted(factors)
    assert factors[2] - factors[1] <= factors[1] - factors[0] + 1e-12
    assert factors[2] <= (k1 + 1) * (1 + 1e-12)


def test_a_term_that_does_not_occur_weighs_nothing() -> None:
    assert bm25(0, 3, 10, 0, 0.0) == 0.0


TERMS = st.lists(st.sampled_from("abcde"), max_size=8)


@given(st.dictionaries(st.text("xyz", min_size=1, max_size=3), TERMS, max_size=8), TERMS)
def test_the_ranking_equals_the_naive_formula(documents: dict[str, list[str]], query: list[str]) -> None:
    count = len(documents)
    mean = sum(len(terms) for terms in documents.values()) / count if count else 0
    expected = {}
    for key, terms in documents.items():
        total = 0.0
        for word in set(query) & set(terms):
            holding = sum(word in other for other in documents.values())
            rarity = log(1 + (count - holding + 0.5) / (holding + 0.5))
            n = terms.count(word)
            total += rarity * n * 2.2 / (n + 1.2 * (0.25 + 0.75 * len(terms) / mean))
        if set(query) & set(terms):
            expected[key] = total
    ranked = bm25_rank(query, documents)
    assert dict(ranked) == pytest.approx(expected)
    assert ranked == sorted(ranked, key=lambda pair: (-pair[1], pair[0]))


def test_fusion_gives_the_figures_of_the_worked_table() -> None:
    fused = rrf([["B", "A", "D"], ["C", "A", "E"]])
    assert [(key, round(value, 5)) for key, value in fused] == [
        ("A", 0.03226),
        ("B", 0.01639),
        ("C", 0.01639),
        ("D", 0.01587),
        ("E", 0.01587),
    ]


def test_the_exercise_on_agreement_stages_p_and_s_and_the_smaller_id_of_a_tie() -> None:
    fused = rrf([["P", "Q", "R", "S"], ["S", "T", "P", "U"]])
    assert fused == [
        ("P", pytest.approx(1 / 61 + 1 / 63)),
        ("S", pytest.approx(1 / 64 + 1 / 61)),
        ("Q", pytest.approx(1 / 62)),
        ("T", pytest.approx(1 / 62)),
        ("R", pytest.approx(1 / 63)),
        ("U", pytest.approx(1 / 64)),
    ]


def test_rank_62_in_two_lists_only_equals_one_first_place() -> None:
    filler = [f"x{rank:02}" for rank in range(61)]
    twice = [[*filler[:60], "both"], [*filler[:60], "both"]]
    assert dict(rrf(twice))["both"] > dict(rrf([["first"]]))["first"]
    late = [[*filler, "both"], [*filler, "both"]]
    assert dict(rrf(late))["both"] == pytest.approx(dict(rrf([["first"]]))["first"])


@given(st.permutations([["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"], ["d"]]))
def test_the_order_of_lists_never_breaks_a_tie(lists: list[list[str]]) -> None:
    assert [key for key, _ in rrf(lists)] == ["a", "b", "c", "d"]


def test_a_repeated_id_counts_where_it_first_stands() -> None:
    assert rrf([["a", "a", "b"]]) == rrf([["a", "b"]])


def test_records_may_be_identified_by_tuples() -> None:
    fused = rrf([[("t", "b.py"), ("t", "a.py")], [("t", "a.py"), ("t", "b.py")]])
    assert [key for key, _ in fused] == [("t", "a.py"), ("t", "b.py")]


def test_a_constant_that_is_not_positive_is_refused() -> None:
    with pytest.raises(InvalidInput):
        rrf([["a"]], k=0)
