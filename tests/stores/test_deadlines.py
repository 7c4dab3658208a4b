"""A read with a timeout is stopped where it runs: by SQLite between two steps of its machine, by the Neo4j server. What
an answer is made of then is tested with recall."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from graphmem.adapters import store_sqlite
from graphmem.adapters.store_neo4j.session import Server
from graphmem.adapters.store_sqlite import SqliteStore
from graphmem.core.changes import Draft
from graphmem.core.errors import DeadlineExceeded
from graphmem.core.records import Role
from graphmem.core.verbs import conclude, remember
from graphmem.core.views import Caps
from graphmem.ports.store import Store
from tests.conformance.emptied import address_of, neo4j_store
from tests.memories import KEY, commit, provenance, record, view
from tests.servers.neo4j import Neo4j

ENDLESS = "UNWIND range(1, 1000000000000) AS n RETURN sum(n % 7) AS total"


def star(store: Store) -> str:
    """A premise with four hundred conclusions, which takes tens of thousands of SQLite's steps to read."""

    def plan(draft: Draft) -> str:
        premise = remember(draft, record("the premise"), provenance())
        for n in range(400):
            conclude(draft, record(f"conclusion {n}", Role.SUMMARY), (premise,), "rule", provenance())
        return premise

    return commit(store, plan)[0]


@pytest.fixture
def sqlite(tmp_path: Path) -> Iterator[SqliteStore]:
    made = SqliteStore(tmp_path / "memory.db", identity_key=KEY)
    yield made
    made.close()


@pytest.fixture
def hurry(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Makes every later look at the monotonic clock see a second more than the one before."""

    def set_going() -> None:
        looks = iter(range(1_000_000))
        monkeypatch.setattr(store_sqlite.time, "monotonic", lambda: float(next(looks)))

    return set_going


def test_sqlite_stops_a_read_when_its_time_is_over(sqlite: SqliteStore, hurry: Callable[[], None]) -> None:
    premise = star(sqlite)
    hurry()
    with pytest.raises(DeadlineExceeded, match="longer than it had time for"):
        sqlite.neighbourhood(replace(view(), timeout_ms=500), [premise], Caps())


def test_sqlite_reads_on_after_a_read_that_was_stopped(sqlite: SqliteStore, hurry: Callable[[], None]) -> None:
    premise = star(sqlite)
    hurry()
    with pytest.raises(DeadlineExceeded):
        sqlite.neighbourhood(replace(view(), timeout_ms=500), [premise], Caps())
    assert len(sqlite.neighbourhood(view(), [premise], Caps(nodes=500)).records) == 401
    assert commit(sqlite, lambda draft: remember(draft, record("later"), provenance()))[1].commit == 2


def test_sqlite_lets_a_read_end_that_has_time_enough(sqlite: SqliteStore) -> None:
    premise = star(sqlite)
    assert len(sqlite.find(replace(view(), timeout_ms=60_000), [premise])) == 1


@pytest.mark.neo4j
def test_neo4j_ends_a_statement_whose_time_is_over(neo4j: Neo4j) -> None:
    server = Server(address_of(neo4j))
    started = time.monotonic()
    with pytest.raises(DeadlineExceeded):
        server.read(lambda tx: tx._tx.run(ENDLESS).consume(), 200)
    server.close()
    assert time.monotonic() - started < 60, "an endless statement ends only because the server ended it"


@pytest.mark.neo4j
def test_neo4j_begins_no_statement_after_its_time(neo4j: Neo4j, tmp_path: Path) -> None:
    store = neo4j_store(neo4j, str(tmp_path), KEY)
    premise = star(store)
    with pytest.raises(DeadlineExceeded):
        store.find(replace(view(), timeout_ms=0), [premise])
    assert len(store.find(replace(view(), timeout_ms=60_000), [premise])) == 1
    store.close()
