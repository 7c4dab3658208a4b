"""Evidence paths: against networkx where the answer is unique, by their properties otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from random import Random

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.core.errors import InvalidInput
from graphmem.core.paths import Connected, Link, Step, connect

NODES = "abcdefgh"


@st.composite
def link_lists(draw: st.DrawFn) -> list[Link]:
    node = st.sampled_from(NODES)
    ends = draw(st.lists(st.tuples(node, node, st.integers(0, 5)), max_size=16))
    return [Link(f"e{i:02}", a, b, float(cost)) for i, (a, b, cost) in enumerate(ends)]


def network(links: Sequence[Link]) -> nx.MultiGraph:
    graph = nx.MultiGraph()
    graph.add_nodes_from(NODES)
    graph.add_edges_from((link.source, link.target, link.id, {"cost": link.cost}) for link in links)
    return graph


def cost_of(path: Sequence[Step], links: Sequence[Link]) -> float:
    costs = {link.id: link.cost for link in links}
    return sum(costs[step.edge] for step in path)


def ends_of(path: Sequence[Step]) -> list[str]:
    return [path[0].node_from, *(step.node_to for step in path)] if path else []


@given(link_lists())
def test_one_seed_reaches_its_first_leaf_by_a_shortest_path(links: list[Link]) -> None:
    found = connect(links, ["a"], ["b"], max_hops=len(NODES))
    graph = network(links)
    assert ("b" in found.paths) == nx.has_path(graph, "a", "b")
    if "b" in found.paths:
        shortest = nx.shortest_path_length(graph, "a", "b", weight="cost")
        assert cost_of(found.paths["b"], links) == shortest


@given(link_lists(), st.integers(0, 4))
def test_under_a_cap_of_hops_the_path_is_the_cheapest_of_those_allowed(links: list[Link], max_hops: int) -> None:
    found = connect(links, ["a"], ["b"], max_hops)
    paths = nx.all_simple_edge_paths(network(links), "a", "b", cutoff=max_hops) if max_hops else ()
    costs = {link.id: link.cost for link in links}
    allowed = [sum(costs[edge] for _, _, edge in path) for path in paths]
    assert found.unreached == (() if allowed else ("b",))
    if allowed:
        assert cost_of(found.paths["b"], links) == min(allowed)


@given(
    link_lists(),
    st.lists(st.sampled_from(NODES), min_size=1, max_size=3),
    st.lists(st.sampled_from(NODES), max_size=6),
    st.integers(0, 5),
)
def test_every_kept_node_hangs_on_a_seed_by_kept_edges(
    links: list[Link], seeds: list[str], leaves: list[str], max_hops: int
) -> None:
    found = connect(links, seeds, leaves, max_hops)
    kept = network([link for link in links if link.id in found.edges])
    reached = {node for seed in seeds for node in nx.node_connected_component(kept, seed)}
    assert reached == set(found.nodes)
    assert set(found.paths) | set(found.unreached) == set(leaves)
    assert set(found.paths).isdisjoint(found.unreached)


@given(link_lists(), st.sampled_from(NODES), st.lists(st.sampled_from(NODES), max_size=6))
def test_paths_run_from_a_seed_to_their_leaf_without_turning_back(
    links: list[Link], seed: str, leaves: list[str]
) -> None:
    found = connect(links, [seed], leaves, max_hops=5)
    by_id = {link.id: link for link in links}
    for leaf, path in found.paths.items():
        nodes = ends_of(path) or [seed]
        assert (nodes[0], nodes[-1]) == (seed, leaf)
        assert len(path) <= 5
        assert len(set(nodes)) == len(nodes)
        assert all(left.node_to == right.node_from for left, right in pairwise(path))
        for step in path:
            link = by_id[step.edge]
            ends = (link.source, link.target) if step.forward else (link.target, link.source)
            assert ends == (step.node_from, step.node_to)


@given(link_lists(), st.randoms(use_true_random=False))
def test_the_order_of_edges_changes_nothing(links: list[Link], random: Random) -> None:
    shuffled = random.sample(links, len(links))
    assert connect(links, ["a"], ["b", "c"], 4) == connect(shuffled, ["a"], ["b", "c"], 4)


def evidence_chain() -> list[Link]:
    """A failing run, its test, the method tested and the file; and a project node they share."""
    return [
        Link("ran", "run-r17", "test_waiter"),
        Link("exercises", "test_waiter", "ConnectionPool.release"),
        Link("defined_in", "ConnectionPool.release", "src/pool.py"),
        Link("part_of", "src/pool.py", "project", 5.0),
        Link("about", "run-r17", "project", 5.0),
    ]


def test_records_between_seed_and_leaf_are_kept_though_nobody_asked_for_them() -> None:
    found = connect(evidence_chain(), ["run-r17"], ["src/pool.py"], max_hops=3)
    assert found.nodes == ("run-r17", "test_waiter", "ConnectionPool.release", "src/pool.py")
    assert [step.edge for step in found.paths["src/pool.py"]] == ["ran", "exercises", "defined_in"]


def test_a_tighter_cap_takes_the_costlier_shortcut_or_gives_the_leaf_up() -> None:
    two = connect(evidence_chain(), ["run-r17"], ["src/pool.py"], max_hops=2)
    assert two.paths["src/pool.py"] == (
        Step("run-r17", "about", True, "project"),
        Step("project", "part_of", False, "src/pool.py"),
    )
    one = connect(evidence_chain(), ["run-r17"], ["src/pool.py"], max_hops=1)
    assert one == Connected(("run-r17",), (), {}, ("src/pool.py",))


def test_a_later_leaf_joins_what_earlier_leaves_brought_in() -> None:
    links = [Link("1", "s", "m"), Link("2", "m", "x"), Link("3", "m", "y"), Link("4", "s", "y", 1.5)]
    found = connect(links, ["s"], ["x", "y"], max_hops=3)
    assert found.edges == ("1", "2", "3")
    assert [step.edge for step in found.paths["y"]] == ["1", "3"]


def test_equal_ways_are_settled_by_hops_then_by_ids() -> None:
    links = [Link("z", "s", "b"), Link("y", "b", "x"), Link("q", "s", "c"), Link("p", "c", "x")]
    found = connect(links, ["s"], ["x"], max_hops=3)
    assert [step.edge for step in found.paths["x"]] == ["z", "y"]
    direct = connect([*links, Link("zz", "s", "x", 2.0)], ["s"], ["x"], max_hops=3)
    assert [step.edge for step in direct.paths["x"]] == ["zz"]


def test_a_leaf_that_is_a_seed_needs_no_path_and_seeds_without_edges_stay() -> None:
    found = connect([], ["s", "t"], ["t", "nowhere"], max_hops=2)
    assert found == Connected(("s", "t"), (), {"t": ()}, ("nowhere",))


@pytest.mark.parametrize("cost", [-1.0, float("inf"), float("nan")])
def test_a_cost_that_is_no_length_is_refused(cost: float) -> None:
    with pytest.raises(InvalidInput):
        connect([Link("e", "a", "b", cost)], ["a"], ["b"], 1)
