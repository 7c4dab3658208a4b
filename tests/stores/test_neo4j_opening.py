"""Opening a memory on Neo4j by its URL: who enters, where, and what each trouble on the way says in one line."""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import LiteralString, NoReturn, cast
from urllib.parse import quote

import pytest
from neo4j import Driver, GraphDatabase
from neo4j.exceptions import IncompleteCommit, Neo4jError

import graphmem
from graphmem.adapters.store_neo4j import schema, session
from graphmem.adapters.store_neo4j.session import Address, Server, Transaction
from graphmem.core.errors import (
    CommitUnknown,
    DeadlineExceeded,
    GraphmemError,
    InvalidInput,
    StoreUnavailable,
    Unsupported,
)
from graphmem.entrances.cli import main
from graphmem.wiring import neo4j_address
from tests.conformance.emptied import address_of, neo4j_store
from tests.memories import KEY, memory_over
from tests.servers.neo4j import Neo4j


def url_of(neo4j: Neo4j, *, password: str = "", database: str = "") -> str:
    place = neo4j.url.removeprefix("bolt://")
    return f"bolt://{neo4j.user}:{quote(password or neo4j.password, safe='')}@{place}/{database}"


def told(capsys: pytest.CaptureFixture[str], url: str) -> str:
    """What the command line says about a memory that it can't open; its exit code is that of store trouble."""
    assert main(["status", "--memory", url]) == 4
    out, err = capsys.readouterr()
    assert out == ""
    error, hint = err.splitlines()
    assert hint.startswith("hint: ")
    return error


def named(neo4j: Neo4j, patch: pytest.MonkeyPatch) -> str:
    """The URL without user and password, which the environment has."""
    patch.setenv("NEO4J_USERNAME", neo4j.user)
    patch.setenv("NEO4J_PASSWORD", neo4j.password)
    return neo4j.url


@pytest.mark.neo4j
def test_user_and_password_come_from_the_url_or_the_environment(
    neo4j: Neo4j, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    neo4j_store(neo4j, str(tmp_path), KEY).close()
    with graphmem.open(url_of(neo4j, database="neo4j"), writer="ann") as memory:
        note = memory.remember("a note").id
    monkeypatch.setenv("NEO4J_DATABASE", "neo4j")
    with graphmem.open(named(neo4j, monkeypatch), read_only=True, writer="ann") as memory:
        assert memory.recall("note").items[0].id == note
        assert neo4j.password not in memory.status().location
        with pytest.raises(StoreUnavailable, match="read-only"):
            memory.remember("another")


@pytest.mark.neo4j
def test_asking_makes_no_memory(neo4j: Neo4j, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = neo4j_store(neo4j, str(tmp_path), KEY)
    store._server.plain("MATCH (m:Memory) DELETE m")
    store.close()
    assert "there is no memory in" in told(capsys, url_of(neo4j))


@pytest.mark.neo4j
def test_a_wrong_password_is_refused_and_not_shown(neo4j: Neo4j, capsys: pytest.CaptureFixture[str]) -> None:
    error = told(capsys, url_of(neo4j, password="not-the-password"))
    assert "refuses this user or password" in error
    assert "not-the-password" not in error


@pytest.mark.neo4j
def test_a_wrong_database_is_named(neo4j: Neo4j, capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, url_of(neo4j, database="elsewhere")).endswith("/elsewhere has no such database")


@pytest.mark.neo4j
def test_a_too_old_server_is_refused(
    neo4j: Neo4j, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(session, "OLDEST_VERSION", (9999, 1))
    assert told(capsys, url_of(neo4j)).endswith("which is too old")


@pytest.mark.neo4j
def test_every_transaction_of_a_memory_has_its_bookmarks(
    neo4j: Neo4j, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = neo4j_store(neo4j, str(tmp_path), KEY)
    given: list[object] = []
    session_of = store._server._driver.session

    def noted(**how: object) -> object:
        given.append(how["bookmark_manager"])
        return session_of(**how)

    monkeypatch.setattr(store._server._driver, "session", noted)
    memory = memory_over(store)
    memory.remember("a note")
    memory.recall("note")
    assert len(given) > 2
    assert set(given) == {store._server._bookmarks}
    assert set(store._server._bookmarks.get_bookmarks())
    store.close()


@pytest.mark.neo4j
def test_clients_that_make_the_schema_at_once_all_get_it(neo4j: Neo4j, tmp_path: Path) -> None:
    neo4j_store(neo4j, str(tmp_path), KEY).close()
    with session_to(neo4j) as driver:
        for row in driver.execute_query("SHOW CONSTRAINTS YIELD name").records:
            driver.execute_query(cast(LiteralString, f"DROP CONSTRAINT {row['name']}"))
    with ThreadPoolExecutor(4) as pool:
        servers = [session.Server(address_of(neo4j)) for _ in range(4)]
        made = list(pool.map(schema.install, servers))
    assert all(not schema.install(server) for server in servers)
    assert {name for names in made for name in names} >= {"node_id", "head_key"}
    for server in servers:
        server.close()


def session_to(neo4j: Neo4j) -> Driver:
    return GraphDatabase.driver(neo4j.url, auth=(neo4j.user, neo4j.password))


def test_an_unreachable_host_is_said_to_be(capsys: pytest.CaptureFixture[str]) -> None:
    error = told(capsys, "bolt://ann:secret@127.0.0.1:1")  # a port on which nobody listens
    assert error == "error: bolt://127.0.0.1:1 can't be reached"


def raising(error: Exception) -> Callable[[Transaction], NoReturn]:
    def work(tx: Transaction) -> NoReturn:
        raise error

    return work


def coded(code: str) -> Neo4jError:
    return Neo4jError._hydrate_neo4j(code=code, message="as the server says it")


@pytest.mark.neo4j
@pytest.mark.parametrize(
    ("error", "kind", "words"),
    [
        (coded("Neo.ClientError.Cluster.NotALeader"), StoreUnavailable, "can't take writes here"),
        (coded("Neo.ClientError.General.ForbiddenOnReadOnlyDatabase"), StoreUnavailable, "read-only"),
        (coded("Neo.ClientError.General.WriteOnReadOnlyAccessDatabase"), StoreUnavailable, "read-only"),
        (coded("Neo.ClientError.Transaction.TransactionTimedOut"), DeadlineExceeded, "had time for"),
        (coded("Neo.ClientError.Security.Forbidden"), StoreUnavailable, "doesn't allow this user"),
        (coded("Neo.TransientError.General.MemoryPoolOutOfMemoryError"), StoreUnavailable, "too little memory"),
        (IncompleteCommit("the line broke"), CommitUnknown, "stopped answering during a commit"),
    ],
)
def test_what_the_server_says_is_said_in_plain_words(
    neo4j: Neo4j, error: Exception, kind: type[GraphmemError], words: str
) -> None:
    server = Server(Address(neo4j.url, neo4j.user, neo4j.password, timeout_s=0.5))
    with pytest.raises(kind, match=words) as caught:
        server.write(raising(error))
    server.close()
    assert caught.value.hint


@pytest.mark.parametrize("url", ["neo4j://", "bolt://host:port", "neo4j+tls://host", "bolt://host:0"])
def test_a_url_that_names_no_server_is_refused(url: str) -> None:
    with pytest.raises(InvalidInput):
        graphmem.open(url)


def test_a_password_is_in_no_representation() -> None:
    address = neo4j_address("neo4j+s://ann:s%40cret@example.org:7688/notes")
    assert (address.uri, address.user, address.password, address.database) == (
        "neo4j+s://example.org:7688",
        "ann",
        "s@cret",
        "notes",
    )
    assert "s@cret" not in repr(address)


def test_without_its_driver_neo4j_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("graphmem.adapters.store_neo4j")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "neo4j", None)
    with pytest.raises(Unsupported) as caught:
        graphmem.open("neo4j://127.0.0.1")
    assert "graphmem[neo4j]" in caught.value.hint
