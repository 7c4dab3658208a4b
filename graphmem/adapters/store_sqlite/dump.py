"""Whole-tenant reads of SQLite. Lives here: the stream of every fact for export and copy, and the counts of status."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from graphmem.adapters.store_sqlite.expand import EDGE_BODIES, ENTITIES, edge_of, entity_of
from graphmem.adapters.store_sqlite.network import as_json
from graphmem.adapters.store_sqlite.read import generations, held, links_of
from graphmem.adapters.store_sqlite.schema import OPEN, SCHEMA_VERSION
from graphmem.core.records import Site, Tombstone
from graphmem.core.views import LATEST, Fact, LinkState, Status

PAGE = 1_000


def dump(db: sqlite3.Connection, tenant: str) -> Iterator[Fact]:
    """Every fact of now of a tenant, page by page."""
    yield from generations(db, tenant)
    for keys in _pages(db, "entity", tenant):
        yield from (entity_of(row) for row in _in_order(db, ENTITIES, keys))
    for keys in _pages(db, "record", tenant):
        yield from held(db, keys, LATEST)
    for keys in _pages(db, "justification", tenant):
        for justification, live in links_of(db, "j.pk = f.value", keys, LATEST, tenant):
            yield LinkState(justification, live)
    for keys in _pages(db, "edge", tenant):
        yield from (edge_of(row) for row in db.execute(EDGE_BODIES, {"asked": as_json(keys)}).fetchall())
    for keys in _pages(db, "site", tenant):
        yield from (Site(*row) for row in db.execute(SITES, {"asked": as_json(keys)}).fetchall())
    yield from (Tombstone(*row) for row in db.execute(TOMBSTONES, (tenant,)).fetchall())


TOMBSTONES = (
    "SELECT id, tenant, role, at, who, reason, receipt, key, content FROM tombstone WHERE tenant = ? ORDER BY at, id"
)
SITES = """
SELECT x.id, x.tenant, x.source, x.callee, x.reason, x.locator, x.line, p.name, x.birth, x.death, coalesce(x.identity,
'') FROM json_each(:asked) f CROSS JOIN site x ON x.pk = f.value CROSS JOIN repository p ON p.pk = x.repo
"""


def _pages(db: sqlite3.Connection, table: str, tenant: str) -> Iterator[list[int]]:
    last = -1
    while True:
        keys = [
            pk
            for (pk,) in db.execute(
                f"SELECT pk FROM {table} WHERE pk > ? AND tenant = ? ORDER BY pk LIMIT ?", (last, tenant, PAGE)
            )
        ]
        if not keys:
            return
        yield keys
        last = keys[-1]


def _in_order(db: sqlite3.Connection, statement: str, keys: list[int]) -> list[tuple[Any, ...]]:
    unordered = statement.rsplit("ORDER BY", 1)[0]
    return db.execute(unordered, {"asked": as_json(keys)}).fetchall()


def status(db: sqlite3.Connection, tenant: str, at: int, path: Path) -> Status:
    """Counts of one tenant and facts about the file."""
    counts = {
        table: db.execute(f"SELECT count(*) FROM {table} WHERE tenant = ?", (tenant,)).fetchone()[0]
        for table in ("record", "entity", "edge", "site", "commits")
    }
    counts["justification"] = db.execute(
        "SELECT count(*) FROM justification WHERE tenant = ? AND k_to = ?", (tenant, OPEN)
    ).fetchone()[0]
    counts["out"] = db.execute(
        "SELECT count(*) FROM record r WHERE tenant = ? AND NOT EXISTS "
        "(SELECT 1 FROM span s WHERE s.record = r.pk AND s.k_to = ? AND s.t_from <= ? AND ? < s.t_to)",
        (tenant, OPEN, at, at),
    ).fetchone()[0]
    roles = dict(db.execute("SELECT role, count(*) FROM record WHERE tenant = ? GROUP BY role", (tenant,)).fetchall())
    heads = {g.repository: g for g in generations(db, tenant)}
    commit = db.execute("SELECT coalesce(max(k), 0) FROM commits WHERE tenant = ?", (tenant,)).fetchone()[0]
    jobs = dict(db.execute("SELECT state, count(*) FROM job WHERE tenant = ? GROUP BY state", (tenant,)).fetchall())
    return Status("sqlite", str(path), SCHEMA_VERSION, commit, counts, roles, tuple(heads.values()), jobs)
