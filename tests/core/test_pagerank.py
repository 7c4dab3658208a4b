"""Personalized PageRank against networkx and igraph, two independent implementations."""

from __future__ import annotations

import igraph
import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from networkx.algorithms.link_analysis.pagerank_alg import _pagerank_python

from graphmem.core.errors import InvalidInput
from graphmem.core.pagerank import Ranks, personalized_pagerank

Edge = tuple[int, int, float]
Graph = tuple[int, list[Edge], dict[int, float]]


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """A directed graph with parallel edges, loops and dead ends, and some weighted seeds."""
    size = draw(st.integers(1, 12))
    node, weight = st.integers(0, size - 1), st.floats(0.1, 10)
    edges = draw(st.lists(st.tuples(node, node, weight), max_size=30))
    return size, edges, draw(st.dictionaries(node, weight, min_size=1, max_size=4))


def ranks(graph: Graph, **options: float) -> Ranks:
    size, edges, seeds = graph
    sources, targets, weights = zip(*edges, strict=True) if edges else ((), (), ())
    return personalized_pagerank(size, sources, targets, weights, seeds, **options)


@given(graphs())
def test_scores_agree_with_networkx(graph: Graph) -> None:
    size, edges, seeds = graph
    oracle = nx.DiGraph()
    oracle.add_nodes_from(range(size))
    for source, target, weight in edges:
        before = oracle.get_edge_data(source, target, {"weight": 0.0})["weight"]
        oracle.add_edge(source, target, weight=before + weight)
    expected = _pagerank_python(oracle, personalization=seeds, dangling=seeds, max_iter=1_000, tol=1e-12)
    found = ranks(graph)
    assert found.converged
    assert found.scores == pytest.approx([expected[node] for node in range(size)], abs=1e-6)


@given(graphs())
def test_scores_agree_with_igraph(graph: Graph) -> None:
    size, edges, seeds = graph
    oracle = igraph.Graph(size, [(source, target) for source, target, _ in edges], directed=True)
    expected = oracle.personalized_pagerank(
        reset=[seeds.get(node, 0.0) for node in range(size)],
        weights=[weight for _, _, weight in edges],
        damping=0.85,
    )
    assert ranks(graph).scores == pytest.approx(expected, abs=1e-6)


@given(graphs(), st.floats(0, 0.95))
def test_scores_are_a_probability(graph: Graph, damping: float) -> None:
    scores = ranks(graph, damping=damping).scores
    assert scores.sum() == pytest.approx(1)
    assert (scores >= 0).all()


def test_what_no_seed_reaches_scores_nothing() -> None:
    scores = ranks((4, [(0, 1, 1.0), (2, 3, 1.0)], {0: 1.0})).scores
    assert (scores[2], scores[3]) == (0, 0)


def test_an_edge_of_weight_zero_leads_nowhere() -> None:
    scores = ranks((2, [(0, 1, 0.0)], {0: 1.0})).scores
    assert list(scores) == [1, 0]


def test_running_out_of_rounds_is_told() -> None:
    cycle = (3, [(0, 1, 1.0), (1, 2, 1.0), (2, 0, 1.0)], {0: 1.0})
    cut = ranks(cycle, max_iterations=3)
    assert (cut.iterations, cut.converged) == (3, False)


@pytest.mark.parametrize(
    "graph",
    [
        (2, [(0, 2, 1.0)], {0: 1.0}),
        (2, [(-1, 0, 1.0)], {0: 1.0}),
        (2, [(0, 1, -1.0)], {0: 1.0}),
        (2, [(0, 1, float("nan"))], {0: 1.0}),
        (2, [(0, 1, 1.0)], {}),
        (2, [(0, 1, 1.0)], {0: 0.0}),
        (2, [(0, 1, 1.0)], {5: 1.0}),
        (2, [(0, 1, 1.0)], {0: float("inf")}),
        (0, [], {}),
    ],
)
def test_a_malformed_graph_is_refused(graph: Graph) -> None:
    with pytest.raises(InvalidInput):
        ranks(graph)


def test_arrays_that_do_not_pair_up_and_a_damping_of_one_are_refused() -> None:
    with pytest.raises(InvalidInput):
        personalized_pagerank(2, np.array([0]), np.array([1, 0]), np.array([1.0]), {0: 1.0})
    with pytest.raises(InvalidInput):
        personalized_pagerank(1, [], [], [], {0: 1.0}, damping=1.0)
