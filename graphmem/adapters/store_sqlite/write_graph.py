"""The graph rows of a commit to SQLite: entities, their names, edges with their evidence, unresolved sites. Lives
elsewhere: the transaction, and everything about records (write)."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphmem.adapters.store_sqlite.rows import span_text, write_rows
from graphmem.core.changes import ChangeSet
from graphmem.core.provenance import Provenance
from graphmem.core.records import Edge, Entity


@dataclass(frozen=True, slots=True)
class Keys:
    """The integer keys that rows refer to: nodes and repositories by name, an origin by its provenance."""

    nodes: Mapping[str, int]
    repositories: Mapping[str, int]
    origin: Callable[[Provenance], int]


def write_graph(
    db: sqlite3.Connection, changes: ChangeSet, entities: Sequence[Entity], keys: Keys, commit: int
) -> None:
    """Write the new entities and every edge and site of the changes; an edge that is there already is left alone."""
    _write_entities(db, entities, keys, commit)
    _write_edges(db, changes.edges, keys, commit)
    write_rows(
        db,
        "INSERT INTO site (id, tenant, source, callee, reason, locator, line, repo, birth, death, identity, k_from) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        (
            (
                s.id,
                s.tenant,
                s.source,
                s.callee,
                s.reason,
                s.locator,
                s.line,
                keys.repositories[s.repository],
                s.birth,
                s.death,
                s.identity or None,
                commit,
            )
            for s in changes.sites
        ),
    )


def _write_entities(db: sqlite3.Connection, entities: Sequence[Entity], keys: Keys, commit: int) -> None:
    write_rows(
        db,
        "INSERT INTO entity (pk, id, tenant, kind, name, symbol, qualified_name, aliases, repo, k_from) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (
                keys.nodes[e.id],
                e.id,
                e.tenant,
                e.kind,
                e.name,
                e.symbol,
                e.qualified_name,
                json.dumps(e.aliases),
                keys.repositories[e.repository],
                commit,
            )
            for e in entities
        ),
    )
    write_rows(
        db,
        "INSERT OR IGNORE INTO name (tenant, name, node) VALUES (?, ?, ?)",
        (
            (e.tenant, name.casefold(), keys.nodes[e.id])
            for e in entities
            for name in {e.name, e.symbol, e.qualified_name, *e.aliases}
            if name
        ),
    )


def _write_edges(db: sqlite3.Connection, edges: Iterable[Edge], keys: Keys, commit: int) -> None:
    fresh = _fresh(db, {e.id: e for e in edges})
    write_rows(
        db,
        "INSERT INTO edge (pk, id, tenant, type, source, target, level, repo, birth, death, origin, span, identity, "
        "k_from) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (_edge_row(pk, e, keys, commit) for pk, e in fresh),
    )
    write_rows(
        db,
        "INSERT INTO evidence (edge, place, record) VALUES (?, ?, ?)",
        (
            (pk, place, keys.nodes[record])
            for pk, e in fresh
            for place, members in enumerate(e.evidence)
            for record in members
        ),
    )


def _fresh(db: sqlite3.Connection, edges: Mapping[str, Edge]) -> list[tuple[int, Edge]]:
    """The edges that aren't there yet, with the keys that they will have."""
    if not edges:
        return []
    known = {
        row[0]
        for row in db.execute(
            "SELECT e.id FROM json_each(?) f CROSS JOIN edge e ON e.id = f.value", (json.dumps(list(edges)),)
        )
    }
    last = db.execute("SELECT coalesce(max(pk), 0) FROM edge").fetchone()[0]
    return list(enumerate((e for name, e in edges.items() if name not in known), last + 1))


def _edge_row(pk: int, e: Edge, keys: Keys, commit: int) -> tuple[Any, ...]:
    return (
        pk,
        e.id,
        e.tenant,
        e.type,
        keys.nodes[e.source],
        keys.nodes[e.target],
        e.level,
        keys.repositories[e.repository],
        e.birth,
        e.death,
        keys.origin(e.provenance),
        span_text(e.provenance.span),
        e.identity or None,
        commit,
    )
