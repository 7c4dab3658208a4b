"""The stores that the conformance suite holds to the port. A further store joins by one line of STORES."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from graphmem.adapters.store_memory import MemoryStore
from graphmem.adapters.store_sqlite import SqliteStore
from graphmem.ports.store import Store
from tests.conformance.emptied import neo4j_store
from tests.servers.neo4j import Neo4j


@dataclass(frozen=True)
class Place:
    """What a store may use of a test: a folder of its own, and the server of the run, started when asked for."""

    folder: Path
    neo4j: Callable[[], Neo4j]


# A factory opens the same memory again when it is called again with the same place, unless its store is fleeting.
Factory = Callable[[Place, bytes], Store]

STORES: dict[str, Factory] = {
    "memory": lambda place, identity_key: MemoryStore(identity_key),
    "sqlite": lambda place, identity_key: SqliteStore(place.folder / "memory.db", identity_key=identity_key),
    "neo4j": lambda place, identity_key: neo4j_store(place.neo4j(), str(place.folder), identity_key),
}
FLEETING = {"memory"}
PARAMETERS = [pytest.param(name, marks=[pytest.mark.neo4j] if name == "neo4j" else []) for name in STORES]
