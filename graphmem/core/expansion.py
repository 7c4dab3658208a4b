"""Bounded expansion from seeds. Lives here: a breadth-first walk that stops at caps and says which.
Lives elsewhere: which edges may be followed (the caller hands in permitted ones only) and what is
kept of the neighbourhood (core.paths)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

DEPTH, NODES, EDGES = "depth", "nodes", "edges"


@dataclass(frozen=True, slots=True)
class Expansion:
    """Depth by node and the edges between them, in the order of discovery.

    `stopped_by` names the caps that left something out.
    """

    depths: Mapping[str, int]
    edges: tuple[str, ...]
    stopped_by: tuple[str, ...]

    @property
    def partial(self) -> bool:
        """Whether a cap left something out: what isn't here isn't proven absent."""
        return bool(self.stopped_by)


@dataclass(slots=True)
class _Frontier:
    max_depth: int
    max_nodes: int
    max_edges: int
    depths: dict[str, int] = field(default_factory=dict)
    edges: dict[str, None] = field(default_factory=dict)
    stopped: set[str] = field(default_factory=set)

    def admits(self, node: str, depth: int) -> bool:
        """Whether the node is in, or may come in at this depth; a refusal is noted."""
        if node in self.depths:
            return True
        if depth > self.max_depth:
            self.stopped.add(DEPTH)
        elif len(self.depths) >= self.max_nodes:
            self.stopped.add(NODES)
        else:
            return True
        return False


def expand(
    seeds: Iterable[str],
    neighbours: Mapping[str, Sequence[tuple[str, str]]],
    max_depth: int,
    max_nodes: int,
    max_edges: int,
) -> Expansion:
    """Everything within `max_depth` hops of a seed, nearest first, as far as the caps allow.

    `neighbours` lists (edge id, other node) per node, in the order to follow; a node is visited
    once and an edge counted once, so cycles end. Edges between visited nodes are kept. "depth" is
    named only when a node lay beyond it, and the walk ends where the edge cap bites.
    """
    found = _Frontier(max_depth, max_nodes, max_edges)
    for seed in seeds:
        if found.admits(seed, 0):
            found.depths.setdefault(seed, 0)
    queue = deque(found.depths)
    while queue and EDGES not in found.stopped:
        queue.extend(_visit(queue.popleft(), neighbours, found))
    stopped_by = tuple(cap for cap in (DEPTH, NODES, EDGES) if cap in found.stopped)
    return Expansion(found.depths, tuple(found.edges), stopped_by)


def _visit(node: str, neighbours: Mapping[str, Sequence[tuple[str, str]]], found: _Frontier) -> list[str]:
    depth = found.depths[node] + 1
    entered = []
    for edge, other in neighbours.get(node, ()):
        if edge in found.edges or not found.admits(other, depth):
            continue
        if len(found.edges) >= found.max_edges:
            found.stopped.add(EDGES)
            break
        found.edges[edge] = None
        if other not in found.depths:
            found.depths[other] = depth
            entered.append(other)
    return entered
