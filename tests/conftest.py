"""What every test run shares: a clean environment, steady hypothesis settings, no skips in CI of
what CI brings. Fixtures of one part live in the conftest.py beside its tests.
"""

from __future__ import annotations

import os
from collections.abc import Generator

import pytest
from hypothesis import settings

pytest_plugins = ["tests.servers.neo4j"]

IN_CI = os.environ.get("CI") == "true"
MUST_RUN_IN_CI = ("browser", "neo4j")

settings.register_profile("graphmem", deadline=None, derandomize=IN_CI)
settings.register_profile("deep", deadline=None, max_examples=1_000)
settings.load_profile("graphmem")


def pytest_configure() -> None:
    """Hide the caller's own graphmem settings, so that no test opens a real memory."""
    for name in list(os.environ):
        if name.startswith(("GRAPHMEM_", "NEO4J_")) and not name.startswith("GRAPHMEM_TEST_"):
            del os.environ[name]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests over Neo4j share one database, so one worker runs them all; xdist reads the groups next."""
    for item in items:
        if item.get_closest_marker("neo4j"):
            item.add_marker(pytest.mark.xdist_group("neo4j"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """In CI a skipped test fails when its marker says that CI brings what it needs."""
    report = yield
    if IN_CI and report.skipped and any(map(item.get_closest_marker, MUST_RUN_IN_CI)):
        report.outcome = "failed"
        report.longrepr = f"skipped in CI: {report.longrepr}"
    return report
