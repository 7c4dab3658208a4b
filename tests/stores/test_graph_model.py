"""The graph model is what docs/reference/graph-model.md says: its tables are the declaration, the store writes nothing
that isn't declared, every query of the page gives what the sample memories hold, and graphmem.ogm walks the same graph.

What is right comes from seed/README.md and the sample files.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from neo4j import READ_ACCESS, Driver, GraphDatabase

from graphmem.adapters.store_neo4j.indexes import declared
from graphmem.adapters.store_neo4j.models import NODES, Edge, Origin
from graphmem.adapters.store_neo4j.schema import types_of
from graphmem.core.errors import StoreUnavailable
from tests.conformance.emptied import neo4j_store
from tests.memories import KEY, TENANT, FakeClock, memory_over
from tests.servers.neo4j import Neo4j

ROOT = Path(__file__).resolve().parents[2]
SEED = ROOT / "seed"
PAGE = (ROOT / "docs/reference/graph-model.md").read_text(encoding="utf-8")
SECTION = re.compile(r"^### (?P<title>.+?)\n(?P<body>.*?)(?=^##|\Z)", re.MULTILINE | re.DOTALL)
SECTIONS = {found["title"]: found["body"] for found in SECTION.finditer(PAGE)}
QUERIES = {title: body.split("```")[1].removeprefix("cypher\n") for title, body in SECTIONS.items() if "```" in body}
LOOKUPS = {"labels_of_nodes", "types_of_relationships"}
HYPOTHESIS = "Pool timeouts always come from missed notifications."
PREDICTION = "With the notification in place at r18, callers of the pool should see no more timeouts."

pytestmark = pytest.mark.neo4j


@pytest.fixture(scope="module")
def samples(neo4j: Neo4j) -> Iterator[Driver]:
    """A driver to a database with the sample memories, in which the hypothesis has been retracted."""
    clock = FakeClock()
    store = neo4j_store(neo4j, "graph model", KEY)
    memory = memory_over(store, clock)
    for revision in ("r17", "r18"):
        memory.ingest(SEED / "pool" / revision, repository="pool", revision=revision)
        clock.time += 1_000
    ids: dict[str, str] = {}
    for name in ("pool/records.jsonl", "vendor.jsonl", "calendar.jsonl"):
        ids |= memory.import_lines((SEED / name).read_text(encoding="utf-8").splitlines()).ids
        clock.time += 1_000
    memory.retract(ids["hypothesis"])
    memory.close()
    with GraphDatabase.driver(neo4j.url, auth=(neo4j.user, neo4j.password), notifications_min_severity="OFF") as driver:
        yield driver


@pytest.fixture
def ogm(samples: Driver, neo4j: Neo4j, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    from graphmem import ogm

    where = neo4j.url.replace("://", f"://{neo4j.user}:{neo4j.password}@")
    monkeypatch.setenv("GRAPHMEM_MEMORY", where)
    ogm.connect()
    yield ogm
    ogm.close()


def asked(driver: Driver, title: str) -> list[dict[str, Any]]:
    """The rows of one of the page's queries, which only read."""
    with driver.session(default_access_mode=READ_ACCESS) as session:
        return [dict(row) for row in session.run(QUERIES[title], tenant=TENANT)]  # type: ignore[arg-type]


def table(title: str) -> dict[str, str]:
    """Name and type of each property that a section of the page lists."""
    return dict(re.findall(r"^\| `(\w+)` \| ([A-Z<> ]+) \|", SECTIONS[title], flags=re.MULTILINE))


# The tables.


@pytest.mark.parametrize("model", [m for m in NODES if m.__label__ in SECTIONS], ids=lambda m: m.__label__)
def test_the_page_lists_the_properties_of_each_label(model: Any) -> None:
    origin = table("Origin") if issubclass(model, Origin) else {}
    assert table(model.__label__) | origin == types_of(model)


def test_the_page_lists_every_label_and_the_properties_of_edges() -> None:
    assert table("Edge") | table("Origin") == types_of(Edge)
    assert [m.__label__ for m in NODES if f"`{m.__label__}`" not in PAGE and m.__label__ not in SECTIONS] == []


def test_the_page_lists_every_relationship() -> None:
    assert set(re.findall(r"^\| `([A-Z_]+)` \| \w+ \| \w+ \|", PAGE, flags=re.MULTILINE)) == declared_types()


def test_the_page_lists_every_constraint_and_index() -> None:
    listed = re.findall(r"^\| `(\w+)` \| (unique|range|fulltext) \| (\w+\([^)]*\))", PAGE, flags=re.MULTILINE)
    own = [index for index in declared() if index.name not in LOOKUPS]
    assert sorted(listed) == sorted((i.name, i.kind, f"{i.label}({', '.join(i.properties)})") for i in own)


def declared_types() -> set[str]:
    """The types of all declared relationships."""
    return {
        relationship.definition["relation_type"]
        for model in NODES
        for relationship in model.defined_properties(aliases=False, properties=False).values()
    }


# What the store writes.


def test_everything_that_the_store_writes_is_declared(samples: Driver) -> None:
    written = samples.execute_query(
        "MATCH (n) WHERE NOT n:GraphmemTests UNWIND labels(n) AS l RETURN DISTINCT l AS name"
    )
    assert {row["name"] for row in written.records} <= {model.__label__ for model in NODES}
    types = samples.execute_query("MATCH ()-[r]->() RETURN DISTINCT type(r) AS name")
    assert {row["name"] for row in types.records} <= declared_types()


# The queries.


def test_a_failure_leads_over_test_and_method_to_the_change_and_the_run_after_it(samples: Driver) -> None:
    (path,) = asked(samples, "Multi-hop evidence: from a failure to the change that repaired it")
    assert "1 failed, 2 passed" in path["failure"]
    assert path["test"] == "test_waiter_notified_on_return"
    assert path["method"] == "src.pool.ConnectionPool.release"
    assert "now calls self.returned.notify()" in path["change"]
    assert path["revision"] == "r18"
    assert "3 passed" in path["run"]


def test_two_names_hang_together_over_the_method_that_raises_one_and_is_called_by_the_other(samples: Driver) -> None:
    (path,) = asked(samples, "Multi-hop evidence: how two names hang together")
    assert path["stops"][1] == "src.pool.ConnectionPool.acquire"
    assert path["hops"][0] == "INSTANTIATES"
    assert path["hops"][1] in ("CALLS", "TESTS")


def test_the_progress_note_rests_on_both_runs(samples: Driver) -> None:
    grounds = asked(samples, "Audit: what a conclusion rests on")
    assert [(row["role"], row["revision"]) for row in grounds] == [("observation", "r17"), ("observation", "r18")]
    assert {row["writer"] for row in grounds} == {"repair-agent"}


def test_the_retracted_hypothesis_took_its_prediction_along(samples: Driver) -> None:
    fallen = asked(samples, "Audit: what fell, when, and by whose hand")
    assert [(row["text"], row["writer"]) for row in fallen] == [(HYPOTHESIS, "ann"), (PREDICTION, "ann")]
    before = asked(samples, "Audit: what was held at an earlier commit")
    assert [row["text"] for row in before] == [HYPOTHESIS, PREDICTION]


def test_the_corrected_name_is_shown_with_the_draft_that_rested_on_it(samples: Driver) -> None:
    (row,) = asked(samples, "Audit: what was corrected, and by what")
    assert (row["wrong"], row["right"]) == ('"Northwind GmbH"', '"Northwind B.V."')
    assert [text[:21] for text in row["conclusions"]] == ["Release plan, draft 1"]


def test_the_memory_holds_what_the_files_say(samples: Driver) -> None:
    lines = [
        line
        for name in ("pool/records.jsonl", "vendor.jsonl", "calendar.jsonl")
        for line in (SEED / name).read_text(encoding="utf-8").splitlines()
    ]
    counts = {row["label"]: row["number"] for row in asked(samples, "Exploration: what is in a memory")}
    for role in ("observation", "inference", "summary"):
        assert counts[role.title()] == sum(f'"role": "{role}"' in line for line in lines)
    assert counts["CodeEntity"] > 0 < counts["Thing"]


def test_a_method_is_shown_with_its_class_tests_and_records(samples: Driver) -> None:
    rows = asked(samples, "Exploration: everything about a method")
    around = {(row["type"], row["what"].rpartition(".")[2]) for row in rows if row["label"] == "CodeEntity"}
    assert ("CONTAINS", "ConnectionPool") in around
    assert ("TESTS", "test_waiter_notified_on_return") in around
    assert any(row["type"] == "ABOUT" and "Take a connection back" in row["what"] for row in rows)
    assert any(row["type"] == "MENTIONS" and row["what"].startswith("Revision r18 changes") for row in rows)


def test_callers_are_found_through_callers(samples: Driver) -> None:
    callers = {row["caller"].rpartition(".")[2] for row in asked(samples, "Exploration: who calls it, directly or not")}
    tests = re.findall(r"^def (test_\w+)", (SEED / "pool/r18/tests/test_pool.py").read_text(), flags=re.MULTILINE)
    assert callers == {"acquire", *tests}


def test_words_find_records_and_tell_whether_they_hold(samples: Driver) -> None:
    found = asked(samples, "Exploration: full-text search")
    assert {row["text"]: row["held"] for row in found} == {HYPOTHESIS: False, PREDICTION: False}


def test_every_query_of_the_page_is_asked_here() -> None:
    text = Path(__file__).read_text(encoding="utf-8")
    assert [title for title in QUERIES if f'"{title}"' not in text] == []


# The object view.


def test_objects_lead_from_a_summary_to_its_sources(ogm: Any) -> None:
    note = ogm.Summary.nodes.get(value='"repaired in r18"', tenant=TENANT)
    (reason,) = note.justified_by.filter(k_to=ogm.OPEN)
    runs = list(reason.antecedents)
    assert {type(run) for run in runs} == {ogm.Observation}
    assert {run.value for run in runs} == {'"failed"', '"passed"'}
    assert {a.locator for run in runs for a in run.assertions} == {"tests/test_pool.py::test_waiter_notified_on_return"}
    assert [span.level for span in note.spans.filter(k_to=ogm.OPEN)] == [2]


def test_objects_lead_along_edges_with_their_provenance(ogm: Any) -> None:
    test = ogm.CodeEntity.nodes.get(name="test_waiter_notified_on_return", tenant=TENANT)
    release = test.tests.get(qualified_name="src.pool.ConnectionPool.release")
    edge = test.tests.relationship(release)
    assert (edge.type, edge.locator) == ("tests", "tests/test_pool.py")
    assert ogm.Repository.nodes.get(name="pool").generations.get(ordinal=2).revision == "r18"


def test_objects_of_every_class_can_be_read(ogm: Any) -> None:
    names = [name for name in ogm.__all__ if name[0].isupper() and name not in ("OPEN", "Edge")]
    assert {name for name in names if not len(getattr(ogm, name).nodes)} <= {"Claim"}


def test_the_object_view_cannot_write(ogm: Any) -> None:
    thing = ogm.Thing.nodes.first()
    thing.name = "another name"
    with pytest.raises(Exception, match="read access mode"):
        thing.save()
    with pytest.raises(Exception, match="read access mode"):
        thing.delete()
    assert ogm.Thing.nodes.get(identifier=thing.identifier).name != "another name"


def test_the_object_view_says_what_is_missing_without_neomodel() -> None:
    script = """
import sys
sys.modules["neomodel"] = None
try:
    import graphmem.ogm
except Exception as error:
    print(error.code, error.hint)
"""
    run = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout.startswith("unsupported pip install")


def test_the_object_view_wants_a_memory(neo4j: Neo4j, samples: Driver) -> None:
    from graphmem import ogm

    samples.execute_query("MATCH (m:Memory) REMOVE m:Memory SET m:Put")
    try:
        with pytest.raises(StoreUnavailable, match="no memory"):
            ogm.connect(neo4j.url.replace("://", f"://{neo4j.user}:{neo4j.password}@"))
    finally:
        samples.execute_query("MATCH (m:Put) REMOVE m:Put SET m:Memory")
