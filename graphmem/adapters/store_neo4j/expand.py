"""The bounded neighbourhood in Neo4j: breadth-first over edges and justifications, one statement a level, within one
transaction. Lives elsewhere: ranking and paths on what it returns (core)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from graphmem.adapters.store_neo4j import rows
from graphmem.adapters.store_neo4j.read import bodies, parameters
from graphmem.adapters.store_neo4j.session import Transaction
from graphmem.core.records import Edge, Justification
from graphmem.core.views import Caps, Neighbourhood, View


class _Expansion:
    """The state of one breadth-first walk."""

    def __init__(self, tx: Transaction, view: View, caps: Caps) -> None:
        self.tx = tx
        self.caps = caps
        self.values: dict[str, Any] = parameters(tx, view)
        self.nodes: dict[str, None] = {}
        self.edges: dict[str, Edge] = {}
        self.links: dict[str, Justification] = {}
        self.stopped: set[str] = set()

    def walk(self, seeds: Collection[str]) -> list[str]:
        """Take what is within the caps; returns the nodes of the last level."""
        found = self.tx.rows("read/visible", self.values, ids=sorted(seeds))[0]["ids"] if seeds else []
        frontier = self.admit(found)
        for _ in range(self.caps.depth):
            frontier = self.admit(self.step(frontier))
        return frontier

    def admit(self, found: Iterable[str]) -> list[str]:
        """Take what was found, in order of id, as far as the cap goes."""
        ordered = sorted(found)
        room = self.caps.nodes - len(self.nodes)
        if len(ordered) > room:
            self.stopped.add("nodes")
        self.nodes.update(dict.fromkeys(ordered[:room]))
        return ordered[:room]

    def step(self, frontier: Collection[str]) -> set[str]:
        """Every visible node one edge or justification away that wasn't taken; what joins them is kept."""
        if not frontier:
            return set()
        asked = {"ids": frontier, "taken": list(self.nodes), "limit": self.caps.edges + 1}
        found = self.tx.rows("read/near", self.values, **asked)[0]
        if max(len(found["edges"]), len(found["links"])) > self.caps.edges:
            self.stopped.add("edges")
        near: set[str] = set()
        for name, source, target, body in found["edges"][: self.caps.edges]:
            if len(self.edges) >= self.caps.edges and name not in self.edges:
                self.stopped.add("edges")
                break
            if name not in self.edges:
                self.edges[name] = rows.edge_of(body, source, target)
            near |= {source, target}
        for row in found["links"][: self.caps.edges]:
            link = rows.link_of(row)
            self.links[link.id] = link
            near |= {link.consequent, *link.antecedents}
        return near.intersection(found["visible"])


def neighbourhood(tx: Transaction, view: View, seeds: Collection[str], caps: Caps) -> Neighbourhood:
    """Everything within the caps of the seeds that the view admits."""
    walk = _Expansion(tx, view, caps)
    last = walk.walk(seeds)
    kept = walk.nodes.keys()
    records, entities, beyond = bodies(tx, walk.values, kept, last)
    if beyond:
        walk.stopped.add("depth")
    return Neighbourhood(
        records=records,
        entities=entities,
        edges=tuple(e for _, e in sorted(walk.edges.items()) if {e.source, e.target} <= kept),
        justifications=tuple(j for _, j in sorted(walk.links.items()) if {j.consequent, *j.antecedents} <= kept),
        stopped_by=tuple(sorted(walk.stopped)),
    )
