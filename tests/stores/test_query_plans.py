"""No statement of the hot paths walks through a table. Each constant statement of the cascade and of the view reads is
asked for its plan, on a populated database, without statistics and with them: statistics are what makes a planner
choose a scan, a Bloom filter or an index of its own.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator

import pytest

from graphmem.adapters.store_sqlite import SqliteStore, erase, expand, network, past, queue, read, review, speaking
from graphmem.core.changes import Draft
from graphmem.core.records import Role
from graphmem.core.verbs import conclude, remember
from tests.memories import KEY, commit, memory_over, provenance, record

MODULES = (erase, network, read, expand, past, queue, review, speaking)
# What a question brings along is walked through: its ids as JSON, the matches of a full-text search, what an index has
# found. So are the groups `k` that a statement has made itself, by a key.
BROUGHT = re.compile(r"SCAN (\w+ VIRTUAL TABLE|chosen|brought|touched)|SCAN k$")
# The one automatic index is over the generations that a view reads at: a row for each repository.
DERIVED = "SEARCH shown USING AUTOMATIC COVERING INDEX (repo=?)"
TREES = 30
CHILDREN = 20


def statements() -> Iterator[tuple[str, str]]:
    for module in MODULES:
        for name, text in sorted(vars(module).items()):
            whole = isinstance(text, str) and re.match(r"\s*(SELECT|WITH|UPDATE|INSERT|DELETE)\b", text)
            if name.isupper() and whole and not name.startswith("_"):
                yield f"{module.__name__.rpartition('.')[2]}.{name}", text
    for ways in ("AUDIT_COUNTS", "AUDIT_RECORDS", "AUDIT_PAGES"):
        for way, text in vars(past)[ways].items():
            yield f"past.{ways}.{way}", text


STATEMENTS = dict(statements())


@pytest.fixture(scope="module", params=["without statistics", "with statistics"])
def database(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    path = tmp_path_factory.mktemp("plans") / "memory.db"
    store = SqliteStore(path, identity_key=KEY)
    for tree in range(TREES):
        plant(store, tree)
    store.close()
    connection = sqlite3.connect(path, isolation_level=None)
    if request.param == "with statistics":
        connection.execute("ANALYZE")
    yield connection
    connection.close()


def plant(store: SqliteStore, tree: int) -> None:
    """A premise with many summaries, some with a second reason, about an entity of its own."""

    def plan(draft: Draft) -> None:
        root = remember(draft, record(f"premise {tree}"), provenance())
        other = remember(draft, record(f"other {tree}"), provenance())
        for child in range(CHILDREN):
            made = record(f"summary {tree} {child}", Role.SUMMARY)
            for because in ((root,), (other,))[: 1 + child % 2]:
                conclude(draft, made, because, "rule", provenance())

    commit(store, plan)
    memory_over(store).remember(f"note {tree} about pool{tree}", key=f"pool{tree}#state", value=tree)


def plan_of(connection: sqlite3.Connection, statement: str) -> list[str]:
    if "?" in statement:
        values: object = ("[1]",) * statement.count("?")
    else:
        values = dict.fromkeys(re.findall(r":(\w+)", statement), "[]")
    rows = connection.execute(f"EXPLAIN QUERY PLAN {statement}", values).fetchall()  # type: ignore[arg-type]
    return [row[3] for row in rows]


def test_the_statements_of_the_hot_paths_are_found() -> None:
    found = set(STATEMENTS)
    assert {"network.RESTING", "network.INCOMING", "network.OUTGOING", "network.LABELS", "network.STANDINGS"} <= found
    assert {"read.FIND", "read.LEXICAL", "speaking.CANDIDATES", "speaking.DISPUTED"} <= found
    assert "review.QUARANTINED" in found
    assert {"expand.EDGES", "expand.NODES", "expand.LINKS"} <= found
    assert {"queue.HEADS", "queue.HEAD_OF_LANE", "queue.HELD", "queue.PUT", "queue.FINISH"} <= found
    assert {"past.MOVED", "past.AUDIT_PAGES.source", "past.RESTING_ON", "past.ASSERTED"} <= found


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_statement_reaches_every_table_by_a_key(database: sqlite3.Connection, name: str) -> None:
    plan = plan_of(database, STATEMENTS[name])
    assert [step for step in plan if step.startswith("SCAN") and not BROUGHT.match(step)] == []
    assert [step for step in plan if ("BLOOM" in step or "AUTOMATIC" in step) and step != DERIVED] == []
