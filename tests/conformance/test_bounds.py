"""Bounded expansion over every store: the worked tree of the long-term-memory chapter, and networkx for distances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import networkx as nx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphmem.adapters.store_memory import MemoryStore
from graphmem.core.changes import Draft
from graphmem.core.records import Edge, named_edge
from graphmem.core.staging import Handle, stage
from graphmem.core.verbs import remember
from graphmem.core.views import Caps
from graphmem.ports.store import Store
from tests.memories import KEY, TENANT, commit, provenance, record, view

ALLOWANCE, RESERVED, NODE_TOKENS = 6_144, 100, 180  # tokens, as the chapter's worked example has them


def linked(store: Store, names: list[str], pairs: list[tuple[str, str]]) -> dict[str, str]:
    """Records by name, joined by an edge for each pair; the pair's child is the evidence."""

    def plan(draft: Draft) -> dict[str, str]:
        ids = {name: remember(draft, record(name), provenance(name)) for name in names}
        for parent, child in pairs:
            made = named_edge(
                Edge("", TENANT, "calls", ids[parent], ids[child], ((ids[child],),), provenance(f"{parent}-{child}"))
            )
            draft.edges[made.id] = made
        return ids

    return commit(store, plan)[0]


def tree(depth: int) -> tuple[list[str], list[tuple[str, str]]]:
    """Three children per node; a node is named by the turns that lead to it from the root."""
    names, pairs, level = ["root"], [], ["root"]
    for _ in range(depth):
        children = [(node, f"{node}-{turn}") for node in level for turn in "abc"]
        pairs += children
        level = [child for _, child in children]
        names += level
    return names, pairs


@dataclass(frozen=True)
class Node:
    """A node of fixed serialized size."""

    id: str
    text: str = "x" * NODE_TOKENS

    def with_text(self, text: str) -> Node:
        return Node(self.id, text)


def staged_whole(names: list[str]) -> tuple[int, int, bool]:
    """How many nodes of the worked size are staged whole under the worked allowance, tokens used, and whether some are
    left; one token is one character."""

    def render(items: Sequence[Node], handles: Sequence[Handle]) -> str:
        return "e" * RESERVED + "".join(i.text for i in items)

    def cut(text: str, tokens: int) -> str:
        return ""

    done = stage([Node(n) for n in names], render, len, cut, ALLOWANCE)
    return len(done.items), done.used, done.partial


def test_a_tree_of_three_children_to_depth_three_has_forty_nodes_of_which_33_are_staged(store: Store) -> None:
    ids = linked(store, *tree(3))
    near = store.neighbourhood(view(), [ids["root"]], Caps(depth=3))
    assert (len(near.records), len(near.edges), near.stopped_by) == (40, 39, ())
    assert 40 * NODE_TOKENS + RESERVED == 7_300 > ALLOWANCE
    staged, _, partial = staged_whole(sorted(near.records))
    assert (staged, partial) == (33, True)


def test_to_depth_two_it_has_13_nodes_that_take_2440_tokens(store: Store) -> None:
    ids = linked(store, *tree(3))
    near = store.neighbourhood(view(), [ids["root"]], Caps(depth=2))
    assert (len(near.records), near.stopped_by) == (13, ("depth",))
    assert staged_whole(sorted(near.records)) == (13, 2_440, False)


def test_a_node_cap_of_33_stops_the_walk_there_and_says_so(store: Store) -> None:
    ids = linked(store, *tree(3))
    near = store.neighbourhood(view(), [ids["root"]], Caps(depth=3, nodes=33))
    assert (len(near.records), near.stopped_by) == (33, ("nodes",))


def test_an_edge_cap_is_kept_and_said(store: Store) -> None:
    ids = linked(store, *tree(3))
    near = store.neighbourhood(view(), [ids["root"]], Caps(depth=3, edges=5))
    assert len(near.edges) <= 5
    assert "edges" in near.stopped_by


NODES = st.sampled_from("abcdefgh")
PAIRS = st.lists(st.tuples(NODES, NODES).filter(lambda p: p[0] != p[1]), max_size=14, unique=True)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(PAIRS, st.sets(NODES, min_size=1, max_size=3), st.integers(0, 4))
def test_what_is_near_agrees_with_networkx(pairs: list[tuple[str, str]], seeds: set[str], depth: int) -> None:
    store = MemoryStore(KEY)
    ids = linked(store, list("abcdefgh"), pairs)
    names = {v: k for k, v in ids.items()}
    graph = nx.Graph(pairs)
    graph.add_nodes_from("abcdefgh")
    lengths = nx.multi_source_dijkstra_path_length(graph, seeds, weight=None)
    near = store.neighbourhood(view(), [ids[s] for s in seeds], Caps(depth=depth))
    within = {n for n, length in lengths.items() if length <= depth}
    assert {names[r] for r in near.records} == within
    assert ("depth" in near.stopped_by) == (len(within) < len(lengths))


@pytest.mark.parametrize("depth", [1, 2])
def test_a_cycle_ends(store: Store, depth: int) -> None:
    ids = linked(store, ["a", "b", "c"], [("a", "b"), ("b", "c"), ("c", "a")])
    near = store.neighbourhood(view(), [ids["a"]], Caps(depth=depth))
    assert len(near.records) == 3
    assert near.stopped_by == ()
