"""One at a time, across processes. Lives here: a lock that ends with the process that holds it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from graphmem.core.errors import StoreUnavailable


@contextmanager
def turn(file: Path, doing: str, *, wait_s: float) -> Iterator[None]:
    """Hold the lock named by a file while the block runs, waiting for others first.

    SQLite's file lock is used because it is the same on every system and falls away with its process.
    Raises StoreUnavailable when others hold it for longer than `wait_s` seconds.
    """
    with closing(sqlite3.connect(file, timeout=wait_s, isolation_level=None)) as held:
        try:
            held.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            raise StoreUnavailable(
                f"somebody else is {doing} already ({file})", hint="wait for that to end, then try again"
            ) from error
        yield
