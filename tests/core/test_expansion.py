"""Bounded expansion: the worked tree of the long-term-memory chapter, and networkx for depths."""

from __future__ import annotations

import networkx as nx
from hypothesis import given
from hypothesis import strategies as st

from graphmem.core.expansion import expand

PLENTY = 1_000
Neighbours = dict[str, list[tuple[str, str]]]


def neighbours_of(pairs: list[tuple[str, str]]) -> Neighbours:
    """Each edge listed at both of its ends."""
    lists: Neighbours = {}
    for index, (left, right) in enumerate(pairs):
        lists.setdefault(left, []).append((f"e{index}", right))
        lists.setdefault(right, []).append((f"e{index}", left))
    return lists


def tree(depth: int) -> Neighbours:
    """Three children per node; a node is named by the turns that lead to it from the root "r"."""
    pairs, level = [], ["r"]
    for _ in range(depth):
        children = [(node, node + turn) for node in level for turn in "abc"]
        pairs += children
        level = [child for _, child in children]
    return neighbours_of(pairs)


def test_the_tree_of_depth_three_has_forty_nodes_and_nothing_beyond() -> None:
    found = expand(["r"], tree(3), max_depth=3, max_nodes=PLENTY, max_edges=PLENTY)
    assert (len(found.depths), len(found.edges)) == (40, 39)
    assert (found.stopped_by, found.partial) == ((), False)


def test_room_for_33_nodes_stops_the_tree_there_as_partial() -> None:
    found = expand(["r"], tree(3), max_depth=3, max_nodes=(6_144 - 100) // 180, max_edges=PLENTY)
    assert len(found.depths) == 33
    assert (found.stopped_by, found.partial) == (("nodes",), True)


def test_depth_two_gives_13_nodes_and_says_that_more_lay_below() -> None:
    found = expand(["r"], tree(3), max_depth=2, max_nodes=PLENTY, max_edges=PLENTY)
    assert len(found.depths) == 13
    assert 13 * 180 + 100 == 2_440
    assert found.stopped_by == ("depth",)


def test_the_edge_cap_ends_the_walk() -> None:
    found = expand(["r"], tree(3), max_depth=3, max_nodes=PLENTY, max_edges=5)
    assert (len(found.depths), len(found.edges)) == (6, 5)
    assert found.stopped_by == ("edges",)


def test_a_cycle_ends_and_its_closing_edge_is_kept() -> None:
    ring = neighbours_of([("a", "b"), ("b", "c"), ("c", "a"), ("c", "c")])
    found = expand(["a"], ring, max_depth=9, max_nodes=PLENTY, max_edges=PLENTY)
    assert dict(found.depths) == {"a": 0, "b": 1, "c": 1}
    assert sorted(found.edges) == ["e0", "e1", "e2", "e3"]
    assert found.stopped_by == ()


def test_more_seeds_than_nodes_allowed_is_partial() -> None:
    found = expand(["a", "a", "b", "c"], {}, max_depth=1, max_nodes=2, max_edges=PLENTY)
    assert tuple(found.depths) == ("a", "b")
    assert found.stopped_by == ("nodes",)


NODE = st.sampled_from("abcdefgh")


@given(st.lists(st.tuples(NODE, NODE), max_size=14), st.lists(NODE, min_size=1), st.integers(0, 4))
def test_depths_agree_with_networkx(pairs: list[tuple[str, str]], seeds: list[str], max_depth: int) -> None:
    graph = nx.Graph(pairs)
    graph.add_nodes_from(seeds)
    lengths = nx.multi_source_dijkstra_path_length(graph, set(seeds), weight=None)
    found = expand(seeds, neighbours_of(pairs), max_depth, PLENTY, PLENTY)
    within = {node: depth for node, depth in lengths.items() if depth <= max_depth}
    assert dict(found.depths) == within
    assert found.partial == (len(within) < len(lengths))
    inside = [f"e{i}" for i, ends in enumerate(pairs) if set(ends) <= within.keys()]
    assert sorted(found.edges) == sorted(inside)


@given(
    st.lists(st.tuples(NODE, NODE), max_size=14),
    st.lists(NODE, min_size=1),
    st.integers(1, 6),
    st.integers(0, 6),
)
def test_no_cap_is_ever_exceeded_and_whatever_is_missing_is_told(
    pairs: list[tuple[str, str]], seeds: list[str], max_nodes: int, max_edges: int
) -> None:
    whole = expand(seeds, neighbours_of(pairs), 8, PLENTY, PLENTY)
    found = expand(seeds, neighbours_of(pairs), 8, max_nodes, max_edges)
    assert len(found.depths) <= max_nodes
    assert len(found.edges) <= max_edges
    assert found.partial == ((found.depths, set(found.edges)) != (whole.depths, set(whole.edges)))
