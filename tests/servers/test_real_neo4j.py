"""The managed Neo4j for real: what a user who types `graphmem neo4j start` gets."""

from __future__ import annotations

import json
import os
import stat
import subprocess
from pathlib import Path
from typing import Any

import psutil
import pytest
from neo4j import GraphDatabase
from neo4j.exceptions import AuthError

from graphmem.core.errors import InvalidInput
from graphmem.ports.server import LocalServer
from tests.entrances.conftest import ENTRY, ROOT, schema
from tests.servers.neo4j import Neo4j

pytestmark = pytest.mark.neo4j


@pytest.fixture
def server(managed_neo4j: LocalServer) -> LocalServer:
    return managed_neo4j


@pytest.fixture
def address(server: LocalServer) -> str:
    """Where it answers, without the user's name."""
    return (server.status().url or "").replace("neo4j@", "")


def command(home: Path, *words: str) -> subprocess.Popen[str]:
    """Type a command in a process of its own, as a user does."""
    return subprocess.Popen(
        [*ENTRY, "neo4j", *words, "--data", str(home), "--json"],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )


def result(process: subprocess.Popen[str], code: int = 0) -> dict[str, Any]:
    out, _ = process.communicate()
    document = json.loads(out)
    schema().validate(document)
    assert process.returncode == code, document
    found: dict[str, Any] = document["result"]
    return found


def query(state: dict[str, Any], cypher: str) -> list[Any]:
    password = Path(state["password_file"]).read_text(encoding="utf-8").strip()
    with GraphDatabase.driver(state["url"].replace("neo4j@", ""), auth=("neo4j", password)) as driver:
        return [record.values() for record in driver.execute_query(cypher).records]


def test_a_server_outlives_its_starter_stops_cleanly_and_keeps_its_data_even_when_killed(tmp_path: Path) -> None:
    home = tmp_path / "home"
    both = [command(home, "start"), command(home, "start")]
    first, second = map(result, both)
    assert first["pid"] == second["pid"]
    assert sorted([first["changed"], second["changed"]]) != [False, False]
    try:
        assert query(first, "CREATE (n:Kept {name: 'a'}) RETURN n.name") == [["a"]]
        assert result(command(home, "stop"))["changed"]
        assert not psutil.pid_exists(first["pid"])
        assert result(command(home, "status"), code=1)["pid"] is None

        again = result(command(home, "start"))
        assert again["url"] == first["url"]
        assert query(again, "CREATE (n:Kept {name: 'b'}) RETURN n.name") == [["b"]]
        victim = psutil.Process(again["pid"])
        victim.kill()
        psutil.wait_procs([victim], timeout=30)

        assert not result(command(home, "status"), code=1)["running"]
        after = result(command(home, "start"))
        assert query(after, "MATCH (n:Kept) RETURN n.name ORDER BY n.name") == [["a"], ["b"]]
        assert "Started." in result(command(home, "logs", "--lines", "3"))["lines"][-1]
    finally:
        result(command(home, "stop"))
    assert not result(command(home, "stop"))["changed"]


def test_a_start_of_a_running_server_changes_nothing(server: LocalServer) -> None:
    before = server.status()
    after = server.start()
    assert (after.pid, after.url) == (before.pid, before.url)
    with pytest.raises(InvalidInput, match="runs already"):
        server.start(port=1024)


def test_only_the_user_can_read_the_password_and_nobody_gets_in_without_it(server: LocalServer, address: str) -> None:
    state = server.status()
    assert stat.S_IMODE(state.password_file.stat().st_mode) == 0o600
    assert stat.S_IMODE(state.data.stat().st_mode) == 0o700
    assert server.password() not in " ".join(psutil.Process(state.pid).cmdline())
    for wrong in ("neo4j", server.password() + "x"):
        with pytest.raises(AuthError), GraphDatabase.driver(address, auth=("neo4j", wrong)) as driver:
            driver.verify_connectivity()


def test_it_listens_on_one_loopback_port_and_talks_to_nobody(server: LocalServer) -> None:
    process = psutil.Process(server.status().pid)
    listening = {c.laddr for c in process.net_connections() if c.status == psutil.CONN_LISTEN}
    assert {address.ip.removeprefix("::ffff:") for address in listening} == {"127.0.0.1"}
    assert {str(address.port) for address in listening} == {(server.status().url or "").rpartition(":")[2]}


def test_every_setting_is_one_that_this_version_knows(server: LocalServer) -> None:
    assert [line for line in server.log(1_000) if "setting" in line.lower()] == []
    console = (server.status().data / "logs" / "console.log").read_text(encoding="utf-8")
    assert console.strip("\x06\n") == ""  # the one sign that it gives when it has started


def test_the_driver_may_route_to_it(server: LocalServer, address: str) -> None:
    with GraphDatabase.driver(address, auth=("neo4j", server.password())) as driver:
        agent = driver.get_server_info().agent
        edition = driver.execute_query("CALL dbms.components() YIELD edition RETURN edition").records[0]["edition"]
    assert agent.startswith("Neo4j/2026.")
    assert edition == "community"


def test_the_fixture_for_other_tests_gives_a_server_that_answers(neo4j: Neo4j) -> None:
    with GraphDatabase.driver(neo4j.url, auth=(neo4j.user, neo4j.password)) as driver:
        driver.verify_connectivity()
