"""Speaking with a Neo4j server. Lives here: the driver with its limits, managed transactions with bookmarks, and what the
driver's errors mean. Lives elsewhere: the statements and what they return (read, write)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from neo4j import Bookmarks, Driver, GraphDatabase, ManagedTransaction, unit_of_work
from neo4j.exceptions import (
    AuthError,
    ClientError,
    ConfigurationError,
    DriverError,
    IncompleteCommit,
    Neo4jError,
    ServiceUnavailable,
)

from graphmem.adapters.store_neo4j.statements import statement
from graphmem.core.errors import CommitUnknown, GraphmemError, InvalidInput, StoreUnavailable

T = TypeVar("T")
Row = dict[str, Any]


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


# What a code of the server means to the user, by its beginning: (beginning, message, hint).
_CODES: tuple[tuple[str, str, str], ...] = (
    ("Neo.ClientError.Security", "refuses this user or password", "check the user and password of the memory's URL"),
    ("Neo.ClientError.Database.DatabaseNotFound", "has no such database", "check the database in the memory's URL"),
    ("Neo.ClientError.Cluster.NotALeader", "can't take writes here", "use a neo4j:// URL, which finds the leader"),
    ("Neo.ClientError.General.ForbiddenOnReadOnlyDatabase", "is read-only here", "use a server that takes writes"),
    ("Neo.ClientError.General.WriteOnReadOnlyAccessDatabase", "is read-only", "make the database writable"),
    ("Neo.ClientError.Transaction.TransactionTimedOut", "took longer than the time limit", "ask for less"),
    ("Neo.ClientError.Statement.SyntaxError", "doesn't know this Cypher", "use Neo4j 2026.01 or newer"),
    ("Neo.TransientError", "was busy and the retries didn't help", "try again"),
)


class Server:
    """One database of one server, for one process; threads may share it."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self._lock = threading.Lock()
        self._bookmarks = Bookmarks()
        with self._translated():
            self._driver: Driver = GraphDatabase.driver(
                address.uri,
                auth=(address.user, address.password) if address.user else None,
                max_connection_pool_size=address.pool_size,
                connection_acquisition_timeout=address.timeout_s,
                max_transaction_retry_time=address.timeout_s / 2,
                notifications_min_severity="OFF",
            )

    def close(self) -> None:
        self._driver.close()

    def read(self, work: Callable[[Transaction], T]) -> T:
        """One read transaction that sees every commit of this memory's own writes."""
        return self._run(work, write=False)

    def write(self, work: Callable[[Transaction], T]) -> T:
        """One write transaction; it is tried again only where the driver says that it may be."""
        return self._run(work, write=True)

    def plain(self, text: str) -> list[Row]:
        """A schema statement in a transaction of its own."""
        with self._translated(), self._driver.session(database=self.address.database) as session:
            return session.run(text).data()  # type: ignore[arg-type]

    def _run(self, work: Callable[[Transaction], T], *, write: bool) -> T:
        timed = unit_of_work(timeout=self.address.timeout_s)(lambda tx: work(Transaction(tx)))
        with self._translated():
            with self._driver.session(database=self.address.database, bookmarks=self._bookmarks) as session:
                result: T = (session.execute_write if write else session.execute_read)(timed)
                with self._lock:
                    self._bookmarks = session.last_bookmarks()
            return result

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except GraphmemError:
            raise
        except IncompleteCommit as error:
            raise CommitUnknown(
                f"{self.address.uri} stopped answering during a commit", hint="look whether the write is there, then retry"
            ) from error
        except AuthError as error:
            raise self._trouble("refuses this user or password", "check the user and password") from error
        except ServiceUnavailable as error:
            raise self._trouble("can't be reached", "check that the server runs: graphmem neo4j status") from error
        except ConfigurationError as error:
            raise InvalidInput(f"not a Neo4j URL: {self.address.uri}", hint="use neo4j:// or bolt://") from error
        except Neo4jError as error:
            for beginning, message, hint in _CODES:
                if (error.code or "").startswith(beginning):
                    raise self._trouble(message, hint) from error
            raise self._trouble(f"failed: {error.code}", "see the server's log") from error
        except (DriverError, ClientError, OSError) as error:
            raise self._trouble(f"failed: {type(error).__name__}", "see the server's log") from error

    def _trouble(self, message: str, hint: str) -> StoreUnavailable:
        return StoreUnavailable(f"{self.address.uri} {message}", hint=hint)


class Transaction:
    """Statements by name within one transaction."""

    def __init__(self, tx: ManagedTransaction) -> None:
        self._tx = tx

    def rows(self, name: str, parameters: Mapping[str, Any] | None = None, /, **more: Any) -> list[Row]:
        """All rows of a statement."""
        result = self._tx.run(statement(name), {**(parameters or {}), **more})  # type: ignore[arg-type]
        keys = result.keys()
        return [dict(zip(keys, record.values(), strict=True)) for record in result]

    def tell(self, name: str, parameters: Mapping[str, Any] | None = None, /, **more: Any) -> None:
        """Run a statement whose rows nobody reads."""
        self._tx.run(statement(name), {**(parameters or {}), **more}).consume()  # type: ignore[arg-type]
