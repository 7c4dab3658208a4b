"""A memory of an older version is brought to this one when it is opened, and then answers like a new one."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from graphmem.adapters.store_sqlite import SqliteStore, schema
from graphmem.core.auditing import Place, Sought
from tests.memories import KEY, memory_over, view


def as_version_2(path: Path) -> None:
    """Take away what version 3 brought."""
    connection = sqlite3.connect(path, isolation_level=None)
    for table in ("job", "backlog", "tombstone"):
        connection.execute(f"DROP TABLE {table}")
    connection.execute("PRAGMA user_version = 2")
    connection.close()


def as_version_1(path: Path) -> None:
    """Take away what versions 2 and 3 brought."""
    as_version_2(path)
    connection = sqlite3.connect(path, isolation_level=None)
    names = [words.split()[2] for words in (schema.PAST + schema.REVIEW).split(";\n") if words.strip()]
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
