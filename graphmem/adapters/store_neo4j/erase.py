"""Deletion in Neo4j. Lives here: what surrounds records that are to be deleted, and taking what they say out of every
node and relationship in the commit's transaction. Lives elsewhere: what is erased (core.forgetting), the statements
(cypher/), the bytes that the server keeps until it reuses them (docs/how-to/forget.md)."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from graphmem.adapters.store_neo4j import rows
from graphmem.adapters.store_neo4j.read import held, links_of, some
from graphmem.adapters.store_neo4j.session import Transaction
from graphmem.core.changes import ChangeSet
from graphmem.core.erasure import NEEDS_REGENERATION, Closure
from graphmem.core.errors import Conflict, NotPermitted
from graphmem.core.records import Key
from graphmem.core.views import LATEST, Head, Snapshot


def closure(tx: Transaction, tenant: str, roots: Collection[str], identity_key: bytes) -> Closure:
    """What a deletion of some records may touch."""
    found = {h.record.id: h for h in held(tx, tenant, _made_of(tx, tenant, roots), LATEST)}
    named = [r["id"] for r in some(tx, "read/links_naming", "ids", found, tenant=tenant)]
    links = links_of(tx, tenant, named, LATEST)
    touching = some(tx, "read/edges_touching", "ids", found, tenant=tenant, k=LATEST)
    edges = [rows.edge_of(r["edge"], r["source"], r["target"]) for r in touching]
    ends = sorted({end for e in edges for end in (e.source, e.target)})
    ties = some(tx, "read/ties", "ids", ends, tenant=tenant)
    keys = {rows.key_text(tenant, h.record.key): h.record.key for h in found.values() if h.record.key}
    heads = some(tx, "read/heads", "keys", keys, tenant=tenant)
    files = {(h.record.repository, a.provenance.locator) for h in found.values() for a in h.live if h.record.repository}
    asked = [{"home": rows.joined(tenant, home), "locator": locator} for home, locator in sorted(files)]
    sites = tx.rows("read/sites_in", rows=asked, tenant=tenant) if asked else []
    tombstones = [rows.tombstone_of(r["tombstone"]) for r in some(tx, "read/tombstones", "ids", roots, tenant=tenant)]
    return Closure(
        snapshot=Snapshot(
            tenant=tenant,
            commit=int(tx.rows("read/memory")[0]["k"]),
            identity_key=identity_key,
            records={name: found[name] for name in sorted(found)},
            justifications={j.id: j for j, _ in links},
            live=frozenset(j.id for j, live in links if live),
            heads={keys[r["key"]]: Head(r["record"], r["version"]) for r in heads},
        ),
        edges={e.id: e for e in edges},
        entities={r["entity"]["id"]: rows.entity_of(r["entity"]) for r in ties},
        ties={r["entity"]["id"]: r["edges"] for r in ties},
        versions=_versions(tx, tenant, keys),
        sites=tuple(rows.site_of(r["site"]) for r in sites),
        tombstones={t.id: t for t in tombstones},
    )


def _made_of(tx: Transaction, tenant: str, roots: Iterable[str]) -> list[str]:
    """The roots, and every record whose producers reach one."""
    level = sorted(roots)
    found = dict.fromkeys(level)
    while level:
        rested = some(tx, "read/made_of", "ids", level, tenant=tenant)
        level = [r["id"] for r in rested if r["id"] not in found]
        found.update(dict.fromkeys(level))
    return list(found)


def _versions(tx: Transaction, tenant: str, keys: dict[str, Key]) -> dict[Key, tuple[Head, ...]]:
    versions: dict[Key, tuple[Head, ...]] = {}
    for row in some(tx, "read/versions", "keys", keys, tenant=tenant):
        key = keys[row["key"]]
        versions[key] = (*versions.get(key, ()), Head(row["id"], row["version"]))
    return versions


def check(tx: Transaction, changes: ChangeSet) -> Closure | None:
    """What surrounds the records to be erased. Raises Conflict when it isn't as the plan saw it, NotPermitted when an
    edge names an erased record."""
    made = {r.id for r in changes.records}
    named = {n for e in changes.edges for n in (e.source, e.target, *sum(e.evidence, ()))} - made
    for row in some(tx, "read/tombstones", "ids", sorted(named), tenant=changes.tenant):
        raise NotPermitted(f"{row['tombstone']['id']} is deleted", hint="a tombstone can't be part of an edge")
    if changes.erasure is None or changes.erasure.seen is None:
        return None
    found = closure(tx, changes.tenant, changes.erasure.roots, b"")
    if found.seen != changes.erasure.seen:
        raise Conflict("what surrounds the records was changed by another writer", hint="load it again and retry")
    return found


def erase(tx: Transaction, changes: ChangeSet, surrounds: Closure | None) -> None:
    """Take what the changes erase out of every node and relationship."""
    erasure = changes.erasure
    if erasure is None:
        return
    stones = [{"id": t.id, "properties": rows.tombstone_properties(t)} for t in erasure.tombstones]
    erased, scrubbed = list(erasure.erased), list(erasure.scrubbed)
    blank = [{"id": name, "assertions": []} for name in erased]
    if erasure.assertions:
        blank += [{"id": name, "assertions": list(erasure.assertions)} for name in erasure.roots if name not in erased]
    edges = surrounds.edges if surrounds else {}
    tx.tell("write/tombstones", rows=stones)
    tx.tell("write/empty", ids=erased, status=None)
    tx.tell("write/empty", ids=scrubbed, status=NEEDS_REGENERATION)
    tx.tell("write/blank_assertions", rows=blank)
    tx.tell("write/blank_justifications", ids=erased)
    tx.tell("write/unhash", ids=scrubbed)
    tx.tell("write/edges_erase", rows=[{"id": name, "source": edges[name].source} for name in erasure.edges])
    left = erasure.pruned.items()
    pruned = [{"id": n, "source": edges[n].source, "evidence": [" ".join(p) for p in kept]} for n, kept in left]
    tx.tell("write/edges_prune", rows=pruned)
    tx.tell("write/entities_erase", ids=list(erasure.entities))
    tx.tell("write/sites_erase", ids=list(erasure.sites))
    tx.tell("write/heads_erase", keys=[rows.key_text(changes.tenant, key) for key in erasure.headless])


def keyed_by(tx: Transaction, tenant: str, entity: str) -> tuple[str, ...]:
    """Every record whose key is of an entity."""
    beginning = rows.joined(tenant, entity, "")
    return tuple(r["id"] for r in tx.rows("read/keyed_by", key=beginning, tenant=tenant))
