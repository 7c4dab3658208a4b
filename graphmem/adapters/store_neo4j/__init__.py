"""The store port on Neo4j. Lives here: the port's methods, each one managed transaction, and the opening of a database.
Lives elsewhere: statements (cypher/), reads, writes, the driver (the modules beside)."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterator, Mapping, Sequence

from graphmem.adapters.store_neo4j import dump, expand, read, write
from graphmem.adapters.store_neo4j.session import Address, Server
from graphmem.adapters.store_neo4j.statements import statement
from graphmem.core.belief import Candidate
from graphmem.core.changes import Applied, ChangeSet
from graphmem.core.errors import CorruptStore
from graphmem.core.records import Key
from graphmem.core.views import (
    Caps,
    Entries,
    Found,
    Hits,
    Neighbourhood,
    Proof,
    Snapshot,
    Status,
    View,
    Wanted,
)
from graphmem.ports.store import Fact

__all__ = ["Address", "Neo4jStore"]


class Neo4jStore:
    """The store port on one database. A store may be shared by threads; processes share the server."""

    def __init__(self, address: Address, *, identity_key: bytes | None = None) -> None:
        self._server = Server(address)
        try:
            self._identity_key = self._open(identity_key)
        except BaseException:
            self._server.close()
            raise

    def _open(self, identity_key: bytes | None) -> bytes:
        """Install the schema where it is missing, make the memory where there is none, and give its key."""
        found = self._server.read(lambda tx: tx.rows("read/memory"))
        if not found:
            for line in statement("schema/constraints").splitlines():
                if not line.startswith("//"):
                    self._server.plain(line)
            key = (identity_key or secrets.token_bytes(16)).hex()
            values = {"identity_key": key, "schema_version": dump.SCHEMA_VERSION}
            found = self._server.write(lambda tx: tx.rows("schema/memory", values))
        if found[0]["schema_version"] > dump.SCHEMA_VERSION:
            raise CorruptStore(
                f"{self._server.address.uri} has schema version {found[0]['schema_version']}; this graphmem reads up to "
                f"{dump.SCHEMA_VERSION}",
                hint="install a newer graphmem",
            )
        return bytes.fromhex(found[0]["identity_key"])

    @property
    def identity_key(self) -> bytes:
        return self._identity_key

    def load(self, tenant: str, wanted: Wanted) -> Snapshot:
        return self._server.read(lambda tx: read.load(tx, tenant, wanted, self._identity_key))

    def apply(self, changes: ChangeSet) -> Applied:
        if changes.is_empty:
            return Applied(0)
        return self._server.write(lambda tx: write.commit(tx, changes))

    def preview(self, changes: ChangeSet) -> Applied:
        return self._server.read(lambda tx: write.preview(tx, changes))

    def search(self, view: View, terms: Sequence[str], words: Sequence[str], limit: int) -> Hits:
        return self._server.read(lambda tx: read.search(tx, view, terms, words, limit))

    def neighbourhood(self, view: View, seeds: Collection[str], caps: Caps) -> Neighbourhood:
        return self._server.read(lambda tx: expand.neighbourhood(tx, view, seeds, caps))

    def candidates(self, view: View, keys: Collection[Key]) -> Mapping[Key, tuple[Candidate, ...]]:
        return self._server.read(lambda tx: read.candidates(tx, view, keys))

    def find(self, view: View, ids: Collection[str]) -> Mapping[str, Found]:
        return self._server.read(lambda tx: read.find(tx, read.parameters(tx, view), ids))

    def proof(self, view: View, roots: Collection[str], limit: int) -> Proof:
        return self._server.read(lambda tx: read.proof(tx, view, roots, limit))

    def keyed(self, view: View, key: Key) -> tuple[str, ...]:
        return self._server.read(lambda tx: read.keyed(tx, view, key))

    def match(self, tenant: str, prefix: str, limit: int = 10) -> tuple[str, ...]:
        return self._server.read(lambda tx: read.match(tx, tenant, prefix, limit))

    def commit_at(self, tenant: str, instant: int) -> int:
        found = self._server.read(lambda tx: tx.rows("read/commit_at", tenant=tenant, at=instant))
        return int(found[0]["k"])

    def entries(self, tenant: str, repository: str) -> Entries:
        return self._server.read(lambda tx: read.entries(tx, tenant, repository))

    def dump(self, tenant: str) -> Iterator[Fact]:
        return dump.dump(self._server, tenant)

    def status(self, tenant: str) -> Status:
        return self._server.read(lambda tx: dump.status(tx, tenant, self._server.address.uri))

    def close(self) -> None:
        self._server.close()
