"""The scripts of test_stateful.py over memory and Neo4j at once: labels, reasons, beliefs and receipts are the same,
and the same again when the database is opened anew."""

from __future__ import annotations

from typing import ClassVar
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, settings

from graphmem.adapters.store_memory import MemoryStore
from graphmem.adapters.store_neo4j import Neo4jStore
from graphmem.ports.store import Store
from tests.conformance.emptied import neo4j_store
from tests.memories import KEY
from tests.properties.test_stateful import DEEP, OverMemory
from tests.servers.neo4j import Neo4j

pytestmark = pytest.mark.neo4j


class OverNeo4j(OverMemory):
    """The same scripts over memory and Neo4j; at the end the database is opened again and asked about the past."""

    server: ClassVar[Neo4j]

    def stores(self) -> dict[str, Store]:
        self.holder = uuid4().hex
        return {"memory": MemoryStore(KEY), "neo4j": self.opened()}

    def opened(self) -> Neo4jStore:
        store = neo4j_store(self.server, self.holder, KEY)
        self.open.callback(store.close)
        return store

    def teardown(self) -> None:
        script = getattr(self, "script", None)
        if script is not None:
            script.past = script.past[::3]
            script.check_the_past([script.stores["memory"], self.opened()])
        super().teardown()


@pytest.fixture(scope="module", autouse=True)
def server(neo4j: Neo4j) -> None:
    OverNeo4j.server = neo4j


TestScripts = OverNeo4j.TestCase
TestScripts.settings = settings(
    max_examples=1_000 if DEEP else 60,
    stateful_step_count=40 if DEEP else 10,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
