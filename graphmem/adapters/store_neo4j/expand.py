"""The bounded neighbourhood in Neo4j: breadth-first over edges and justifications, two statements a level, within one
transaction. Lives elsewhere: ranking and paths on what it returns (core)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from graphmem.adapters.store_neo4j import rows
from graphmem.adapters.store_neo4j.read import find, parameters
from graphmem.adapters.store_neo4j.session import Transaction
from graphmem.core.records import Edge, Justification
from graphmem.core.views import Caps, Neighbourhood, View


class _Expansion:
    """The state of one breadth-first walk."""

    def __init__(self, tx: Transaction, view: View, caps: Caps) -> None:
        self.tx = tx
        self.caps = caps
        self.values: dict[str, Any] = parameters(tx, view) | {"limit": caps.edges + 1}
        self.nodes: dict[str, None] = {}
        self.edges: dict[str, Edge] = {}
        self.links: dict[str, Justification] = {}
        self.stopped: set[str] = set()

    def walk(self, seeds: Collection[str]) -> None:
        frontier = self.admit(seeds)
        for _ in range(self.caps.depth):
            frontier = self.admit(self.touching(frontier) - self.nodes.keys())
        if frontier and self.touching(frontier, keep=False) - self.nodes.keys():
            self.stopped.add("depth")

    def visible(self, asked: Iterable[str]) -> list[str]:
        ids = sorted(asked)
        return [r["id"] for r in self.tx.rows("read/visible", self.values, ids=ids)] if ids else []

    def admit(self, asked: Iterable[str]) -> list[str]:
        """Take the visible ones of the asked nodes, in order of id, as far as the cap goes."""
        found = self.visible(asked)
        room = self.caps.nodes - len(self.nodes)
        if len(found) > room:
            self.stopped.add("nodes")
        self.nodes.update(dict.fromkeys(found[:room]))
        return found[:room]

    def touching(self, frontier: Collection[str], *, keep: bool = True) -> set[str]:
        """Every node one edge or justification away; what joins them is noted where it is to be kept."""
        ids = sorted(frontier)
        edges = self.tx.rows("read/near_edges", self.values, ids=ids, bodies=keep)[0]["rows"] if ids else []
        links = self.tx.rows("read/near_links", self.values, ids=ids)[0]["rows"] if ids else []
        if max(len(edges), len(links)) > self.caps.edges:
            self.stopped.add("edges")
        near: set[str] = set()
        for name, source, target, body in edges[: self.caps.edges]:
            if len(self.edges) >= self.caps.edges and name not in self.edges:
                self.stopped.add("edges")
                break
            if keep:
                self.edges[name] = rows.edge_of(body, source, target)
            near |= {source, target}
        for row in links[: self.caps.edges]:
            link = rows.link_of(row)
            if keep:
                self.links[link.id] = link
            near |= {link.consequent, *link.antecedents}
        return near


def neighbourhood(tx: Transaction, view: View, seeds: Collection[str], caps: Caps) -> Neighbourhood:
    """Everything within the caps of the seeds that the view admits."""
    walk = _Expansion(tx, view, caps)
    walk.walk(seeds)
    kept = walk.nodes.keys()
    names = [n for n in kept if not n.startswith("r-")]
    entities = [rows.entity_of(r["entity"]) for r in tx.rows("read/entities", ids=names, tenant=view.tenant)]
    records = find(tx, {k: v for k, v in walk.values.items() if k != "limit"}, [n for n in kept if n.startswith("r-")])
    return Neighbourhood(
        records=records,
        entities={e.id: e for e in entities},
        edges=tuple(e for _, e in sorted(walk.edges.items()) if {e.source, e.target} <= kept),
        justifications=tuple(j for _, j in sorted(walk.links.items()) if {j.consequent, *j.antecedents} <= kept),
        stopped_by=tuple(sorted(walk.stopped)),
    )
