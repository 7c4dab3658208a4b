"""The schema in a database: its opening, version and migrations, and its comparison with the declaration. Lives
elsewhere: the declaration (models, indexes), the statements (cypher/schema), reading and writing facts.

neomodel is imported only where a schema is made or compared, so that opening a memory doesn't wait for it.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from graphmem.adapters.store_neo4j.session import Address, Server
from graphmem.adapters.store_neo4j.statements import statement
from graphmem.core.errors import CorruptStore, StoreUnavailable
from graphmem.ports.schema import Deviation, SchemaReport, State

if TYPE_CHECKING:
    from graphmem.adapters.store_neo4j.indexes import Index

SCHEMA_VERSION = 2
SAMPLE = 10_000  # nodes of a label, and edges, whose properties are looked at
SETTLE_S = 60  # how long new indexes may take to answer
EDGES = "edge"  # stands for the label where a property is an edge's

# From each older version, the names of the statements that lead to the next one. Each may run again from its beginning;
# what the classes declare is installed after them.
MIGRATIONS: dict[int, tuple[str, ...]] = {1: ()}


def open_memory(server: Server, identity_key: bytes | None, *, create: bool = True) -> bytes:
    """Bring the database to this version's schema, make the memory where there is none, and give its key.

    Raises StoreUnavailable when there is none and none is to be made.
    """
    found = server.read(lambda tx: tx.rows("read/memory"))
    if not found and not create:
        raise StoreUnavailable(
            f"there is no memory in {server.address.uri}", hint="make one with: graphmem remember or ingest"
        )
    if not found:
        install(server)
        key = (identity_key or secrets.token_bytes(16)).hex()
        values = {"identity_key": key, "schema_version": SCHEMA_VERSION}
        found = server.write(lambda tx: tx.rows("schema/memory", values))
    version = int(found[0]["schema_version"])
    _refuse_newer(server, version)
    if version < SCHEMA_VERSION:
        _migrate(server, version)
    return bytes.fromhex(found[0]["identity_key"])


def _refuse_newer(server: Server, version: int) -> None:
    if version > SCHEMA_VERSION:
        raise CorruptStore(
            f"{server.address.uri} has schema version {version}; this graphmem reads up to {SCHEMA_VERSION}",
            hint="install a newer graphmem",
        )


def _migrate(server: Server, version: int) -> None:
    """One version after the other, each noted when it is done, so that a broken migration goes on where it was."""
    for step in range(version, SCHEMA_VERSION):
        if step not in MIGRATIONS:
            raise StoreUnavailable(f"{server.address.uri}: no migration from schema version {step}")
        for name in MIGRATIONS[step]:
            server.plain(statement(name))
        if step + 1 == SCHEMA_VERSION:
            install(server)
        values = {"from": step, "to": step + 1}
        server.write(lambda tx, values=values: tx.tell("schema/migrated", values))  # type: ignore[misc]


def install(server: Server) -> tuple[str, ...]:
    """Make what is missing and give its names, in the order of the declaration."""
    from graphmem.adapters.store_neo4j.indexes import declared

    wanted = tuple(declared())
    lacking = {d.name for d in _of_indexes(wanted, _there(server)) if d.state is State.MISSING}
    for index in wanted:
        if index.name in lacking:
            server.plain(index.statement())
    if lacking:
        server.read(lambda tx: tx.tell("schema/settle", seconds=SETTLE_S))
    return tuple(index.name for index in wanted if index.name in lacking)


def _there(server: Server) -> tuple[Index, ...]:
    from graphmem.adapters.store_neo4j.indexes import told

    return tuple(told(row) for row in server.read(lambda tx: tx.rows("schema/indexes")))


def _of_indexes(wanted: tuple[Index, ...], there: tuple[Index, ...]) -> Iterator[Deviation]:
    """What is missing, different, and extra on a label of ours."""
    explained: set[str] = set()
    for index in wanted:
        serving = [found for found in there if found.does_for(index)]
        barring = [] if serving else [found for found in there if found.bars(index)]
        explained |= {found.name for found in (*serving, *barring)}
        if barring:
            yield Deviation(State.DIFFERENT, barring[0].species, barring[0].name, str(index), str(barring[0]))
        elif not serving:
            yield Deviation(State.MISSING, index.species, index.name, str(index))
    labels = {index.label for index in wanted}
    for found in there:
        if found.name not in explained and labels & set(found.label.split("|")):
            yield Deviation(State.EXTRA, found.species, found.name, found=str(found))


class Schema:
    """The schema of one database, as `graphmem neo4j schema` looks after it."""

    def __init__(self, address: Address) -> None:
        self._server = Server(address)

    def report(self) -> SchemaReport:
        from graphmem.adapters.store_neo4j.indexes import declared

        memory = self._server.read(lambda tx: tx.rows("read/memory"))
        deviations = list(_of_indexes(tuple(declared()), _there(self._server)))
        deviations += self._foreign_constraints()
        found, partial = self._properties()
        deviations += _of_properties(found)
        order = list(State)
        return SchemaReport(
            location=self._server.address.uri,
            version=int(memory[0]["schema_version"]) if memory else None,
            deviations=tuple(sorted(deviations, key=lambda d: (order.index(d.state), d.kind, d.name))),
            partial=partial,
        )

    def install(self) -> tuple[str, ...]:
        for row in self._server.read(lambda tx: tx.rows("read/memory")):
            _refuse_newer(self._server, int(row["schema_version"]))
        return install(self._server)

    def close(self) -> None:
        self._server.close()

    def _foreign_constraints(self) -> Iterator[Deviation]:
        from graphmem.adapters.store_neo4j.models import NODES

        labels = {model.__label__ for model in NODES}
        for row in self._server.read(lambda tx: tx.rows("schema/constraints")):
            if labels & set(row["labels"]):
                found = f"{row['type'].lower()} {'|'.join(row['labels'])}({', '.join(row['properties'])})"
                yield Deviation(State.EXTRA, "constraint", row["name"], found=found)

    def _properties(self) -> tuple[dict[tuple[str, str], set[str]], bool]:
        """The types of each property by label, and whether there are more nodes or edges than were looked at."""
        labels = list(_declared_properties())
        rows = self._server.read(lambda tx: tx.rows("schema/properties", labels=labels, limit=SAMPLE))
        rows += self._server.read(lambda tx: tx.rows("schema/edge_properties", label=EDGES, limit=SAMPLE))
        found = {(row["label"], row["property"]): {_bare(t) for t in row["types"]} for row in rows}
        return found, any(row["nodes"] >= SAMPLE for row in rows)


def _of_properties(found: dict[tuple[str, str], set[str]]) -> Iterator[Deviation]:
    """Properties of another type than declared, and those that nobody declares."""
    declared = _declared_properties()
    for (label, name), types in found.items():
        wanted = declared[label].get(name, "")
        strange = types - {wanted, *(["LIST<NOTHING>"] if wanted.startswith("LIST") else [])}
        if not wanted:
            yield Deviation(State.EXTRA, "property", f"{label}.{name}", found=_joined(types))
        elif strange:
            yield Deviation(State.DIFFERENT, "property", f"{label}.{name}", wanted, _joined(strange))


def _declared_properties() -> dict[str, dict[str, str]]:
    """The type of each property by label, for the labels that have no narrower one beside them, and of edges."""
    from graphmem.adapters.store_neo4j.models import NODES, Edge

    narrowest = [model for model in NODES if not any(model in other.__bases__ for other in NODES)]
    return {model.__label__: types_of(model) for model in narrowest} | {EDGES: types_of(Edge)}


def types_of(model: Any) -> dict[str, str]:
    properties = model.defined_properties(aliases=False, rels=False)
    return {p.get_db_property_name(name): _type(p) for name, p in properties.items()}


def _type(declared: Any) -> str:
    """The name that Cypher has for the type of a property."""
    members = getattr(declared, "base_property", None)
    if members is not None:
        return f"LIST<{_type(members)} NOT NULL>"
    return str(type(declared).__name__).removesuffix("Property").upper()


def _bare(told: str) -> str:
    return told.removesuffix(" NOT NULL")


def _joined(types: Iterable[str]) -> str:
    return ", ".join(sorted(types))
