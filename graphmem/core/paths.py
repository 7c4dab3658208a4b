"""Evidence paths that hold together. Lives here: joining the wanted records to the seeds by short
paths, so that an answer keeps the dull record in the middle that makes it connected. Lives
elsewhere: fetching the neighbourhood (core.expansion bounds it), scoring (core.pagerank), staging
(core.staging).

The rule is the shortest-path heuristic for Steiner trees (Takahashi and Matsuyama 1980) with a cap
on the hops from a seed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from math import inf, isfinite
from typing import NamedTuple

from graphmem.core.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class Link:
    """An edge that may be walked both ways at the same cost (finite, not negative)."""

    id: str
    source: str
    target: str
    cost: float = 1.0


class Step(NamedTuple):
    """One edge on a path; `forward` is True when it is walked from its source to its target."""

    node_from: str
    edge: str
    forward: bool
    node_to: str


@dataclass(frozen=True, slots=True)
class Connected:
    """Nodes and edges kept, in the order in which they joined, and the leaves out of reach.

    `paths` leads to each reached leaf from a seed; the path of a seed is empty.
    """

    nodes: tuple[str, ...]
    edges: tuple[str, ...]
    paths: Mapping[str, tuple[Step, ...]]
    unreached: tuple[str, ...]


Adjacency = Mapping[str, Sequence[tuple[Step, float]]]


def connect(edges: Iterable[Link], seeds: Sequence[str], leaves: Sequence[str], max_hops: int) -> Connected:
    """Grow a connected set from the seeds to each leaf, best first, by the cheapest way into it.

    No path is longer than `max_hops` from its seed. Ties go to fewer new hops, then to the smaller
    ids read from the leaf.

    Raises:
        InvalidInput: a cost is negative or not finite.
    """
    steps_into = _steps_into(edges)
    routes: dict[str, tuple[Step, ...]] = dict.fromkeys(seeds, ())
    paths: dict[str, tuple[Step, ...]] = {}
    kept: dict[str, None] = {}
    unreached = []
    for leaf in dict.fromkeys(leaves):
        route = routes[leaf] if leaf in routes else _cheapest(leaf, steps_into, routes, max_hops)
        if route is None:
            unreached.append(leaf)
            continue
        paths[leaf] = route
        for length, step in enumerate(route, start=1):
            routes.setdefault(step.node_to, route[:length])
            kept.setdefault(step.edge)
    return Connected(tuple(routes), tuple(kept), paths, tuple(unreached))


def _steps_into(edges: Iterable[Link]) -> Adjacency:
    into: defaultdict[str, list[tuple[Step, float]]] = defaultdict(list)
    for link in edges:
        if link.cost < 0 or not isfinite(link.cost):
            raise InvalidInput(f"edge {link.id} costs {link.cost}; a cost is finite and not negative")
        into[link.target].append((Step(link.source, link.id, True, link.target), link.cost))
        into[link.source].append((Step(link.target, link.id, False, link.source), link.cost))
    return into


def _cheapest(
    leaf: str, steps_into: Adjacency, routes: Mapping[str, tuple[Step, ...]], max_hops: int
) -> tuple[Step, ...] | None:
    """Dijkstra from the leaf back to the nearest connected node whose own route leaves hops enough.

    States pop by cost, so a node is worth a second visit only with fewer hops than before.
    """
    queue: list[tuple[float, int, tuple[str, ...], str, tuple[Step, ...]]] = [(0.0, 0, (), leaf, ())]
    fewest: dict[str, float] = {}
    while queue:
        cost, hops, trail, node, tail = heappop(queue)
        if hops >= fewest.get(node, inf):
            continue
        fewest[node] = hops
        if node in routes and len(routes[node]) + hops <= max_hops:
            return routes[node] + tail
        if hops >= max_hops:
            continue
        for step, price in steps_into.get(node, ()):
            if hops + 1 < fewest.get(step.node_from, inf):
                ids = (*trail, step.node_from, step.edge)
                heappush(queue, (cost + price, hops + 1, ids, step.node_from, (step, *tail)))
    return None
