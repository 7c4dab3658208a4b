"""Committing a ChangeSet to SQLite. Lives here: the one transaction of a write, from checking what the plan expected
to the labels that follow. Lives elsewhere: the plan (core.changes), the labels (core.labelling), reads (read).

Labels are computed before anything is written, from the committed facts with the edit laid over them, so a dry run is
the same code without the writing.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from functools import cached_property
from operator import itemgetter
from typing import Any

from graphmem.adapters.store_sqlite import erase, queue
from graphmem.adapters.store_sqlite.network import SqlNetwork, as_json, write_labels
from graphmem.adapters.store_sqlite.read import forgotten_of, heads_of
from graphmem.adapters.store_sqlite.rows import origin_text, own_text, span_text, write_rows
from graphmem.adapters.store_sqlite.schema import OPEN
from graphmem.adapters.store_sqlite.write_graph import Keys, write_graph
from graphmem.core.analyzer import analyze
from graphmem.core.changes import Applied, ChangeSet, LabelChange
from graphmem.core.erasure import expect_unforgotten
from graphmem.core.errors import Conflict, NotFound
from graphmem.core.intervals import TIME_MAX, TIME_MIN
from graphmem.core.labelling import Edit, Link, Outcome, relabel
from graphmem.core.provenance import Provenance
from graphmem.core.records import Entity, Mode, Record, context_text

INSERT_RECORD = """
INSERT INTO record (pk, id, tenant, policy, role, kind, premise, blocked, own, touched, k_from, repo, birth, death,
  entity, attribute, scope, version, authority, observed_at, supersedes, producer, sensitivity, retention,
  evidence_status, identity, earlier, value, context, text)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
# When `own` is cut, `earlier` keeps what it was until this commit.
RESTAND = f"""
UPDATE record SET own = ?1, premise = ?2, blocked = ?3, touched = ?4,
  earlier = CASE WHEN own IS ?1 THEN earlier ELSE json_insert(coalesce(earlier, '[]'), '$[#]',
    json_array(?4, json(coalesce(own, '[[{TIME_MIN},{TIME_MAX}]]')))) END
WHERE pk = ?5
"""


class Writer:
    """One commit in the making: keys for the ids that it names, its edit, and the writing of both."""

    def __init__(self, connection: sqlite3.Connection, changes: ChangeSet) -> None:
        self.db = connection
        self.changes = changes
        self.k = self._one("SELECT coalesce(max(k), 0) + 1 FROM commits")
        self.last_record = self._one("SELECT coalesce(max(pk), 0) FROM record")
        self.network = SqlNetwork(connection)
        self.keys: dict[str, int] = {}
        self.links: dict[str, int] = {}
        self.repos: dict[str, int] = {"": 0}
        self.origins: dict[str, int] = {}
        self.new_entities: list[Entity] = []
        self.new_repositories: list[tuple[int, str, str]] = []

    def check(self) -> None:
        """Raise LeaseLost when the plan's lease is gone, Conflict when a record or head isn't as the plan saw it."""
        queue.check(self.db, self.changes)
        if self.changes.seen != self.k - 1:
            self._check_as_planned()
        erase.check(self.db, self.changes)

    def _check_as_planned(self) -> None:
        expects = self.changes.expects
        touched = dict(self._each("SELECT r.id, r.touched", "record r ON r.id = f.value", tuple(expects)))
        for record, seen in expects.items():
            if touched.get(record, 0) != seen:
                raise Conflict(f"{record} was changed by another writer", hint="load it again and retry")
        expect_unforgotten(forgotten_of(self.db, self.changes.tenant, self.changes.unforgotten))
        heads = heads_of(self.db, self.changes.tenant, self.changes.expects_heads)
        for key, seen_head in self.changes.expects_heads.items():
            held = heads.get(key)
            if held != seen_head:
                raise Conflict(
                    f"the head of {key} was changed by another writer",
                    hint="load it again and retry",
                    head=held.record if held else "",
                    version=held.version if held else 0,
                )
        generation = self.changes.generation
        if generation is not None:
            head = self._one(
                "SELECT coalesce(max(g.ordinal), 0) FROM repository p JOIN generation g ON g.repo = p.pk "
                "WHERE p.tenant = ? AND p.name = ?",
                (self.changes.tenant, generation.repository),
            )
            if head + 1 != generation.ordinal:
                raise Conflict(f"{generation.repository} was ingested by another writer", hint="ingest it again")

    def outcome(self) -> Outcome[int]:
        """The labels that the changes lead to, by key."""
        self._assign_keys()
        changes = self.changes
        edit: Edit[int] = Edit()
        edit.created = {self.keys[r.id] for r in changes.records}
        edit.standings = {self.keys[r]: s for r, s in changes.standings.items()}
        edit.added = [
            Link(
                self.links[j.id],
                self.keys[j.consequent],
                tuple(self.keys[a] for a in j.antecedents),
                j.mode is Mode.TIMELESS,
            )
            for j in changes.justifications
            if j.id not in changes.withdrawn_justifications
        ]
        if changes.withdrawn_justifications:
            edit.withdrawn = self._withdrawn_links()
        return relabel(self.network, edit)

    def applied(self, outcome: Outcome[int], commit: int) -> Applied:
        """The outcome by record id, in order."""
        names = self.network.names | {self.keys[r]: r for r in self.changes.standings}
        others = outcome.keys() - names.keys()
        if others:
            names.update(
                self.db.execute(
                    "SELECT r.pk, r.id FROM json_each(?) f CROSS JOIN record r ON r.pk = f.value",
                    (as_json(others),),
                )
            )
        moved = [LabelChange(names[pk], before, after) for pk, (before, after) in outcome.items()]
        moved.sort(key=itemgetter(0))
        return Applied(commit, tuple(moved))

    def write(self, outcome: Outcome[int]) -> None:
        """Write the facts and then the labels."""
        changes = self.changes
        self.db.execute(
            "INSERT INTO commits (k, at, tenant, writer, verb, records, origins) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (self.k, changes.at, changes.tenant, changes.writer, changes.verb, self.last_record, self._last_origin),
        )
        if changes.generation is not None:
            g = changes.generation
            self.db.execute(
                "INSERT INTO generation (repo, ordinal, revision, begins, k_from) VALUES (?, ?, ?, ?, ?)",
                (self.repos[g.repository], g.ordinal, g.revision, g.begins, self.k),
            )
        self._write_records()
        self._write_assertions()
        self._write_justifications()
        self._write_blocks_and_heads()
        keys = Keys(self.keys, self.repos, self._origin)
        write_graph(self.db, changes, self.new_entities, keys, self.k)
        self._many(
            "INSERT INTO origin (pk, body, k) VALUES (?, ?, ?)",
            ((pk, text, self.k) for text, pk in self.origins.items()),
        )
        write_labels(self.db, outcome, self.k, self.last_record)
        queue.write(self.db, changes, self.keys)
        erase.erase(self.db, changes)

    # Keys.

    def _one(self, statement: str, values: tuple[Any, ...] = ()) -> int:
        return int(self.db.execute(statement, values).fetchone()[0])

    def _each(self, select: str, join: str, names: tuple[str, ...]) -> Iterable[tuple[Any, ...]]:
        """Rows for many ids by one statement that starts from the ids; both parts are constants of this file."""
        if not names:
            return ()
        return self.db.execute(f"{select} FROM json_each(?) f CROSS JOIN {join}", (json.dumps(names),))

    def _many(self, statement: str, rows: Iterable[tuple[Any, ...]]) -> None:
        write_rows(self.db, statement, rows)

    def _assign_keys(self) -> None:
        changes = self.changes
        created = {r.id for r in changes.records} | {e.id for e in changes.entities}
        named = {
            *changes.standings,
            *changes.unblocks,
            *(b.record for b in changes.blocks),
            *(a.record for a in changes.assertions),
            *(n for j in changes.justifications for n in (j.consequent, *j.antecedents)),
            *(h.record for h in changes.heads.values()),
            *(n for e in changes.edges for n in (e.source, e.target)),
            *(n for e in changes.edges for place in e.evidence for n in place),
        }
        for table, mark in (("record", "r-"), ("entity", "e-")):
            ids = tuple(name for name in named | created if name.startswith(mark))
            self.keys.update(self._each("SELECT t.id, t.pk", f"{table} t ON t.id = f.value", ids))
        missing = named - created - self.keys.keys()
        if missing:
            raise NotFound(f"no record or entity {min(missing)}", hint="ids come from recall and export")
        fresh = (r.id for r in changes.records if r.id not in self.keys)
        self.keys.update((name, self.last_record + 2 * n) for n, name in enumerate(fresh, 1))
        self.new_entities = [e for e in changes.entities if e.id not in self.keys]
        if self.new_entities:
            last = self._one("SELECT coalesce(max(pk), -1) FROM entity")
            self.keys.update((e.id, last + 2 * n) for n, e in enumerate(self.new_entities, 1))
        if changes.justifications:
            last = self._one("SELECT coalesce(max(pk), 0) FROM justification")
            self.links.update((j.id, last + n) for n, j in enumerate(changes.justifications, 1))
        self._assign_repositories()

    def _assign_repositories(self) -> None:
        changes = self.changes
        used = {r.repository for r in changes.records} | {e.repository for e in changes.entities}
        used |= {e.repository for e in changes.edges} | {s.repository for s in changes.sites}
        if changes.generation is not None:
            used.add(changes.generation.repository)
        used.discard("")
        last = self._one("SELECT coalesce(max(pk), 0) FROM repository") if used else 0
        for name in sorted(used):
            row = self.db.execute(
                "SELECT pk FROM repository WHERE tenant = ? AND name = ?", (changes.tenant, name)
            ).fetchone()
            if row is None:
                last += 1
                self.new_repositories.append((last, changes.tenant, name))
            self.repos[name] = row[0] if row else last

    def _withdrawn_links(self) -> list[Link[int]]:
        rows = self._each(
            "SELECT j.pk, j.consequent, j.timeless",
            f"justification j ON j.id = f.value AND j.k_to = {OPEN}",
            self.changes.withdrawn_justifications,
        )
        return [Link(pk, consequent, (), bool(timeless)) for pk, consequent, timeless in rows]

    def _origin(self, provenance: Provenance) -> int:
        text = origin_text(provenance)
        key = self.origins.get(text)
        if key is None:
            self.origins[text] = key = self._last_origin + len(self.origins) + 1
        return key

    @cached_property
    def _last_origin(self) -> int:
        return self._one("SELECT coalesce(max(pk), 0) FROM origin")

    # Facts.

    def _write_records(self) -> None:
        changes = self.changes
        self._many(
            "INSERT INTO repository (pk, tenant, name) VALUES (?, ?, ?)",
            self.new_repositories,
        )
        self._many(
            INSERT_RECORD,
            (self._record_row(r) for r in changes.records),
        )
        self._many(
            "INSERT INTO fulltext (rowid, body, context) VALUES (?, ?, ?)",
            (
                (self.keys[r.id], " ".join(analyze(r.text)), " ".join(analyze(context_text(r))))
                for r in changes.records
                if r.text
            ),
        )
        created = {r.id for r in changes.records}
        self._many(
            RESTAND,
            (
                (own_text(s.own), s.premise, s.blocked, self.k, self.keys[name])
                for name, s in changes.standings.items()
                if name not in created
            ),
        )
        for table in ("record", "edge", "site"):
            self._many(f"UPDATE {table} SET death = ? WHERE id = ?", ((d, i) for i, d in changes.deaths.items()))

    def _record_row(self, r: Record) -> tuple[Any, ...]:
        standing = self.changes.standings[r.id]
        entity, attribute, scope = (r.key.entity, r.key.attribute, r.key.scope) if r.key else (None,) * 3
        return (
            self.keys[r.id],
            r.id,
            r.tenant,
            r.policy,
            r.role.value,
            r.kind.value,
            int(standing.premise),
            int(standing.blocked),
            own_text(standing.own),
            self.k,
            self.k,
            self.repos[r.repository],
            r.birth,
            r.death,
            entity,
            attribute,
            scope,
            r.version,
            r.authority,
            r.observed_at,
            r.supersedes or None,
            r.producer or None,
            r.sensitivity,
            r.retention,
            r.evidence_status or None,
            r.identity or None,
            json.dumps([[self.k, r.claimed]], separators=(",", ":")) if r.claimed else None,
            r.value,
            r.context or None,
            r.text,
        )

    def _write_assertions(self) -> None:
        changes = self.changes
        self._many(
            "INSERT INTO assertion (id, record, authority, observed_at, locator, writer, origin, span, k_from, k_to) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (
                    a.id,
                    self.keys[a.record],
                    a.authority,
                    a.observed_at,
                    a.provenance.locator,
                    a.provenance.writer,
                    self._origin(a.provenance),
                    span_text(a.provenance.span),
                    self.k,
                    OPEN,
                )
                for a in changes.assertions
            ),
        )
        if changes.withdrawn_assertions:
            self.db.execute(
                "UPDATE assertion SET k_to = ? WHERE k_to = ? AND record IN (SELECT value FROM json_each(?)) "
                "AND id IN (SELECT value FROM json_each(?))",
                (
                    self.k,
                    OPEN,
                    as_json(self.keys[name] for name in changes.standings),
                    json.dumps(changes.withdrawn_assertions),
                ),
            )

    def _write_justifications(self) -> None:
        changes = self.changes
        self._many(
            "INSERT INTO justification (pk, id, tenant, consequent, informant, timeless, origin, span, k_from, k_to) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (
                    self.links[j.id],
                    j.id,
                    j.tenant,
                    self.keys[j.consequent],
                    j.informant,
                    j.mode is Mode.TIMELESS,
                    self._origin(j.provenance),
                    span_text(j.provenance.span),
                    self.k,
                    OPEN,
                )
                for j in changes.justifications
            ),
        )
        self._many(
            "INSERT INTO antecedent (just, record, consequent, timeless) VALUES (?, ?, ?, ?)",
            (
                (self.links[j.id], self.keys[a], self.keys[j.consequent], j.mode is Mode.TIMELESS)
                for j in changes.justifications
                for a in j.antecedents
            ),
        )
        self._many(
            "UPDATE record SET reasons = reasons + 1 WHERE pk = ?",
            ((self.keys[j.consequent],) for j in changes.justifications),
        )
        self._many(
            "UPDATE justification SET k_to = ? WHERE id = ? AND k_to = ?",
            ((self.k, j, OPEN) for j in changes.withdrawn_justifications),
        )

    def _write_blocks_and_heads(self) -> None:
        changes = self.changes
        self._many(
            "UPDATE block SET k_to = ? WHERE record = ? AND k_to = ?",
            ((self.k, self.keys[r], OPEN) for r in changes.unblocks),
        )
        self._many(
            "INSERT INTO block (record, kind, who, k_from, k_to) VALUES (?, ?, ?, ?, ?)",
            ((self.keys[b.record], b.kind.value, b.by, self.k, OPEN) for b in changes.blocks),
        )
        self._many(
            "INSERT OR REPLACE INTO head (tenant, entity, attribute, scope, record, version) VALUES (?, ?, ?, ?, ?, ?)",
            (
                (changes.tenant, key.entity, key.attribute, key.scope, self.keys[head.record], head.version)
                for key, head in changes.heads.items()
            ),
        )
