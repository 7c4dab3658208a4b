"""The embedded store: one SQLite file in WAL mode with full synchronisation. Lives here: the store port on SQLite, its
transactions and the translation of SQLite's errors. Lives elsewhere: schema, reads, writes (the modules beside)."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from graphmem.adapters.store_sqlite import dump, erase, expand, past, queue, read, review, schema, speaking
from graphmem.adapters.store_sqlite.write import Writer
from graphmem.core.auditing import REACH, Audited, Moved, Place, Sought
from graphmem.core.belief import Candidate
from graphmem.core.changes import Applied, ChangeSet
from graphmem.core.erasure import Closure
from graphmem.core.errors import (
    CorruptStore,
    DeadlineExceeded,
    GraphmemError,
    InvalidInput,
    StoreUnavailable,
)
from graphmem.core.intervals import TIME_MAX
from graphmem.core.jobs import Job, JobState, Offer
from graphmem.core.lifetimes import History
from graphmem.core.records import Key
from graphmem.core.views import (
    Caps,
    Entries,
    Fact,
    Found,
    Hits,
    Keys,
    Neighbourhood,
    Proof,
    Quarantine,
    Snapshot,
    Status,
    View,
    Wanted,
)

T = TypeVar("T")

STEPS = 1_000  # of SQLite's virtual machine between two looks at the clock: some tens of microseconds

# What an operating error of SQLite means to the user, by a part of its message: (part, error, message, hint).
_TROUBLE: tuple[tuple[str, type[GraphmemError], str, str], ...] = (
    ("readonly", StoreUnavailable, "the memory is read-only", "check the permissions of the file and its folder"),
    ("disk is full", StoreUnavailable, "the disk is full; nothing of this write was kept", "free some space"),
    ("locked", StoreUnavailable, "the memory stayed locked by another process", "try again when it is done"),
    ("not a database", CorruptStore, "the file isn't a memory", "give another path to --memory"),
    ("malformed", CorruptStore, "the memory is damaged", "restore a backup, or export what still reads"),
    ("unable to open", StoreUnavailable, "the memory can't be opened", "check that its folder exists"),
    ("interrupted", DeadlineExceeded, "this took longer than it had time for", "give it longer, or ask for less"),
    ("disk I/O", StoreUnavailable, "the disk failed while the memory was used", "check the disk, then try again"),
)


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        words = str(error)
        for part, kind, message, hint in _TROUBLE:
            if part in words:
                raise kind(f"{path}: {message}", hint=hint) from error
        raise StoreUnavailable(f"{path}: {words}") from error
    except OverflowError as error:
        raise InvalidInput("a number needs more than 64 bits", hint="give a smaller one") from error
    except UnicodeEncodeError as error:
        raise InvalidInput(
            "a name or detail holds half of a surrogate pair", hint="give it in whole characters"
        ) from error


class SqliteStore:
    """The store port on one file. A store may be shared by threads; processes share the file."""

    def __init__(
        self,
        path: Path,
        *,
        create: bool = True,
        read_only: bool = False,
        identity_key: bytes | None = None,
    ) -> None:
        self.path = path
        read_only = read_only or (path.exists() and not os.access(path, os.W_OK))
        self._lock = threading.RLock()
        with _translated(path):
            self._db = schema.connect(path, create=create, read_only=read_only, identity_key=identity_key)
            row = self._db.execute("SELECT value FROM meta WHERE key = 'identity_key'").fetchone()
            if not read_only and erase.is_unscoured(self._db):
                erase.scour(self._db)
        self._identity_key: bytes = row[0]

    @property
    def identity_key(self) -> bytes:
        return self._identity_key

    def load(self, tenant: str, wanted: Wanted) -> Snapshot:
        return self._read(lambda db: read.load(db, tenant, wanted, self._identity_key))

    def apply(self, changes: ChangeSet) -> Applied:
        if changes.is_empty:
            return Applied(0)

        def kept(db: sqlite3.Connection) -> Applied:
            writer = Writer(db, changes)
            writer.check()
            outcome = writer.outcome()
            applied = writer.applied(outcome, writer.k)
            writer.write(outcome)
            return applied

        return self._write(kept)

    def preview(self, changes: ChangeSet) -> Applied:
        def dry(db: sqlite3.Connection) -> Applied:
            writer = Writer(db, changes)
            writer.check()
            return writer.applied(writer.outcome(), 0)

        return self._read(dry)

    def search(self, view: View, terms: Sequence[str], words: Sequence[str], limit: int) -> Hits:
        return self._read(lambda db: read.search(db, view, terms, words, limit), view.timeout_ms)

    def neighbourhood(self, view: View, seeds: Collection[str], caps: Caps) -> Neighbourhood:
        return self._read(lambda db: expand.neighbourhood(db, view, seeds, caps), view.timeout_ms)

    def candidates(
        self, view: View, keys: Collection[Key], *, claims: bool = False
    ) -> Mapping[Key, tuple[Candidate, ...]]:
        return self._read(lambda db: speaking.candidates(db, view, keys, claims), view.timeout_ms)

    def disputed(self, view: View, after: Key | None, limit: int, *, claims: bool = False) -> Keys:
        return self._read(lambda db: speaking.disputed(db, view, after, limit, claims), view.timeout_ms)

    def quarantined(self, view: View, after: Place, limit: int) -> Quarantine:
        return self._read(lambda db: review.quarantined(db, view, after, limit), view.timeout_ms)

    def find(self, view: View, ids: Collection[str]) -> Mapping[str, Found]:
        return self._read(lambda db: read.find(db, view, ids), view.timeout_ms)

    def proof(self, view: View, roots: Collection[str], limit: int) -> Proof:
        return self._read(lambda db: read.proof(db, view, roots, limit), view.timeout_ms)

    def keyed(self, view: View, key: Key) -> tuple[str, ...]:
        return self._read(lambda db: read.keyed(db, view, key), view.timeout_ms)

    def history(self, view: View, ids: Collection[str], keys: Collection[Key] = ()) -> History:
        return self._read(lambda db: past.history(db, view, ids, keys), view.timeout_ms)

    def moved(self, view: View, since: int, limit: int) -> tuple[Moved, ...]:
        return self._read(lambda db: past.moved(db, view, since, limit), view.timeout_ms)

    def audit(self, view: View, sought: Sought, after: Place, limit: int, reach: int = REACH) -> Audited:
        return self._read(lambda db: past.audit(db, view, sought, after, limit, reach), view.timeout_ms)

    def lease(self, tenant: str, offer: Offer) -> tuple[Job, ...]:
        return self._write(lambda db: queue.lease(db, tenant, offer))

    def fail(self, tenant: str, job: Job, cause: str, now: int) -> Job | None:
        return self._write(lambda db: queue.fail(db, tenant, job, cause, now))

    def jobs(
        self,
        tenant: str,
        *,
        state: JobState | None = None,
        records: Collection[str] | None = None,
        after: str = "",
        limit: int = 100,
    ) -> tuple[Job, ...]:
        return self._read(lambda db: queue.jobs(db, tenant, state, records, after, limit))

    def retry(self, tenant: str, ids: Collection[str] | None, now: int) -> int:
        return self._write(lambda db: queue.retry(db, tenant, ids, now))

    def match(self, tenant: str, prefix: str, limit: int = 10) -> tuple[str, ...]:
        return self._read(lambda db: read.match(db, tenant, prefix, limit))

    def commit_at(self, tenant: str, instant: int) -> int:
        return self._read(
            lambda db: int(
                db.execute(
                    "SELECT coalesce(max(k), 0) FROM commits WHERE tenant = ? AND at <= ?", (tenant, instant)
                ).fetchone()[0]
            )
        )

    def entries(self, tenant: str, repository: str) -> Entries:
        return self._read(lambda db: read.entries(db, tenant, repository))

    def dump(self, tenant: str) -> Iterator[Fact]:
        with self._lock, _translated(self.path), self._snapshot():
            yield from dump.dump(self._db, tenant)

    def closure(self, tenant: str, roots: Collection[str]) -> Closure:
        return self._read(lambda db: erase.closure(db, tenant, roots, self._identity_key))

    def keyed_by(self, tenant: str, entity: str) -> tuple[str, ...]:
        return self._read(lambda db: erase.keyed_by(db, tenant, entity))

    def scour(self) -> tuple[str, ...]:
        with self._lock, _translated(self.path):
            return erase.scour(self._db)

    def status(self, tenant: str, at: int = TIME_MAX - 1) -> Status:
        return self._read(lambda db: dump.status(db, tenant, at, self.path))

    def close(self) -> None:
        with self._lock:
            self._db.close()

    def _write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """One transaction that keeps everything or nothing."""
        with self._lock, _translated(self.path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                done = work(self._db)
                self._db.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    self._db.execute("ROLLBACK")
                raise
            return done

    def _read(self, question: Callable[[sqlite3.Connection], T], timeout_ms: float | None = None) -> T:
        with self._lock, _translated(self.path), self._snapshot(), self._limited(timeout_ms):
            return question(self._db)

    @contextmanager
    def _limited(self, timeout_ms: float | None) -> Iterator[None]:
        """Interrupt what runs longer than its time."""
        if timeout_ms is None:
            yield
            return
        end = time.monotonic() + timeout_ms / 1_000
        self._db.set_progress_handler(lambda: time.monotonic() >= end, STEPS)
        try:
            yield
        finally:
            self._db.set_progress_handler(None, STEPS)

    @contextmanager
    def _snapshot(self) -> Iterator[None]:
        """One commit for all statements of a read."""
        self._db.execute("BEGIN")
        try:
            yield
        finally:
            with suppress(sqlite3.Error):
                self._db.execute("ROLLBACK")
