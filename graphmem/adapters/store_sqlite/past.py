"""What SQLite tells over known time: lives, what moved between two commits, and audits. Lives here: their statements,
each of which starts from asked ids or from an index. Lives elsewhere: reads of one known time (read), the indexes
(schema).

An audit goes by origins: each belongs to one commit, and so to one tenant. The plus signs keep the planner at the index
that the question is most narrowly answered from.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from graphmem.adapters.store_sqlite.admission import ALLOWED, LABELLED, parameters
from graphmem.adapters.store_sqlite.network import as_json
from graphmem.adapters.store_sqlite.rows import RECORD_COLUMNS, RECORD_WIDTH, provenance_of, record_of
from graphmem.adapters.store_sqlite.schema import OPEN
from graphmem.core.auditing import Audited, Entry, Moved, Place, Sought
from graphmem.core.labels import Label, Segment
from graphmem.core.lifetimes import ONGOING, Commit, History, Kept, Life
from graphmem.core.records import Assertion, Block, BlockKind, Justification, Key, Mode
from graphmem.core.views import View

Db = sqlite3.Connection
LAST_CHARACTER = "\U0010ffff"  # greater than any continuation of a prefix

CHOSEN_IDS = f"SELECT r.pk FROM json_each(:ids) f CROSS JOIN record r ON r.id = f.value WHERE {ALLOWED}"
CHOSEN_KEYS = f"""
SELECT r.pk FROM json_each(:keys) f CROSS JOIN record r INDEXED BY record_key ON r.tenant = :tenant
  AND r.entity = f.value ->> 0 AND r.attribute = f.value ->> 1 AND r.scope = f.value ->> 2
WHERE r.entity IS NOT NULL AND {ALLOWED}
"""
BODIES = f"""
SELECT {RECORD_COLUMNS}, r.pk, r.k_from FROM json_each(:asked) f CROSS JOIN record r ON r.pk = f.value ORDER BY r.id
"""
ASSERTED = """
SELECT a.record, a.k_from, a.k_to, a.id, r.id, o.body, a.span, a.authority, a.observed_at FROM json_each(:asked) f
CROSS JOIN assertion a ON a.record = f.value AND +a.k_from <= :k CROSS JOIN record r ON r.pk = a.record
CROSS JOIN origin o ON o.pk = a.origin ORDER BY a.pk
"""
BLOCKED = """
SELECT b.record, b.k_from, b.k_to, r.id, b.kind, b.who FROM json_each(:asked) f
CROSS JOIN block b ON b.record = f.value AND b.k_from <= :k CROSS JOIN record r ON r.pk = b.record ORDER BY b.k_from
"""
STRETCHES = """
SELECT s.record, s.k_from, s.k_to, s.t_from, s.t_to, s.level, s.rank, s.support,
  (SELECT j.id FROM justification j WHERE j.pk = s.support)
FROM json_each(:asked) f CROSS JOIN span s ON s.record = f.value AND +s.k_from <= :k ORDER BY s.k_from, s.t_from
"""
CONCLUDED = """
SELECT j.consequent, j.k_from, j.k_to, j.id, j.tenant, c.id, j.informant, o.body, j.span, j.timeless,
  (SELECT json_group_array(b.id) FROM antecedent a CROSS JOIN record b ON b.pk = a.record WHERE a.just = j.pk)
FROM json_each(:asked) f CROSS JOIN justification j ON j.consequent = f.value AND +j.k_from <= :k
CROSS JOIN record c ON c.pk = j.consequent CROSS JOIN origin o ON o.pk = j.origin ORDER BY j.k_from, j.id
"""
COMMITS = (
    "SELECT c.k, c.at, c.writer, c.verb FROM json_each(:asked) f CROSS JOIN commits c ON c.k = f.value ORDER BY c.k"
)

# What a half-open stretch of commits brought, by its keys; a key that became free may have been given again since.
BROUGHT_IN = f"""{{0}} > (SELECT coalesce(min(b.{{1}}), {OPEN}) FROM commits b WHERE b.k = :since + 1)
  AND {{0}} <= (SELECT coalesce(min(b.{{1}}), {OPEN}) FROM commits b WHERE b.k = :k + 1)"""
# The end of a half-open stretch of commits: what ended by the view's known time, from an index of what has ended.
_ENDED = f"{{0}}.k_to < {OPEN} AND {{0}}.k_to > :since AND {{0}}.k_to <= :k"
MOVED = f"""
WITH touched (pk) AS (
  SELECT r.pk FROM record r CROSS JOIN span s ON s.record = r.pk AND s.k_from = r.k_from
    WHERE {BROUGHT_IN.format("r.pk", "records")}
  UNION SELECT s.record FROM span s INDEXED BY span_again WHERE s.again AND s.k_from > :since AND s.k_from <= :k
  UNION SELECT s.record FROM span s INDEXED BY span_ended WHERE {_ENDED.format("s")}
  UNION SELECT a.record FROM origin o CROSS JOIN assertion a ON a.origin = o.pk
    WHERE {BROUGHT_IN.format("o.pk", "origins")} AND +o.k > :since AND +o.k <= :k
  UNION SELECT a.record FROM assertion a INDEXED BY assertion_ended WHERE {_ENDED.format("a")})
SELECT r.pk, r.id, r.entity, r.attribute, r.scope FROM touched CROSS JOIN record r ON r.pk = touched.pk
WHERE {ALLOWED} ORDER BY r.id LIMIT :limit
"""
LABELS_AT = """
SELECT s.record, s.t_from, s.t_to, s.level, s.rank, s.support, (SELECT j.id FROM justification j WHERE j.pk = s.support)
FROM json_each(:asked) f CROSS JOIN span s ON s.record = f.value AND +s.k_from <= :then AND :then < +s.k_to
"""

_WHENCE = """(:source = '' OR (+o.body ->> '$.locator' >= :source AND +o.body ->> '$.locator' < :source_end))
  AND (:subject = '' OR +o.body ->> '$.subject' = :subject) AND (:writer = '' OR +o.body ->> '$.writer' = :writer)
  AND +o.k > :since AND +o.k <= :k AND c.tenant = :tenant"""
# True of every record that something was brought for; a condition on one table alone would invite a Bloom filter.
_THEN = "+r.k_from <= chosen.k"
_SHOWN = f"""SELECT 1 FROM evidence v WHERE v.edge = e.pk GROUP BY v.place
  HAVING min(EXISTS (SELECT 1 FROM record r WHERE r.pk = v.record AND {_THEN} AND {ALLOWED}))"""
_OURS = f"EXISTS (SELECT 1 FROM record r WHERE r.pk = {{0}} AND {_THEN} AND {ALLOWED})"
# By which index the origins are found.
WAYS = {
    "source": "origin o INDEXED BY origin_locator CROSS JOIN commits c ON c.k = o.k "
    "WHERE o.body ->> '$.locator' >= :source AND o.body ->> '$.locator' < :source_end",
    "subject": "origin o INDEXED BY origin_subject CROSS JOIN commits c ON c.k = o.k "
    "WHERE o.body ->> '$.subject' = :subject",
    "writer": "origin o INDEXED BY origin_writer CROSS JOIN commits c ON c.k = o.k "
    "WHERE o.body ->> '$.writer' = :writer",
    "time": f"origin o CROSS JOIN commits c ON c.k = o.k WHERE {BROUGHT_IN.format('o.pk', 'origins')}",
}


def _brought(way: str, start: str = "TRUE") -> str:
    """Everything that some origins brought, found by one of the ways."""
    return f"""
WITH chosen (pk, k, at, body) AS MATERIALIZED (
  SELECT o.pk, o.k, c.at, o.body FROM {WAYS[way]} AND {_WHENCE} AND {start}),
brought (kind, id, k, at, k_to, body, span, node, other, pk, detail) AS (
  SELECT 'assertion', a.id, chosen.k, chosen.at, a.k_to, chosen.body, a.span, a.record, NULL, a.pk, ''
  FROM chosen CROSS JOIN assertion a ON a.origin = chosen.pk WHERE {_OURS.format("a.record")}
  UNION ALL
  SELECT 'justification', j.id, chosen.k, chosen.at, j.k_to, chosen.body, j.span, j.consequent, NULL, j.pk, j.informant
  FROM chosen CROSS JOIN justification j ON j.origin = chosen.pk WHERE {_OURS.format("j.consequent")}
  UNION ALL
  SELECT 'edge', e.id, chosen.k, chosen.at, {OPEN}, chosen.body, e.span, e.source, e.target, e.pk, e.type
  FROM chosen CROSS JOIN edge e ON e.origin = chosen.pk WHERE EXISTS ({_SHOWN}))"""


_NAMES = """CASE kind WHEN 'assertion' THEN json_array((SELECT id FROM record WHERE pk = node))
  WHEN 'edge' THEN json_array(
    coalesce((SELECT id FROM record WHERE pk = node), (SELECT id FROM entity WHERE pk = node)),
    coalesce((SELECT id FROM record WHERE pk = other), (SELECT id FROM entity WHERE pk = other)))
  ELSE json_insert(
    (SELECT json_group_array(b.id) FROM antecedent a CROSS JOIN record b ON b.pk = a.record WHERE a.just = brought.pk),
    '$[#]', (SELECT id FROM record WHERE pk = node)) END"""
_PAGE_START = "+o.k >= :after_k"
_PAGE = f"""SELECT kind, id, k, at, k_to, body, span, {_NAMES}, detail FROM brought
WHERE k > :after_k OR id > :after_id ORDER BY k, id LIMIT :limit"""
AUDIT_COUNTS = {way: f"{_brought(way)} SELECT kind, count(*) FROM brought GROUP BY kind" for way in WAYS}
AUDIT_RECORDS = {way: f"{_brought(way)} SELECT DISTINCT node FROM brought WHERE kind != 'edge'" for way in WAYS}
AUDIT_PAGES = {way: f"{_brought(way, _PAGE_START)} {_PAGE}" for way in WAYS}
RESTING_ON = f"""
SELECT DISTINCT a.consequent FROM json_each(:asked) f CROSS JOIN antecedent a ON a.record = f.value
CROSS JOIN span s ON s.record = a.consequent AND s.support = a.just CROSS JOIN record r ON r.pk = a.consequent
WHERE {LABELLED} AND {ALLOWED}
"""


def history(db: Db, view: View, ids: Collection[str], keys: Collection[Key]) -> History:
    """The lives of records by id and by key."""
    asked_keys = json.dumps([(k.entity, k.attribute, k.scope) for k in sorted(set(keys))])
    values = parameters(db, view) | {"ids": json.dumps(sorted(ids)), "keys": asked_keys}
    chosen = {pk for statement in (CHOSEN_IDS, CHOSEN_KEYS) for (pk,) in db.execute(statement, values)}
    known = values["k"]
    asked = {"asked": as_json(sorted(chosen)), "k": known}
    parts = {
        "assertions": _lives(db, ASSERTED, asked, lambda r: Assertion(r[0], r[1], provenance_of(r[2], r[3]), *r[4:])),
        "blocks": _lives(db, BLOCKED, asked, lambda r: Block(r[0], BlockKind(r[1]), r[2])),
        "stretches": _lives(db, STRETCHES, asked, lambda r: Segment(r[0], r[1], r[2], r[3], r[5] or r[4])),
        "links": _lives(db, CONCLUDED, asked, _justification),
    }
    lives = {}
    for row in db.execute(BODIES, asked):
        pk, born = row[RECORD_WIDTH:]
        own = {name: tuple(found.get(pk, ())) for name, found in parts.items()}
        lives[row[0]] = Life(record_of(row, known), born, **own)
    named = sorted({k for life in lives.values() for k in life.commits()})
    commits = {row[0]: Commit(*row) for row in db.execute(COMMITS, {"asked": as_json(named)})}
    return History(lives, commits, known)


def _lives(db: Db, statement: str, values: dict[str, Any], read: Any) -> dict[int, list[Kept[Any]]]:
    """Facts by record, from rows of record, first and last commit, and the fact."""
    found: dict[int, list[Kept[Any]]] = {}
    for record, start, end, *row in db.execute(statement, values):
        found.setdefault(record, []).append(Kept(read(row), start, end if end <= values["k"] else ONGOING))
    return found


def _justification(row: Sequence[Any]) -> Justification:
    name, tenant, consequent, informant, body, span, timeless, antecedents = row
    mode = Mode.TIMELESS if timeless else Mode.INTERSECT
    names = tuple(sorted(json.loads(antecedents)))
    return Justification(name, tenant, consequent, names, informant, provenance_of(body, span), mode)


def moved(db: Db, view: View, since: int, limit: int) -> tuple[Moved, ...]:
    """Records that changed between two commits, with their label at each."""
    values = parameters(db, view) | {"since": since, "limit": limit}
    rows = db.execute(MOVED, values).fetchall()
    asked = as_json(row[0] for row in rows)
    before, after = (_labels(db, asked, then) for then in (since, values["k"]))
    return tuple(
        Moved(name, None if entity is None else Key(entity, *rest), before.get(pk, ()), after.get(pk, ()))
        for pk, name, entity, *rest in rows
    )


def _labels(db: Db, asked: str, then: int) -> dict[int, Label]:
    found: dict[int, Label] = {}
    for record, start, end, level, rank, support, name in db.execute(LABELS_AT, {"asked": asked, "then": then}):
        found[record] = (*found.get(record, ()), Segment(start, end, level, rank, name or support))
    return {record: tuple(sorted(label, key=lambda s: s.start)) for record, label in found.items()}


def audit(db: Db, view: View, sought: Sought, after: Place, limit: int, reach: int) -> Audited:
    """Counts, and a page of what some origins brought."""
    values = parameters(db, view) | {
        "source": sought.source,
        "source_end": sought.source + LAST_CHARACTER,
        "subject": sought.subject,
        "writer": sought.writer,
        "since": sought.since,
        "after_k": after.commit,
        "after_id": after.id,
        "limit": limit + 1,
    }
    way = next((name for name in ("source", "subject", "writer") if getattr(sought, name)), "time")
    records = [pk for (pk,) in db.execute(AUDIT_RECORDS[way], values)]
    resting = _resting(db, values, records, reach)
    kinds = dict(db.execute(AUDIT_COUNTS[way], values).fetchall())
    counts = {"record": len(records)} | {k: kinds.get(k, 0) for k in ("assertion", "justification", "edge")}
    entries = tuple(_entries(db.execute(AUDIT_PAGES[way], values), values["k"]))
    counts["resting"] = min(resting, reach)
    return Audited(counts, entries[:limit], len(entries) > limit, resting > reach)


def _resting(db: Db, values: dict[str, Any], records: Sequence[int], reach: int) -> int:
    """How many other records rest on some, level by level, until there are more than can be followed."""
    level, seen = list(records), set(records)
    while level and len(seen) - len(records) <= reach:
        level = [pk for (pk,) in db.execute(RESTING_ON, values | {"asked": as_json(level)}) if pk not in seen]
        seen.update(level)
    return len(seen) - len(records)


def _entries(rows: sqlite3.Cursor, known: int) -> Iterator[Entry]:
    for kind, name, commit, at, end, body, span, names, detail in rows:
        named = json.loads(names)
        if kind == "justification":
            *antecedents, consequent = named
            named = [consequent, *sorted(antecedents)]
        ended = end if end <= known else 0
        yield Entry(kind, name, commit, at, ended, tuple(named), provenance_of(body, span), detail)
