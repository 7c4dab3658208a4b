"""Deletion in SQLite. Lives here: what surrounds records that are to be deleted, erasing what they say from every table
in the commit's transaction, and overwriting the bytes afterwards. Lives elsewhere: what is erased (core.forgetting),
which column holds content (core.inventory).

Origins are shared by what one commit brought, so what is erased gets an origin of its own, and an origin that nothing
has any more goes. Source of the full-text command 'delete', which needs the very words that were indexed: SQLite FTS5
Extension, section 6.2.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from graphmem.adapters.store_sqlite.dump import SITES
from graphmem.adapters.store_sqlite.expand import EDGE_BODIES, ENTITIES, edge_of, entity_of
from graphmem.adapters.store_sqlite.network import as_json
from graphmem.adapters.store_sqlite.read import heads_of, held, links_of
from graphmem.adapters.store_sqlite.rows import (
    RECORD_COLUMNS,
    drop_origins,
    origin_text,
    provenance_of,
    record_of,
    write_rows,
)
from graphmem.core.analyzer import analyze, drop_terms
from graphmem.core.changes import ChangeSet
from graphmem.core.erasure import NEEDS_REGENERATION, Closure, blank, unhashed
from graphmem.core.errors import Conflict, NotPermitted
from graphmem.core.provenance import Provenance
from graphmem.core.records import Key, Site, Tombstone, context_text
from graphmem.core.views import LATEST, Head, Snapshot

Db = sqlite3.Connection

SCOUR_TIMEOUT_MS = 5_000  # how long the scouring waits for readers of the old pages

ROOTS = "SELECT r.pk FROM json_each(?) f CROSS JOIN record r ON r.id = f.value AND r.tenant = ?"
MADE_OF = """
SELECT DISTINCT a.consequent FROM json_each(?) f CROSS JOIN antecedent a ON a.record = f.value
CROSS JOIN justification j ON j.pk = a.just CROSS JOIN record r ON r.pk = a.consequent WHERE +r.producer = j.id
"""
NAMING = """
SELECT j.pk FROM json_each(:asked) f CROSS JOIN justification j ON j.consequent = f.value
UNION SELECT a.just FROM json_each(:asked) f CROSS JOIN antecedent a ON a.record = f.value
"""
TOUCHING = """
SELECT e.pk, e.source, e.target FROM json_each(:asked) f CROSS JOIN edge e ON e.source = f.value
UNION SELECT e.pk, e.source, e.target FROM json_each(:asked) f CROSS JOIN edge e ON e.target = f.value
UNION SELECT e.pk, e.source, e.target FROM json_each(:asked) f CROSS JOIN evidence v ON v.record = f.value
  CROSS JOIN edge e ON e.pk = v.edge
"""
TIES = """
SELECT t.id, (SELECT count(*) FROM edge e WHERE e.source = t.pk)
  + (SELECT count(*) FROM edge e WHERE e.target = t.pk AND +e.source != t.pk)
FROM json_each(?) f CROSS JOIN entity t ON t.pk = f.value
"""
VERSIONS = """
SELECT r.entity, r.attribute, r.scope, r.id, r.version FROM json_each(?) f CROSS JOIN record r INDEXED BY record_key
  ON r.tenant = ? AND r.entity = f.value ->> 0 AND r.attribute = f.value ->> 1 AND r.scope = f.value ->> 2
WHERE r.entity IS NOT NULL AND r.version > 0 ORDER BY r.id
"""
IN_FILES = """
SELECT x.pk FROM json_each(?) f CROSS JOIN repository p ON p.tenant = ? AND p.name = f.value ->> 0
CROSS JOIN site x INDEXED BY site_identity ON x.repo = p.pk AND x.identity IS NOT NULL AND +x.locator = f.value ->> 1
ORDER BY x.pk
"""
TOMBSTONES = """
SELECT t.id, t.tenant, t.role, t.at, t.who, t.reason, t.receipt, t.key, t.content
FROM json_each(?) f CROSS JOIN tombstone t ON t.id = f.value
"""
KEYED_BY = (
    "SELECT r.id FROM record r INDEXED BY record_key WHERE r.tenant = ? AND r.entity = ? AND r.entity IS NOT NULL "
    "ORDER BY r.id"
)


def closure(db: Db, tenant: str, roots: Collection[str], identity_key: bytes) -> Closure:
    """What a deletion of some records may touch."""
    keys = _made_of(db, [pk for (pk,) in db.execute(ROOTS, (json.dumps(sorted(roots)), tenant))])
    asked = as_json(keys)
    found = {h.record.id: h for h in held(db, keys, LATEST)}
    links = links_of(db, "j.pk = f.value", [pk for (pk,) in db.execute(NAMING, {"asked": asked})], LATEST, tenant)
    touching = db.execute(TOUCHING, {"asked": asked}).fetchall()
    edges = db.execute(EDGE_BODIES, {"asked": as_json(pk for pk, *_ in touching)}).fetchall()
    ends = as_json({end for _, *both in touching for end in both})
    about = {h.record.key for h in found.values() if h.record.key}
    files = {(h.record.repository, a.provenance.locator) for h in found.values() for a in h.live if h.record.repository}
    sites = [pk for (pk,) in db.execute(IN_FILES, (json.dumps(sorted(files)), tenant))]
    return Closure(
        snapshot=Snapshot(
            tenant=tenant,
            commit=db.execute("SELECT coalesce(max(k), 0) FROM commits").fetchone()[0],
            identity_key=identity_key,
            records={name: found[name] for name in sorted(found)},
            justifications={j.id: j for j, _ in links},
            live=frozenset(j.id for j, live in links if live),
            heads=heads_of(db, tenant, about),
        ),
        edges={e.id: e for e in map(edge_of, edges)},
        entities={e.id: e for e in map(entity_of, db.execute(ENTITIES, {"asked": ends}).fetchall())},
        ties=dict(db.execute(TIES, (ends,)).fetchall()),
        versions=_versions(db, tenant, about),
        sites=tuple(Site(*row) for row in db.execute(SITES, {"asked": as_json(sites)}).fetchall()),
        tombstones={t.id: t for t in _tombstones(db, sorted(roots))},
    )


def _made_of(db: Db, roots: Sequence[int]) -> list[int]:
    """The roots, and every record whose producers reach one."""
    level = list(roots)
    found = dict.fromkeys(level)
    while level:
        level = [pk for (pk,) in db.execute(MADE_OF, (as_json(level),)) if pk not in found]
        found.update(dict.fromkeys(level))
    return list(found)


def _versions(db: Db, tenant: str, keys: Iterable[Key]) -> dict[Key, tuple[Head, ...]]:
    asked = json.dumps([(k.entity, k.attribute, k.scope) for k in keys])
    versions: dict[Key, tuple[Head, ...]] = {}
    for entity, attribute, scope, name, version in db.execute(VERSIONS, (asked, tenant)):
        key = Key(entity, attribute, scope)
        versions[key] = (*versions.get(key, ()), Head(name, version))
    return versions


def _tombstones(db: Db, ids: Sequence[str]) -> Iterable[Tombstone]:
    return (Tombstone(*row) for row in db.execute(TOMBSTONES, (json.dumps(ids),)).fetchall())


def check(db: Db, changes: ChangeSet) -> None:
    """Raise Conflict when what surrounds the records to be erased isn't as the plan saw it, NotPermitted when an edge
    names an erased record."""
    erasure = changes.erasure
    if erasure and erasure.seen is not None and closure(db, changes.tenant, erasure.roots, b"").seen != erasure.seen:
        raise Conflict("what surrounds the records was changed by another writer", hint="load it again and retry")
    made = {r.id for r in changes.records}
    named = {n for e in changes.edges for n in (e.source, e.target, *sum(e.evidence, ()))} - made
    erased = db.execute(
        "SELECT min(t.id) FROM json_each(?) f CROSS JOIN tombstone t ON t.id = f.value", (json.dumps(sorted(named)),)
    ).fetchone()[0]
    if erased:
        raise NotPermitted(f"{erased} is deleted", hint="a tombstone can't be part of an edge")


def erase(db: Db, changes: ChangeSet) -> None:
    """Take what the changes erase out of every table."""
    erasure = changes.erasure
    if erasure is None:
        return
    db.execute(UNSCOURED)
    write_rows(
        db,
        "INSERT OR IGNORE INTO tombstone (id, tenant, role, at, who, reason, receipt, key, content) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        ((t.id, t.tenant, t.role, t.at, t.by, t.reason, t.receipt, t.key, t.content) for t in erasure.tombstones),
    )
    old: set[int] = set()
    for names, status, clear in ((erasure.erased, None, blank), (erasure.scrubbed, NEEDS_REGENERATION, unhashed)):
        keys = _keys(db, "record", names)
        _empty(db, keys, status)
        old |= _clear(db, "assertion", _rows_of(db, "assertion", "record", keys), clear)
        old |= _clear(db, "justification", _rows_of(db, "justification", "consequent", keys), clear)
    old |= _clear(db, "assertion", _asserted(db, erasure.roots, erasure.assertions), blank)
    old |= _prune(db, erasure.pruned)
    edges = _keys(db, "edge", erasure.edges)
    old |= {pk for (pk,) in db.execute(f"SELECT origin FROM edge WHERE pk IN {_AMONG}", (as_json(edges),))}
    for statement, keys in (
        ("evidence WHERE edge", edges),
        ("edge WHERE pk", edges),
        ("name WHERE node", entities := _keys(db, "entity", erasure.entities)),
        ("entity WHERE pk", entities),
        ("site WHERE pk", _keys(db, "site", erasure.sites)),
    ):
        db.execute(f"DELETE FROM {statement} IN {_AMONG}", (as_json(keys),))
    write_rows(
        db,
        "DELETE FROM head WHERE tenant = ? AND entity = ? AND attribute = ? AND scope = ?",
        ((changes.tenant, key.entity, key.attribute, key.scope) for key in erasure.headless),
    )
    db.execute(ORPHANS, (as_json(old),))


_AMONG = "(SELECT value FROM json_each(?))"
ORPHANS = f"""
DELETE FROM origin WHERE pk IN {_AMONG} AND NOT EXISTS (SELECT 1 FROM assertion a WHERE a.origin = origin.pk)
  AND NOT EXISTS (SELECT 1 FROM justification j WHERE j.origin = origin.pk)
  AND NOT EXISTS (SELECT 1 FROM edge e WHERE e.origin = origin.pk)
"""


def _keys(db: Db, table: str, ids: Iterable[str]) -> list[int]:
    statement = f"SELECT t.pk FROM json_each(?) f CROSS JOIN {table} t ON t.id = f.value"
    return [pk for (pk,) in db.execute(statement, (json.dumps(list(ids)),))]


def _rows_of(db: Db, table: str, column: str, keys: Sequence[int]) -> list[int]:
    statement = f"SELECT t.pk FROM json_each(?) f CROSS JOIN {table} t ON t.{column} = f.value"
    return [pk for (pk,) in db.execute(statement, (as_json(keys),))]


def _asserted(db: Db, records: Iterable[str], assertions: Iterable[str]) -> list[int]:
    """Assertions by id, found by the records that they assert."""
    wanted = set(assertions)
    rows = db.execute(
        "SELECT a.pk, a.id FROM json_each(?) f CROSS JOIN assertion a ON a.record = f.value",
        (as_json(_keys(db, "record", records)) if wanted else "[]",),
    )
    return [pk for pk, name in rows if name in wanted]


def _empty(db: Db, keys: Sequence[int], status: str | None) -> None:
    """Take what records say out of their rows and out of the full-text index."""
    rows = db.execute(
        f"SELECT {RECORD_COLUMNS}, r.pk FROM json_each(?) f CROSS JOIN record r ON r.pk = f.value", (as_json(keys),)
    ).fetchall()
    said = [(row[-1], record_of(row, LATEST)) for row in rows]
    write_rows(
        db,
        "INSERT INTO fulltext (fulltext, rowid, body, context) VALUES ('delete', ?, ?, ?)",
        ((pk, " ".join(analyze(r.text)), " ".join(analyze(context_text(r)))) for pk, r in said if r.text),
    )
    db.execute(
        "UPDATE record SET text = '', value = NULL, context = NULL, entity = NULL, attribute = NULL, scope = NULL, "
        f"identity = NULL, evidence_status = ? WHERE pk IN {_AMONG}",
        (status, as_json(keys)),
    )


def _clear(db: Db, table: str, rows: Sequence[int], clear: Callable[[Provenance], Provenance]) -> set[int]:
    """Give rows origins without content; gives the origins that they had."""
    found = db.execute(
        f"SELECT t.pk, t.origin, o.body, o.k FROM json_each(?) f CROSS JOIN {table} t ON t.pk = f.value "
        "CROSS JOIN origin o ON o.pk = t.origin",
        (as_json(rows),),
    ).fetchall()
    last = db.execute("SELECT coalesce(max(pk), 0) FROM origin").fetchone()[0]
    made: dict[int, tuple[int, str, int]] = {}
    for _, origin, body, k in found:
        if origin not in made:
            made[origin] = (last + len(made) + 1, origin_text(clear(provenance_of(body, None))), k)
    write_rows(db, "INSERT INTO origin (pk, body, k) VALUES (?, ?, ?)", made.values())
    extra = EXTRA[table] if clear is blank else ""
    write_rows(
        db,
        f"UPDATE {table} SET origin = ?, span = NULL{extra} WHERE pk = ?",
        ((made[origin][0], pk) for pk, origin, *_ in found),
    )
    return set(made)


# What else of a row tells where it comes from.
EXTRA = {"assertion": ", locator = ''", "justification": ", informant = ''", "edge": ""}


def _prune(db: Db, pruned: Mapping[str, tuple[tuple[str, ...], ...]]) -> set[int]:
    """Leave edges the evidence that is given, and an origin that tells nothing."""
    old: set[int] = set()
    for name, left in pruned.items():
        (edge,) = _keys(db, "edge", [name])
        members = dict(db.execute(_EVIDENCE, (edge,)).fetchall())
        db.execute("DELETE FROM evidence WHERE edge = ?", (edge,))
        write_rows(
            db,
            "INSERT INTO evidence (edge, place, record) VALUES (?, ?, ?)",
            ((edge, place, pk) for place, part in enumerate(left) for pk, record in members.items() if record in part),
        )
        old |= _clear(db, "edge", [edge], blank)
    return old


_EVIDENCE = "SELECT DISTINCT r.pk, r.id FROM evidence v JOIN record r ON r.pk = v.record WHERE v.edge = ?"


# A deletion leaves this mark in its own commit, and the scouring takes it away.
UNSCOURED = "INSERT OR REPLACE INTO meta (key, value) VALUES ('unscoured', 1)"
SCOURED = "DELETE FROM meta WHERE key = 'unscoured'"


def scour(db: Db) -> tuple[str, ...]:
    """Overwrite what was erased in the index, the file and its log; gives what stays because of others."""
    drop_terms()
    drop_origins()
    waits = db.execute("PRAGMA busy_timeout").fetchone()[0]
    db.execute(f"PRAGMA busy_timeout = {SCOUR_TIMEOUT_MS}")
    try:
        db.execute("INSERT INTO fulltext (fulltext) VALUES ('optimize')")
        db.execute("VACUUM")
        busy = db.execute("PRAGMA wal_checkpoint (TRUNCATE)").fetchone()[0]
    except sqlite3.OperationalError as error:
        return (f"free pages of the file: {error}",)
    finally:
        db.execute(f"PRAGMA busy_timeout = {waits}")
    if busy:
        return ("the write-ahead log: another process reads it",)
    db.execute(SCOURED)
    return ()


def is_unscoured(db: Db) -> bool:
    """Whether a deletion was committed and its bytes may still be there: its process ended before they were gone."""
    return db.execute("SELECT 1 FROM meta WHERE key = 'unscoured'").fetchone() is not None


def keyed_by(db: Db, tenant: str, entity: str) -> tuple[str, ...]:
    """Every record whose key is of an entity."""
    return tuple(name for (name,) in db.execute(KEYED_BY, (tenant, entity)))
