"""One Neo4j for a whole test run, shared by its workers: GRAPHMEM_TEST_NEO4J=bolt://user:password@host:port where that
is set, else the product's own managed server in a folder of this run, stopped when the run ends.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from graphmem.core.errors import GraphmemError
from graphmem.ports.server import LocalServer
from graphmem.wiring import local_neo4j

GIVEN = "GRAPHMEM_TEST_NEO4J"
FIRST_USE_TIMEOUT_S = 900  # a first run downloads the server


@dataclass(frozen=True)
class Neo4j:
    """Where the server of this run is."""

    url: str
    user: str
    password: str


@pytest.fixture(scope="session")
def neo4j(request: pytest.FixtureRequest) -> Neo4j:
    """The Neo4j of this run; tests that use it carry the marker of the same name."""
    if given := os.environ.get(GIVEN):
        return _parted(given)
    server: LocalServer = request.getfixturevalue("managed_neo4j")
    return _parted((server.status().url or "").replace("neo4j://", "bolt://"), server.password())


def _parted(url: str, password: str = "") -> Neo4j:
    parts = urlsplit(url)
    place = f"{parts.scheme}://{parts.hostname}:{parts.port}"
    return Neo4j(place, unquote(parts.username or ""), unquote(parts.password or "") or password)


@pytest.fixture(scope="session")
def managed_neo4j(tmp_path_factory: pytest.TempPathFactory) -> LocalServer:
    """The product's own server, running; one worker starts it, the others find it so."""
    server = local_neo4j(str(home_of_run(tmp_path_factory)))
    try:
        server.start()
    except GraphmemError as error:
        pytest.skip(f"no Neo4j: {error} ({error.hint})")
    return server


def home_of_run(factory: pytest.TempPathFactory) -> Path:
    """The server's folder, the same in every worker: a worker's temporary folder lies in the run's own."""
    base = factory.getbasetemp()
    return (base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base) / "neo4j"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whichever test comes first may have to wait for the download."""
    for item in items:
        if item.get_closest_marker("neo4j"):
            item.add_marker(pytest.mark.timeout(FIRST_USE_TIMEOUT_S))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """The run as a whole stops the server, after its workers have ended."""
    if os.environ.get("PYTEST_XDIST_WORKER"):
        return
    factory: pytest.TempPathFactory = session.config._tmp_path_factory  # type: ignore[attr-defined]
    home = home_of_run(factory)
    if home.exists():
        local_neo4j(str(home)).stop()
