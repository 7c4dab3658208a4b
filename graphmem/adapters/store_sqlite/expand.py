"""The bounded neighbourhood in SQLite. Lives here: breadth-first expansion over edges and justifications, level by
level, inside one call. Lives elsewhere: ranking and paths on what it returns (core)."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection
from dataclasses import replace
from typing import Any

from graphmem.adapters.store_sqlite.admission import ADMITTED, GENERATIONS, VISIBLE, parameters
from graphmem.adapters.store_sqlite.network import as_json
from graphmem.adapters.store_sqlite.read import find, links_of
from graphmem.adapters.store_sqlite.rows import provenance_of
from graphmem.core.records import Edge, Entity, Justification
from graphmem.core.views import Caps, Neighbourhood, View

NODES = f"""
WITH {GENERATIONS}
SELECT r.pk, r.id FROM json_each(:asked) f CROSS JOIN record r ON r.pk = f.value
CROSS JOIN span s ON s.record = r.pk WHERE {VISIBLE}
UNION ALL
SELECT t.pk, t.id FROM json_each(:asked) f CROSS JOIN entity t ON t.pk = f.value
WHERE t.tenant = :tenant AND t.k_from <= :k ORDER BY 2
"""
SEEDS = """
SELECT r.pk FROM json_each(:ids) f CROSS JOIN record r ON r.id = f.value
UNION SELECT t.pk FROM json_each(:ids) f CROSS JOIN entity t ON t.id = f.value
"""
EDGES = f"""
WITH {GENERATIONS}
SELECT e.pk, e.source, e.target FROM json_each(:asked) f CROSS JOIN edge e ON e.source = f.value WHERE {ADMITTED}
UNION
SELECT e.pk, e.source, e.target FROM json_each(:asked) f CROSS JOIN edge e ON e.target = f.value WHERE {ADMITTED}
ORDER BY 1 LIMIT :limit
"""
LINKS = """
SELECT j.pk, j.consequent, a.record FROM json_each(:asked) f
CROSS JOIN justification j ON j.consequent = f.value AND j.k_from <= :k AND :k < j.k_to
CROSS JOIN antecedent a ON a.just = j.pk
UNION
SELECT j.pk, j.consequent, a.record FROM json_each(:asked) f CROSS JOIN antecedent b ON b.record = f.value
CROSS JOIN justification j ON j.pk = b.just AND j.k_from <= :k AND :k < j.k_to
CROSS JOIN antecedent a ON a.just = j.pk
ORDER BY 1 LIMIT :limit
"""
EDGE_BODIES = """
SELECT e.pk, e.id, e.tenant, e.type, e.level, coalesce((SELECT p.name FROM repository p WHERE p.pk = e.repo), ''),
  e.birth, e.death, o.body, e.span,
  coalesce((SELECT id FROM record WHERE pk = e.source), (SELECT id FROM entity WHERE pk = e.source)),
  coalesce((SELECT id FROM record WHERE pk = e.target), (SELECT id FROM entity WHERE pk = e.target)),
  (SELECT json_group_array(json_array(v.place, r.id)) FROM evidence v JOIN record r ON r.pk = v.record
   WHERE v.edge = e.pk), e.identity
FROM json_each(:asked) f CROSS JOIN edge e ON e.pk = f.value CROSS JOIN origin o ON o.pk = e.origin ORDER BY e.id
"""
ENTITIES = """
SELECT t.id, t.tenant, t.kind, t.name, t.symbol, t.qualified_name,
  coalesce((SELECT p.name FROM repository p WHERE p.pk = t.repo), ''), t.aliases
FROM json_each(:asked) f CROSS JOIN entity t ON t.pk = f.value ORDER BY t.id
"""


class _Expansion:
    """The state of one breadth-first walk by key."""

    def __init__(self, db: sqlite3.Connection, view: View, caps: Caps) -> None:
        self.db = db
        self.caps = caps
        self.values: dict[str, Any] = parameters(db, view)
        self.nodes: dict[int, str] = {}
        self.edges: dict[int, tuple[int, int]] = {}
        self.links: dict[int, set[int]] = {}
        self.stopped: set[str] = set()

    def run(self, statement: str, asked: Collection[int]) -> list[tuple[Any, ...]]:
        limit = self.caps.edges + 1
        return self.db.execute(statement, self.values | {"asked": as_json(sorted(asked)), "limit": limit}).fetchall()

    def walk(self, seeds: Collection[str]) -> None:
        asked = json.dumps(sorted(seeds))
        frontier = self.admit({pk for (pk,) in self.db.execute(SEEDS, {"ids": asked})})
        for _ in range(self.caps.depth):
            frontier = self.admit(self.touching(frontier) - self.nodes.keys())
        beyond = self.touching(frontier) - self.nodes.keys() if frontier else set()
        if beyond:
            self.stopped.add("depth")
        self.prune()

    def admit(self, asked: set[int]) -> list[int]:
        """Take the visible ones of the asked nodes, in order of id, as far as the cap goes."""
        if not asked:
            return []
        rows = self.run(NODES, asked)
        room = self.caps.nodes - len(self.nodes)
        if len(rows) > room:
            self.stopped.add("nodes")
        self.nodes.update(rows[:room])
        return [pk for pk, _ in rows[:room]]

    def touching(self, frontier: Collection[int]) -> set[int]:
        """Every node one edge or justification away; what joins them is noted."""
        if not frontier:
            return set()
        near: set[int] = set()
        edges = self.run(EDGES, frontier)
        links = self.run(LINKS, frontier)
        for pk, source, target in edges:
            if len(self.edges) >= self.caps.edges and pk not in self.edges:
                self.stopped.add("edges")
                break
            self.edges[pk] = (source, target)
            near |= {source, target}
        for pk, consequent, antecedent in links[: self.caps.edges]:
            self.links.setdefault(pk, set()).update((consequent, antecedent))
            near |= {consequent, antecedent}
        if max(len(edges), len(links)) > self.caps.edges:
            self.stopped.add("edges")
        return near

    def prune(self) -> None:
        """Keep only edges and justifications whose every end is in the neighbourhood."""
        kept = self.nodes.keys()
        self.edges = {pk: ends for pk, ends in self.edges.items() if kept >= set(ends)}
        self.links = {pk: ends for pk, ends in self.links.items() if kept >= ends}


def neighbourhood(db: sqlite3.Connection, view: View, seeds: Collection[str], caps: Caps) -> Neighbourhood:
    """Everything within the caps of the seeds that the view admits."""
    walk = _Expansion(db, view, caps)
    walk.walk(seeds)
    entities = {row[0]: entity_of(row) for row in walk.run(ENTITIES, walk.nodes)}
    records = find(db, view, [name for name in walk.nodes.values() if name not in entities])
    edges = tuple(edge_of(row) for row in walk.run(EDGE_BODIES, walk.edges))
    links = links_of(db, "j.pk = f.value", sorted(walk.links), walk.values["k"], view.tenant)
    justifications: list[Justification] = sorted((j for j, _ in links), key=lambda j: j.id)
    return Neighbourhood(records, entities, edges, tuple(justifications), tuple(sorted(walk.stopped)))


def entity_of(row: tuple[Any, ...]) -> Entity:
    """The entity in a row of ENTITIES."""
    return replace(Entity(*row[:7]), aliases=tuple(json.loads(row[7])))


def edge_of(row: tuple[Any, ...]) -> Edge:
    places: dict[int, list[str]] = {}
    for place, record in json.loads(row[12]):
        places.setdefault(place, []).append(record)
    return Edge(
        id=row[1],
        tenant=row[2],
        type=row[3],
        source=row[10],
        target=row[11],
        evidence=tuple(tuple(sorted(places[p])) for p in sorted(places)),
        provenance=provenance_of(row[8], row[9]),
        level=row[4],
        repository=row[5],
        birth=row[6],
        death=row[7],
        identity=row[13] or "",
    )
