"""The store port on Neo4j. Lives here: the port's methods, each one managed transaction. Lives elsewhere: statements
(cypher/), the opening, reads and writes that use them, the driver (the modules beside)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TypeVar

from graphmem.adapters.store_neo4j import dump, erase, expand, past, queue, read, review, schema, speaking, write
from graphmem.adapters.store_neo4j.session import Address, Server, Transaction
from graphmem.core.analyzer import drop_terms
from graphmem.core.auditing import REACH, Audited, Moved, Place, Sought
from graphmem.core.belief import Candidate
from graphmem.core.changes import Applied, ChangeSet
from graphmem.core.erasure import Closure
from graphmem.core.errors import StoreUnavailable
from graphmem.core.intervals import TIME_MAX
from graphmem.core.jobs import Job, JobState, Offer
from graphmem.core.lifetimes import History
from graphmem.core.records import Key
from graphmem.core.views import (
    Caps,
    Entries,
    Fact,
    Found,
    Hits,
    Keys,
    Neighbourhood,
    Proof,
    Quarantine,
    Snapshot,
    Status,
    View,
    Wanted,
)

__all__ = ["Address", "Neo4jStore"]

T = TypeVar("T")


class Neo4jStore:
    """The store port on one database. A store may be shared by threads; processes share the server."""

    def __init__(
        self,
        address: Address,
        *,
        create: bool = True,
        read_only: bool = False,
        identity_key: bytes | None = None,
    ) -> None:
        """Open the memory of a database, or make it where there is none, unless it is only to be read."""
        self._server = Server(address)
        self._read_only = read_only
        try:
            self._identity_key = schema.open_memory(self._server, identity_key, create=create and not read_only)
        except BaseException:
            self._server.close()
            raise

    @property
    def identity_key(self) -> bytes:
        return self._identity_key

    def load(self, tenant: str, wanted: Wanted) -> Snapshot:
        return self._server.read(lambda tx: read.load(tx, tenant, wanted, self._identity_key))

    def apply(self, changes: ChangeSet) -> Applied:
        if changes.is_empty:
            return Applied(0)
        return self._write(lambda tx: write.commit(tx, changes))

    def preview(self, changes: ChangeSet) -> Applied:
        return self._server.read(lambda tx: write.preview(tx, changes))

    def search(self, view: View, terms: Sequence[str], words: Sequence[str], limit: int) -> Hits:
        return self._server.read(lambda tx: read.search(tx, view, terms, words, limit), view.timeout_ms)

    def neighbourhood(self, view: View, seeds: Collection[str], caps: Caps) -> Neighbourhood:
        return self._server.read(lambda tx: expand.neighbourhood(tx, view, seeds, caps), view.timeout_ms)

    def candidates(
        self, view: View, keys: Collection[Key], *, claims: bool = False
    ) -> Mapping[Key, tuple[Candidate, ...]]:
        return self._server.read(lambda tx: speaking.candidates(tx, view, keys, claims), view.timeout_ms)

    def disputed(self, view: View, after: Key | None, limit: int, *, claims: bool = False) -> Keys:
        return self._server.read(lambda tx: speaking.disputed(tx, view, after, limit, claims), view.timeout_ms)

    def quarantined(self, view: View, after: Place, limit: int) -> Quarantine:
        return self._server.read(lambda tx: review.quarantined(tx, view, after, limit), view.timeout_ms)

    def find(self, view: View, ids: Collection[str]) -> Mapping[str, Found]:
        return self._server.read(lambda tx: read.bodies(tx, read.parameters(tx, view), ids)[0], view.timeout_ms)

    def proof(self, view: View, roots: Collection[str], limit: int) -> Proof:
        return self._server.read(lambda tx: read.proof(tx, view, roots, limit), view.timeout_ms)

    def keyed(self, view: View, key: Key) -> tuple[str, ...]:
        return self._server.read(lambda tx: read.keyed(tx, view, key), view.timeout_ms)

    def history(self, view: View, ids: Collection[str], keys: Collection[Key] = ()) -> History:
        return self._server.read(lambda tx: past.history(tx, view, ids, keys), view.timeout_ms)

    def moved(self, view: View, since: int, limit: int) -> tuple[Moved, ...]:
        return self._server.read(lambda tx: past.moved(tx, view, since, limit), view.timeout_ms)

    def audit(self, view: View, sought: Sought, after: Place, limit: int, reach: int = REACH) -> Audited:
        return self._server.read(lambda tx: past.audit(tx, view, sought, after, limit, reach), view.timeout_ms)

    def lease(self, tenant: str, offer: Offer) -> tuple[Job, ...]:
        return self._write(lambda tx: queue.lease(tx, tenant, offer))

    def fail(self, tenant: str, job: Job, cause: str, now: int) -> Job | None:
        return self._write(lambda tx: queue.fail(tx, tenant, job, cause, now))

    def jobs(
        self,
        tenant: str,
        *,
        state: JobState | None = None,
        records: Collection[str] | None = None,
        after: str = "",
        limit: int = 100,
    ) -> tuple[Job, ...]:
        return self._server.read(lambda tx: queue.jobs(tx, tenant, state, records, after, limit))

    def retry(self, tenant: str, ids: Collection[str] | None, now: int) -> int:
        return self._write(lambda tx: queue.retry(tx, tenant, ids, now))

    def match(self, tenant: str, prefix: str, limit: int = 10) -> tuple[str, ...]:
        return self._server.read(lambda tx: read.match(tx, tenant, prefix, limit))

    def commit_at(self, tenant: str, instant: int) -> int:
        found = self._server.read(lambda tx: tx.rows("read/commit_at", tenant=tenant, at=instant))
        return int(found[0]["k"])

    def entries(self, tenant: str, repository: str) -> Entries:
        return self._server.read(lambda tx: read.entries(tx, tenant, repository))

    def dump(self, tenant: str) -> Iterator[Fact]:
        return dump.dump(self._server, tenant)

    def closure(self, tenant: str, roots: Collection[str]) -> Closure:
        return self._server.read(lambda tx: erase.closure(tx, tenant, roots, self._identity_key))

    def keyed_by(self, tenant: str, entity: str) -> tuple[str, ...]:
        return self._server.read(lambda tx: erase.keyed_by(tx, tenant, entity))

    def scour(self) -> tuple[str, ...]:
        drop_terms()
        self._server.read(lambda tx: tx.tell("schema/refresh"))
        return ()

    def status(self, tenant: str, at: int = TIME_MAX - 1) -> Status:
        return self._server.read(lambda tx: dump.status(tx, tenant, at, self._server.address.uri))

    def close(self) -> None:
        self._server.close()

    def _write(self, work: Callable[[Transaction], T]) -> T:
        if self._read_only:
            raise StoreUnavailable(f"{self._server.address.uri} was opened read-only", hint="open it for writing")
        return self._server.write(work)
