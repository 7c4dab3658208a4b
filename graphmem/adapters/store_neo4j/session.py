"""Speaking with a Neo4j server. Lives here: the driver with its limits, managed transactions with bookmarks, and what
the driver's errors mean. Lives elsewhere: the statements and what they return (read, write)."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from neo4j import Driver, GraphDatabase, ManagedTransaction, Result, unit_of_work
from neo4j.exceptions import (
    AuthError,
    ConfigurationError,
    DriverError,
    IncompleteCommit,
    Neo4jError,
    ServiceUnavailable,
    SessionExpired,
)

from graphmem.adapters.store_neo4j.statements import statement
from graphmem.core.errors import CommitUnknown, DeadlineExceeded, GraphmemError, InvalidInput, StoreUnavailable

T = TypeVar("T")
Row = dict[str, Any]

# The statements use scoped subqueries and dynamic labels, which Cypher has since this version.
OLDEST_VERSION = (5, 26)
CONNECT_TIMEOUT_S = 10.0
SHORTEST_MS = 1.0  # of a transaction's time; 0 means no limit to the server
RETRY_S = 15.0  # how long a write is tried again where the driver says that it may be
_AGENT = re.compile(r"Neo4j/(\d+)\.(\d+)")


@dataclass(frozen=True, slots=True)
class Address:
    """Where a database is and who enters it. The password is in no message and no representation."""

    uri: str
    user: str
    password: str
    database: str | None = None
    timeout_s: float = 60.0
    pool_size: int = 20

    def __repr__(self) -> str:
        return f"Address({self.uri!r}, {self.user!r}, database={self.database!r})"


TIMED_OUT = "Neo.ClientError.Transaction.TransactionTimedOut"
_DATABASE = "check the database at the end of the memory's URL, or NEO4J_DATABASE"
_ENTRY = "check the user and password: in the memory's URL, or NEO4J_USERNAME and NEO4J_PASSWORD"
# What a code of the server means to the user, by its beginning: (beginning, message, hint).
_CODES: tuple[tuple[str, str, str], ...] = (
    ("Neo.ClientError.Security.Forbidden", "doesn't allow this user to do that", "use a user with the role publisher"),
    ("Neo.ClientError.Security", "refuses this user or password", _ENTRY),
    ("Neo.ClientError.Database.DatabaseNotFound", "has no such database", _DATABASE),
    ("Neo.ClientError.Cluster.NotALeader", "can't take writes here", "use a neo4j:// URL, which finds the leader"),
    ("Neo.ClientError.General.ForbiddenOnReadOnlyDatabase", "is read-only here", "use a server that takes writes"),
    ("Neo.ClientError.General.WriteOnReadOnlyAccessDatabase", "is read-only", "make the database writable"),
    (
        "Neo.TransientError.General.MemoryPoolOutOfMemoryError",
        "has too little memory for a commit of this size",
        "write in smaller parts, or raise its heap and dbms.memory.transaction.total.max",
    ),
    ("Neo.TransientError", "was busy and the retries didn't help", "try again"),
)


def too_long() -> DeadlineExceeded:
    return DeadlineExceeded("this took longer than it had time for", hint="give it longer, or ask for less")


class Server:
    """One database of one server, for one process; threads may share it."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self._bookmarks = GraphDatabase.bookmark_manager()
        with self._translated():
            self._driver: Driver = GraphDatabase.driver(
                address.uri,
                auth=(address.user, address.password) if address.user else None,
                max_connection_pool_size=address.pool_size,
                connection_timeout=min(CONNECT_TIMEOUT_S, address.timeout_s),
                connection_acquisition_timeout=address.timeout_s,
                max_transaction_retry_time=min(RETRY_S, address.timeout_s),
                notifications_min_severity="OFF",
            )
        try:
            self._refuse_older()
        except BaseException:
            self.close()
            raise

    def _refuse_older(self) -> None:
        """Speak with the server once, so that what is wrong with the way to it is said at opening."""
        with self._translated():
            agent = self._driver.get_server_info().agent
        found = _AGENT.match(agent)
        if found and tuple(map(int, found.groups())) < OLDEST_VERSION:
            oldest = ".".join(map(str, OLDEST_VERSION))
            raise self._trouble(f"runs {agent}, which is too old", f"use Neo4j {oldest} or newer")

    def close(self) -> None:
        self._driver.close()

    def read(self, work: Callable[[Transaction], T], timeout_ms: float | None = None) -> T:
        """One read transaction that sees every commit of this memory's own writes. Raises DeadlineExceeded."""
        if timeout_ms is None:
            return self._run(work, self.address.timeout_s, write=False)
        limit = min(self.address.timeout_s, max(timeout_ms, SHORTEST_MS) / 1_000)
        return self._run(work, limit, write=False)

    def write(self, work: Callable[[Transaction], T]) -> T:
        """One write transaction; it is tried again only where the driver says that it may be."""
        return self._run(work, self.address.timeout_s, write=True)

    def plain(self, text: str) -> None:
        """A schema statement in a transaction of its own; what another client made in the meantime is made."""
        with (
            self._translated(),
            self._driver.session(database=self.address.database, bookmark_manager=self._bookmarks) as session,
        ):
            try:
                session.execute_write(lambda tx: tx.run(text).consume())
            except Neo4jError as error:
                if not (error.code or "").endswith("AlreadyExists"):
                    raise

    def _run(self, work: Callable[[Transaction], T], timeout_s: float, *, write: bool) -> T:
        end = time.monotonic() + timeout_s
        timed = unit_of_work(timeout=timeout_s)(lambda tx: work(Transaction(tx, end)))
        with (
            self._translated(),
            self._driver.session(database=self.address.database, bookmark_manager=self._bookmarks) as session,
        ):
            result: T = (session.execute_write if write else session.execute_read)(timed)
            return result

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except GraphmemError:
            raise
        except (Neo4jError, DriverError, OSError, ValueError) as error:
            raise self._meaning(error) from error

    def _meaning(self, error: Exception) -> GraphmemError:
        """What a foreign error means to the user."""
        match error:
            case IncompleteCommit():
                return CommitUnknown(
                    f"{self.address.uri} stopped answering during a commit",
                    hint="look whether the write is there, then retry",
                )
            case AuthError():
                return self._trouble("refuses this user or password", _ENTRY)
            case ServiceUnavailable() | SessionExpired() | OSError():
                return self._trouble(
                    "can't be reached", "check host and port, and that it runs (a local one: graphmem neo4j status)"
                )
            case ConfigurationError() | ValueError():
                return InvalidInput(f"not a Neo4j URL: {self.address.uri}", hint="use neo4j://HOST:PORT or bolt://")
            case Neo4jError(code=code) if (code or "").startswith(TIMED_OUT):
                return too_long()
            case Neo4jError(code=code):
                for beginning, message, hint in _CODES:
                    if (code or "").startswith(beginning):
                        return self._trouble(message, hint)
                return self._trouble(f"failed: {code}", "see the server's log")
        return self._trouble(f"failed: {type(error).__name__}", "see the server's log")

    def _trouble(self, message: str, hint: str) -> StoreUnavailable:
        place = f"{self.address.uri}/{self.address.database}" if self.address.database else self.address.uri
        return StoreUnavailable(f"{place} {message}", hint=hint)


# Without a handler of the caller's own, Python prints what the driver logs of a broken line: the error says it already.
logging.getLogger("neo4j").addHandler(logging.NullHandler())


class Unspelled(list[Any]):
    """A list that isn't spelled out: the driver makes a text of every parameter for its log of what it sends, whether
    anybody reads that log or not."""

    def __repr__(self) -> str:
        return f"<{len(self)} values>"


class Transaction:
    """Statements by name within one transaction, none of which begins after its end on the monotonic clock."""

    def __init__(self, tx: ManagedTransaction, end: float) -> None:
        self._tx = tx
        self._end = end

    def rows(self, name: str, parameters: Mapping[str, Any] | None = None, /, **more: Any) -> list[Row]:
        """All rows of a statement."""
        result = self._begun(name, {**(parameters or {}), **more})
        keys = result.keys()
        return [dict(zip(keys, record.values(), strict=True)) for record in result]

    def tell(self, name: str, parameters: Mapping[str, Any] | None = None, /, **more: Any) -> None:
        """Run a statement whose rows nobody reads."""
        self._begun(name, {**(parameters or {}), **more}).consume()

    def _begun(self, name: str, parameters: Mapping[str, Any]) -> Result:
        if time.monotonic() >= self._end:
            raise too_long()
        sent = {key: Unspelled(value) if isinstance(value, list) else value for key, value in parameters.items()}
        return self._tx.run(statement(name), sent)  # type: ignore[arg-type, unused-ignore]
