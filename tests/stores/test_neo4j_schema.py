"""The schema of a Neo4j is installed once, told apart from what a database really has, and guarded by its version. Each
test leaves the database as it found it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator

import pytest
from neo4j import Driver, GraphDatabase

from graphmem.adapters.store_neo4j import Neo4jStore, schema
from graphmem.adapters.store_neo4j.schema import Schema
from graphmem.core.errors import CorruptStore, StoreUnavailable
from graphmem.ports.schema import Deviation, State
from tests.conformance.emptied import address_of, neo4j_store
from tests.entrances.conftest import ROOT, Cli, cli
from tests.memories import KEY, memory_over
from tests.servers.neo4j import Neo4j

__all__ = ["cli"]

pytestmark = pytest.mark.neo4j


@pytest.fixture
def driver(neo4j: Neo4j) -> Iterator[Driver]:
    with GraphDatabase.driver(neo4j.url, auth=(neo4j.user, neo4j.password)) as made:
        yield made


@pytest.fixture
def installed(neo4j: Neo4j, tmp_path: object) -> Iterator[Schema]:
    """The schema of a memory with one record; what a test has dropped is made again at its end."""
    memory = memory_over(neo4j_store(neo4j, str(tmp_path), KEY))
    memory.remember("The pool holds 8 connections.", key="pool#size", value=8)
    memory.close()
    made = Schema(address_of(neo4j))
    yield made
    made.install()
    made.close()


def deviations(found: Schema) -> list[Deviation]:
    return list(found.report().deviations)


def test_a_memory_has_its_whole_schema_and_installing_again_does_nothing(installed: Schema) -> None:
    report = installed.report()
    assert (report.equal, report.version, report.partial) == (True, schema.SCHEMA_VERSION, False)
    assert report.deviations == ()
    assert installed.install() == ()


def test_opening_a_memory_that_is_there_waits_for_no_declaration(installed: Schema, neo4j: Neo4j) -> None:
    script = """
import sys
from graphmem.adapters.store_neo4j import Address, Neo4jStore
Neo4jStore(Address(*sys.argv[1:])).close()
print("neomodel" in sys.modules)
"""
    words = [sys.executable, "-c", script, neo4j.url, neo4j.user, neo4j.password]
    assert subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout == "False\n"


def test_dropped_indexes_are_named_and_installed(installed: Schema, driver: Driver) -> None:
    driver.execute_query("DROP INDEX record_text")
    driver.execute_query("DROP CONSTRAINT node_id")
    missing = [(d.state, d.kind, d.name) for d in deviations(installed)]
    assert missing == [(State.MISSING, "constraint", "node_id"), (State.MISSING, "index", "record_text")]
    assert sorted(installed.install()) == ["node_id", "record_text"]
    assert deviations(installed) == []


def test_an_index_in_the_place_of_a_constraint_is_told_and_left_alone(installed: Schema, driver: Driver) -> None:
    driver.execute_query("DROP CONSTRAINT head_key")
    driver.execute_query("CREATE INDEX somebodys FOR (h:Head) ON (h.key)")
    try:
        expected = Deviation(State.DIFFERENT, "index", "somebodys", "unique Head(key)", "range Head(key)")
        assert deviations(installed) == [expected]
        assert installed.install() == ()
        assert not installed.report().equal
    finally:
        driver.execute_query("DROP INDEX somebodys")


def test_an_index_that_somebody_added_is_extra_and_does_no_harm(installed: Schema, driver: Driver) -> None:
    driver.execute_query("CREATE INDEX somebodys FOR (r:Record) ON (r.policy)")
    try:
        assert deviations(installed) == [Deviation(State.EXTRA, "index", "somebodys", found="range Record(policy)")]
        assert installed.report().equal
    finally:
        driver.execute_query("DROP INDEX somebodys")


def test_a_property_of_a_foreign_type_is_told_with_both_types(installed: Schema, driver: Driver) -> None:
    driver.execute_query("MATCH (r:Observation) SET r.authority = 'high', r.mood = 1")
    assert deviations(installed) == [
        Deviation(State.DIFFERENT, "property", "Observation.authority", "INTEGER", "STRING"),
        Deviation(State.EXTRA, "property", "Observation.mood", found="INTEGER"),
    ]


def test_a_sample_says_that_it_is_one(installed: Schema, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "SAMPLE", 1)
    assert installed.report().partial


def test_the_memory_of_a_newer_version_is_refused(installed: Schema, driver: Driver, neo4j: Neo4j) -> None:
    driver.execute_query("MATCH (m:Memory) SET m.schema_version = $newer", newer=schema.SCHEMA_VERSION + 1)
    with pytest.raises(CorruptStore, match="schema version"):
        Neo4jStore(address_of(neo4j))
    with pytest.raises(CorruptStore, match="schema version"):
        installed.install()
    driver.execute_query("MATCH (m:Memory) SET m.schema_version = $ours", ours=schema.SCHEMA_VERSION)


def test_an_older_version_is_migrated_step_by_step(
    installed: Schema, driver: Driver, neo4j: Neo4j, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver.execute_query("DROP INDEX node_home")
    monkeypatch.setattr(schema, "SCHEMA_VERSION", schema.SCHEMA_VERSION + 2)
    monkeypatch.setattr(schema, "MIGRATIONS", {schema.SCHEMA_VERSION - 2: ("schema/settle_all",)})
    steps: list[str] = []
    monkeypatch.setattr(schema, "statement", lambda name: steps.append(name) or "RETURN 1")
    with pytest.raises(StoreUnavailable, match="no migration"):
        Neo4jStore(address_of(neo4j))
    assert installed.report().version == schema.SCHEMA_VERSION - 1
    monkeypatch.setitem(schema.MIGRATIONS, schema.SCHEMA_VERSION - 1, ())
    Neo4jStore(address_of(neo4j)).close()
    assert steps == ["schema/settle_all"]
    report = installed.report()
    assert (report.version, report.deviations) == (schema.SCHEMA_VERSION, ())
    driver.execute_query("MATCH (m:Memory) SET m.schema_version = $ours", ours=schema.SCHEMA_VERSION - 2)


# The command.


def url(neo4j: Neo4j) -> str:
    return neo4j.url.replace("://", f"://{neo4j.user}:{neo4j.password}@")


def test_the_command_tells_the_difference_and_installs_it(
    installed: Schema, driver: Driver, neo4j: Neo4j, cli: Cli
) -> None:
    driver.execute_query("DROP INDEX record_text")
    where = ("neo4j", "schema", "--memory", url(neo4j))
    told = cli(*where)
    assert told.code == 1
    assert "missing index record_text: needs fulltext Record(words, context_words, tenant_word)" in told.out
    assert "graphmem neo4j schema --install" in told.out
    assert cli.json(*where, "--install")["result"]["installed"] == ["record_text"]
    again = cli.json(*where)["result"]
    assert (again["equal"], again["installed"], again["deviations"]) == (True, [], [])
    assert neo4j.password not in told.out + json.dumps(again)


def test_the_command_refuses_what_is_no_neo4j(cli: Cli) -> None:
    assert cli("neo4j", "schema", "--memory", "memory.db").code == 2
