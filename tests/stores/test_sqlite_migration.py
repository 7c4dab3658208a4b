"""A memory of an older version is brought to this one when it is opened, and then answers like a new one."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from graphmem.adapters.store_sqlite import SqliteStore, schema
from graphmem.core.auditing import Place, Sought
from graphmem.core.views import Wanted
from tests.memories import KEY, memory_over, view


def as_version_3(path: Path) -> None:
    """Take away what version 4 brought."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("DROP INDEX span_again")
    for table, column in (("span", "again"), ("commits", "records"), ("commits", "origins")):
        connection.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
    connection.execute("CREATE INDEX origin_k ON origin (k)")
    connection.execute("CREATE INDEX span_begun ON span (k_from)")
    connection.execute("PRAGMA user_version = 3")
    connection.close()


def as_version_2(path: Path) -> None:
    """Take away what versions 3 and 4 brought."""
    as_version_3(path)
    connection = sqlite3.connect(path, isolation_level=None)
    for table in ("job", "backlog", "tombstone"):
        connection.execute(f"DROP TABLE {table}")
    connection.execute("PRAGMA user_version = 2")
    connection.close()


def as_version_1(path: Path) -> None:
    """Take away what versions 2 to 4 brought."""
    as_version_2(path)
    connection = sqlite3.connect(path, isolation_level=None)
    names = ["origin_k", "span_begun"]
    names += [words.split()[2] for words in (schema.PAST + schema.REVIEW).split(";\n") if words.strip()]
    for name in names:
        connection.execute(f"DROP INDEX {name}")
    connection.execute("ALTER TABLE origin DROP COLUMN k")
    connection.execute("PRAGMA user_version = 1")
    connection.close()


def test_an_audit_of_a_migrated_memory_finds_what_it_found_before(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    store = SqliteStore(path, identity_key=KEY)
    memory = memory_over(store)
    seen = memory.remember("pump-7 leaks", source="mail/1", mentions=["valve-3"]).id
    memory.remember("so it is old", role="summary", because=[seen], source="mail/2")
    memory.retract(seen)
    before = store.audit(view(), Sought(source="mail/"), Place(), 100)
    assert {e.kind for e in before.entries} == {"assertion", "justification", "edge"}
    store.close()
    as_version_1(path)
    again = SqliteStore(path)
    assert again.audit(view(), Sought(source="mail/"), Place(), 100) == before
    assert again.status("acme").schema_version == schema.SCHEMA_VERSION
    again.close()


def test_what_moved_in_a_migrated_memory_is_what_moved_before(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    store = SqliteStore(path, identity_key=KEY)
    memory = memory_over(store)
    first = memory.remember("pump-7 leaks", source="mail/1").id
    rests = memory.remember("so it is old", role="summary", because=[first], source="mail/2").id
    memory.retract(first)
    memory.reassert(first)
    stretches = [(since, known) for since in range(5) for known in range(since, 5)]
    before = [store.moved(view(known_at=known), since, 100) for since, known in stretches]
    assert {m.record for m in before[stretches.index((3, 4))]} == {first, rests}
    store.close()
    as_version_3(path)
    again = SqliteStore(path)
    assert [again.moved(view(known_at=known), since, 100) for since, known in stretches] == before
    again.close()


def test_jobs_of_a_migrated_memory_wait_as_they_did(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    store = SqliteStore(path, identity_key=KEY)
    memory = memory_over(store, handlers={"extract": lambda *a: None})
    for number in range(3):
        memory.remember(f"pump-{number} leaks", source=f"mail/{number % 2}")
    before = store.jobs("acme")
    assert len(before) == 3
    store.close()
    as_version_3(path)
    again = SqliteStore(path)
    assert again.jobs("acme") == before
    assert again.load("acme", Wanted(backlog=True)).backlog == 3
    again.close()
