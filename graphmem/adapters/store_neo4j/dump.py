"""Whole-tenant reads of Neo4j: the stream of every fact for export and copy, and the counts of status. Lives elsewhere:
single reads (read)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from graphmem.adapters.store_neo4j import read, rows
from graphmem.adapters.store_neo4j.schema import SCHEMA_VERSION
from graphmem.adapters.store_neo4j.session import Row, Server, Transaction
from graphmem.core.views import LATEST, Fact, LinkState, Status

T = TypeVar("T")

PAGE = 1_000


def dump(server: Server, tenant: str) -> Iterator[Fact]:
    """Every fact of now of a tenant, page by page, each page in a transaction of its own."""
    yield from server.read(lambda tx: read.generations(tx, tenant))
    entities: list[str] = []
    for page in _pages(server, "maintain/dump_entities", tenant):
        entities += [row["id"] for row in page]
        yield from (rows.entity_of(row["entity"]) for row in page)
    records: list[str] = []
    for page in _pages(server, "maintain/dump_records", tenant):
        names = [row["id"] for row in page]
        records += names
        yield from server.read(_of(names, lambda tx, ids: list(read.held(tx, tenant, ids, LATEST))))
    shown: set[str] = set()
    for page in _pages(server, "maintain/dump_links", tenant):
        fresh = [row["id"] for row in page if row["id"] not in shown]
        shown.update(fresh)
        for link, live in server.read(_of(fresh, lambda tx, ids: read.links_of(tx, tenant, ids, LATEST))):
            yield LinkState(link, live)
    nodes = [*records, *entities]
    for start in range(0, len(nodes), PAGE):
        part = nodes[start : start + PAGE]
        found = server.read(_of(part, lambda tx, ids: tx.rows("maintain/dump_edges", ids=ids, tenant=tenant)))
        yield from (rows.edge_of(r["edge"], r["source"], r["target"]) for r in found)
    sites = server.read(lambda tx: tx.rows("maintain/dump_sites", tenant=tenant))
    yield from (rows.site_of(row["site"]) for row in sites)
    tombstones = server.read(lambda tx: tx.rows("maintain/dump_tombstones", tenant=tenant))
    yield from (rows.tombstone_of(row["tombstone"]) for row in tombstones)


def _of(names: list[str], ask: Callable[[Transaction, list[str]], T]) -> Callable[[Transaction], T]:
    """A question about one page, bound to its names."""
    return lambda tx: ask(tx, names)


def _pages(server: Server, name: str, tenant: str) -> Iterator[list[Row]]:
    k, version, last = 0, 0, ""
    while True:
        values = {"tenant": tenant, "k": k, "version": version, "id": last, "limit": PAGE}
        page = server.read(_named(name, values))
        if page:
            yield page
        if len(page) < PAGE:
            return
        k, version, last = page[-1]["k"], page[-1].get("version", 0), page[-1]["id"]


def _named(name: str, values: dict[str, object]) -> Callable[[Transaction], list[Row]]:
    return lambda tx: tx.rows(name, values)


def status(tx: Transaction, tenant: str, at: int, location: str) -> Status:
    """Counts of one tenant and facts about the server."""
    found = {r["kind"]: r["number"] for r in tx.rows("maintain/counts", tenant=tenant, at=at, open=rows.OPEN)}
    kinds = "record entity edge site commits justification out".split()
    heads = {g.repository: g for g in read.generations(tx, tenant)}
    return Status(
        backend="neo4j",
        location=location,
        schema_version=SCHEMA_VERSION,
        commit=found.get("last", 0),
        counts={kind: found.get(kind, 0) for kind in kinds},
        roles={kind.removeprefix("role "): n for kind, n in found.items() if kind.startswith("role ")},
        heads=tuple(heads.values()),
        jobs={kind.removeprefix("job "): n for kind, n in found.items() if kind.startswith("job ")},
    )
