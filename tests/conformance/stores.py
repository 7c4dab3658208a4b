"""The stores that the conformance suite holds to the port. A further store joins by one line of STORES."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from graphmem.adapters.store_memory import MemoryStore
from graphmem.adapters.store_sqlite import SqliteStore
from graphmem.ports.store import Store

# A factory opens the same memory again when it is called again with the same folder, unless its store is fleeting.
Factory = Callable[[Path, bytes], Store]

STORES: dict[str, Factory] = {
    "memory": lambda folder, identity_key: MemoryStore(identity_key),
    "sqlite": lambda folder, identity_key: SqliteStore(folder / "memory.db", identity_key=identity_key),
}
FLEETING = {"memory"}
