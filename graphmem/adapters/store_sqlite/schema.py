"""The SQLite schema and its opening. Lives here: tables and indexes, the schema's version and migrations, pragmas,
and what makes a file a memory. Lives elsewhere: reading and writing rows."""

from __future__ import annotations

import os
import secrets
import sqlite3
from pathlib import Path

from graphmem.core.errors import CorruptStore, StoreUnavailable

SCHEMA_VERSION = 4
APPLICATION_ID = 0x67726D65  # "grme": marks the file as ours in its header
OPEN = 2**63 - 1  # end of a known-time interval that hasn't ended
BUSY_TIMEOUT_S = 60.0
CACHE_KIB = 65_536

# What audits and histories go by; the subject's index holds only origins that have one. What a commit brought needs no
# index: keys are given in the order of commits, each of which keeps the last ones given before it.
PAST = f"""
CREATE INDEX origin_locator ON origin (body ->> '$.locator');
CREATE INDEX origin_subject ON origin (body ->> '$.subject') WHERE body ->> '$.subject' IS NOT NULL;
CREATE INDEX origin_writer ON origin (body ->> '$.writer');
CREATE INDEX assertion_origin ON assertion (origin);
CREATE INDEX assertion_ended ON assertion (k_to) WHERE k_to < {OPEN};
CREATE INDEX justification_origin ON justification (origin);
CREATE INDEX edge_origin ON edge (origin);
CREATE INDEX span_ended ON span (k_to) WHERE k_to < {OPEN};
"""

# What began later than its record, so that a record's first stretch costs no index.
AGAIN = """
CREATE INDEX span_again ON span (k_from) WHERE again;
"""

# Jobs that aren't done, in the order of their records. `backlog` counts those that aren't dead, so writes need not.
QUEUE = """
CREATE TABLE job (tenant TEXT NOT NULL, record INTEGER NOT NULL, kind TEXT NOT NULL, lane TEXT NOT NULL,
  length INTEGER NOT NULL, state TEXT NOT NULL, position INTEGER NOT NULL, attempts INTEGER NOT NULL,
  due_at INTEGER NOT NULL, token TEXT NOT NULL, cause TEXT NOT NULL, PRIMARY KEY (tenant, record, kind)) WITHOUT ROWID;
CREATE INDEX job_lane ON job (tenant, lane, record, kind) WHERE state <> 'dead';
CREATE TABLE backlog (tenant TEXT PRIMARY KEY, open INTEGER NOT NULL) WITHOUT ROWID;
CREATE TRIGGER job_came AFTER INSERT ON job WHEN new.state <> 'dead' BEGIN INSERT INTO backlog (tenant, open)
  VALUES (new.tenant, 1) ON CONFLICT (tenant) DO UPDATE SET open = open + 1; END;
CREATE TRIGGER job_went AFTER DELETE ON job WHEN old.state <> 'dead' BEGIN
  UPDATE backlog SET open = open - 1 WHERE tenant = old.tenant; END;
CREATE TRIGGER job_turned AFTER UPDATE OF state ON job WHEN (old.state = 'dead') <> (new.state = 'dead') BEGIN
  UPDATE backlog SET open = open + iif(new.state = 'dead', -1, 1) WHERE tenant = new.tenant; END;
"""

# What waits for a person is found among the blocks that hold, whatever else is in the memory.
REVIEW = """
CREATE INDEX block_quarantined ON block (k_to, k_from) WHERE kind = 'quarantined';
"""

# A record's `earlier` lists what its own times were before, each with the commit that cut them; its `reasons` counts
# the justifications that ever concluded it.
# Node keys: records have even primary keys, entities odd ones, so that one integer names either in an edge.
DDL = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE commits (k INTEGER PRIMARY KEY, at INTEGER NOT NULL, tenant TEXT NOT NULL, writer TEXT NOT NULL,
  verb TEXT NOT NULL, records INTEGER NOT NULL DEFAULT 0, origins INTEGER NOT NULL DEFAULT 0);
CREATE INDEX commit_tenant ON commits (tenant, at);
CREATE TABLE origin (pk INTEGER PRIMARY KEY, body TEXT NOT NULL, k INTEGER NOT NULL DEFAULT 0);
CREATE TABLE repository (pk INTEGER PRIMARY KEY, tenant TEXT NOT NULL, name TEXT NOT NULL, UNIQUE (tenant, name));
CREATE TABLE generation (repo INTEGER NOT NULL, ordinal INTEGER NOT NULL, revision TEXT NOT NULL,
  begins INTEGER NOT NULL, k_from INTEGER NOT NULL, PRIMARY KEY (repo, ordinal)) WITHOUT ROWID;
CREATE TABLE record (pk INTEGER PRIMARY KEY, id TEXT NOT NULL, tenant TEXT NOT NULL, policy TEXT NOT NULL,
  role TEXT NOT NULL, kind TEXT NOT NULL, premise INTEGER NOT NULL, blocked INTEGER NOT NULL,
  reasons INTEGER NOT NULL DEFAULT 0, own TEXT, earlier TEXT, touched INTEGER NOT NULL, k_from INTEGER NOT NULL,
  repo INTEGER NOT NULL, birth INTEGER NOT NULL, death INTEGER NOT NULL, entity TEXT, attribute TEXT, scope TEXT,
  version INTEGER NOT NULL, authority INTEGER NOT NULL, observed_at INTEGER NOT NULL, supersedes TEXT, producer TEXT,
  sensitivity TEXT NOT NULL, retention TEXT NOT NULL, evidence_status TEXT, identity TEXT, value TEXT, context TEXT,
  text TEXT NOT NULL);
CREATE UNIQUE INDEX record_id ON record (id);
CREATE INDEX record_key ON record (tenant, entity, attribute, scope) WHERE entity IS NOT NULL;
CREATE INDEX record_identity ON record (repo, identity) WHERE identity IS NOT NULL;
CREATE TABLE assertion (pk INTEGER PRIMARY KEY, id TEXT NOT NULL, record INTEGER NOT NULL, authority INTEGER NOT NULL,
  observed_at INTEGER NOT NULL, locator TEXT NOT NULL, writer TEXT NOT NULL, origin INTEGER NOT NULL, span TEXT,
  k_from INTEGER NOT NULL, k_to INTEGER NOT NULL);
CREATE INDEX assertion_record ON assertion (record);
CREATE TABLE justification (pk INTEGER PRIMARY KEY, id TEXT NOT NULL, tenant TEXT NOT NULL, consequent INTEGER NOT NULL,
  informant TEXT NOT NULL, timeless INTEGER NOT NULL, origin INTEGER NOT NULL, span TEXT, k_from INTEGER NOT NULL,
  k_to INTEGER NOT NULL);
CREATE INDEX justification_id ON justification (id);
CREATE INDEX justification_consequent ON justification (consequent);
CREATE TABLE antecedent (just INTEGER NOT NULL, record INTEGER NOT NULL, consequent INTEGER NOT NULL,
  timeless INTEGER NOT NULL, PRIMARY KEY (just, record)) WITHOUT ROWID;
CREATE INDEX antecedent_record ON antecedent (record, just, consequent, timeless);
CREATE TABLE span (record INTEGER NOT NULL, t_from INTEGER NOT NULL, t_to INTEGER NOT NULL, level INTEGER NOT NULL,
  rank INTEGER NOT NULL, support INTEGER NOT NULL, k_from INTEGER NOT NULL, k_to INTEGER NOT NULL,
  again INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (record, t_from, k_from)) WITHOUT ROWID;
CREATE TABLE block (record INTEGER NOT NULL, kind TEXT NOT NULL, who TEXT NOT NULL, k_from INTEGER NOT NULL,
  k_to INTEGER NOT NULL, PRIMARY KEY (record, k_from)) WITHOUT ROWID;
CREATE TABLE head (tenant TEXT NOT NULL, entity TEXT NOT NULL, attribute TEXT NOT NULL, scope TEXT NOT NULL,
  record INTEGER NOT NULL, version INTEGER NOT NULL, PRIMARY KEY (tenant, entity, attribute, scope)) WITHOUT ROWID;
CREATE TABLE entity (pk INTEGER PRIMARY KEY, id TEXT NOT NULL, tenant TEXT NOT NULL, kind TEXT NOT NULL,
  name TEXT NOT NULL, symbol TEXT NOT NULL, qualified_name TEXT NOT NULL, aliases TEXT NOT NULL, repo INTEGER NOT NULL,
  k_from INTEGER NOT NULL);
CREATE UNIQUE INDEX entity_id ON entity (id);
CREATE TABLE name (tenant TEXT NOT NULL, name TEXT NOT NULL, node INTEGER NOT NULL,
  PRIMARY KEY (tenant, name, node)) WITHOUT ROWID;
CREATE TABLE edge (pk INTEGER PRIMARY KEY, id TEXT NOT NULL, tenant TEXT NOT NULL, type TEXT NOT NULL,
  source INTEGER NOT NULL, target INTEGER NOT NULL, level TEXT NOT NULL, repo INTEGER NOT NULL, birth INTEGER NOT NULL,
  death INTEGER NOT NULL, origin INTEGER NOT NULL, span TEXT, identity TEXT, k_from INTEGER NOT NULL);
CREATE UNIQUE INDEX edge_id ON edge (id);
CREATE INDEX edge_source ON edge (source);
CREATE INDEX edge_target ON edge (target);
CREATE INDEX edge_identity ON edge (repo, identity) WHERE identity IS NOT NULL;
CREATE TABLE evidence (edge INTEGER NOT NULL, place INTEGER NOT NULL, record INTEGER NOT NULL,
  PRIMARY KEY (edge, place, record)) WITHOUT ROWID;
CREATE INDEX evidence_record ON evidence (record);
CREATE TABLE site (pk INTEGER PRIMARY KEY, id TEXT NOT NULL, tenant TEXT NOT NULL, source TEXT NOT NULL,
  callee TEXT NOT NULL, reason TEXT NOT NULL, locator TEXT NOT NULL, line INTEGER NOT NULL, repo INTEGER NOT NULL,
  birth INTEGER NOT NULL, death INTEGER NOT NULL, identity TEXT, k_from INTEGER NOT NULL);
CREATE UNIQUE INDEX site_id ON site (id);
CREATE INDEX site_identity ON site (repo, identity) WHERE identity IS NOT NULL;
CREATE VIRTUAL TABLE fulltext USING fts5 (body, context, content='', columnsize=1, detail=full,
  tokenize="unicode61 remove_diacritics 0 categories 'L* M* N* P* S* C*'");
"""

# What deletions leave; `key` and `content` are keyed digests.
DELETED = """
CREATE TABLE tombstone (id TEXT NOT NULL PRIMARY KEY, tenant TEXT NOT NULL, role TEXT NOT NULL, at INTEGER NOT NULL,
  who TEXT NOT NULL, reason TEXT NOT NULL, receipt TEXT NOT NULL, key TEXT NOT NULL, content TEXT NOT NULL)
  WITHOUT ROWID;
CREATE INDEX tombstone_content ON tombstone (content);
"""

# From each older version, the statements that lead to the next one.
MIGRATIONS: dict[int, str] = {
    1: f"""
ALTER TABLE origin ADD COLUMN k INTEGER NOT NULL DEFAULT 0;
{PAST.strip()}
UPDATE origin SET k = coalesce((SELECT min(a.k_from) FROM assertion a WHERE a.origin = origin.pk),
  (SELECT min(j.k_from) FROM justification j WHERE j.origin = origin.pk),
  (SELECT min(e.k_from) FROM edge e WHERE e.origin = origin.pk), 0);
""",
    2: QUEUE + REVIEW + DELETED,
    3: f"""
ALTER TABLE commits ADD COLUMN records INTEGER NOT NULL DEFAULT 0;
ALTER TABLE commits ADD COLUMN origins INTEGER NOT NULL DEFAULT 0;
CREATE INDEX record_k ON record (k_from);
CREATE INDEX IF NOT EXISTS origin_k ON origin (k);
UPDATE commits SET
  records = coalesce(
    (SELECT r.pk FROM record r WHERE r.k_from < commits.k ORDER BY r.k_from DESC, r.pk DESC LIMIT 1), 0),
  origins = coalesce((SELECT o.pk FROM origin o WHERE o.k < commits.k ORDER BY o.k DESC, o.pk DESC LIMIT 1), 0);
DROP INDEX record_k;
DROP INDEX origin_k;
ALTER TABLE span ADD COLUMN again INTEGER NOT NULL DEFAULT 0;
UPDATE span SET again = 1 WHERE k_from <> (SELECT r.k_from FROM record r WHERE r.pk = span.record);
DROP INDEX IF EXISTS span_begun;
{AGAIN.strip()}
CREATE TABLE job_before AS SELECT * FROM job;
DROP TABLE job;
DROP TABLE backlog;
{QUEUE.strip()}
INSERT INTO job SELECT tenant, record, kind, lane, length, state, position, attempts, due_at, token, cause
  FROM job_before;
DROP TABLE job_before;
""",
}


def connect(path: Path, *, create: bool, read_only: bool, identity_key: bytes | None) -> sqlite3.Connection:
    """Open a memory file, making or migrating it where allowed. Foreign errors are left to the caller."""
    mode = "ro" if read_only else "rwc" if create else "rw"
    # In a folder that can't be written SQLite can't make the files that it reads a WAL database with.
    fixed = "&immutable=1" if read_only and not os.access(path.parent, os.W_OK) else ""
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}{fixed}",
        uri=True,
        timeout=BUSY_TIMEOUT_S,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=512,
    )
    try:
        _prepare(connection, path, read_only=read_only, identity_key=identity_key)
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection, path: Path, *, read_only: bool, identity_key: bytes | None) -> None:
    _check_application(connection, path)
    connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
    connection.execute("PRAGMA temp_store = MEMORY")
    if not read_only:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        _install(connection, path, identity_key)
    _check_version(connection, path)


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


def _check_application(connection: sqlite3.Connection, path: Path) -> None:
    application = _pragma(connection, "application_id")
    tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    if application != APPLICATION_ID and (application or tables):
        raise CorruptStore(f"{path} is a database, but not a graphmem memory", hint="give another path to --memory")


def _check_version(connection: sqlite3.Connection, path: Path) -> None:
    version = _pragma(connection, "user_version")
    if version == 0:
        raise CorruptStore(f"{path} is empty, not a memory", hint="open it for writing once to make it one")
    if version > SCHEMA_VERSION:
        raise CorruptStore(
            f"{path} has schema version {version}; this graphmem reads up to {SCHEMA_VERSION}",
            hint="install a newer graphmem",
        )


def _install(connection: sqlite3.Connection, path: Path, identity_key: bytes | None) -> None:
    if _pragma(connection, "user_version") >= SCHEMA_VERSION:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = _pragma(connection, "user_version")
        if version == 0:
            _create(connection, identity_key)
        for step in range(version, SCHEMA_VERSION) if version else ():
            _run(connection, MIGRATIONS[step])
        if version < SCHEMA_VERSION:
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        connection.execute("COMMIT")
    except BaseException as error:
        connection.execute("ROLLBACK")
        if isinstance(error, KeyError):
            raise StoreUnavailable(f"{path}: no migration from schema version {version}") from error
        raise


def _create(connection: sqlite3.Connection, identity_key: bytes | None) -> None:
    _run(connection, DDL + PAST + AGAIN + QUEUE + REVIEW + DELETED)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.executemany(
        "INSERT INTO meta (key, value) VALUES (?, ?)",
        [
            ("identity_key", identity_key or secrets.token_bytes(16)),
            ("store_id", secrets.token_hex(8)),
        ],
    )


def _run(connection: sqlite3.Connection, script: str) -> None:
    for statement in script.split(";\n"):
        if statement.strip():
            connection.execute(statement)
