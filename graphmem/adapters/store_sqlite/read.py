"""Reads of single records and keys in SQLite. Lives here: load, find, search, proof, match and entries. Lives
elsewhere: what speaks to keys (speaking), the neighbourhood (expand) and what a read admits (admission)."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from graphmem.adapters.store_sqlite.admission import ADMITTED, ALLOWED, GENERATIONS, VISIBLE, parameters
from graphmem.adapters.store_sqlite.network import as_json
from graphmem.adapters.store_sqlite.queue import PENDING, backlog, pending_of
from graphmem.adapters.store_sqlite.rows import RECORD_COLUMNS, RECORD_WIDTH, provenance_of, record_of
from graphmem.core.analyzer import occurrence
from graphmem.core.labelling import Standing
from graphmem.core.labels import Level, Segment
from graphmem.core.records import (
    GENERATION_OPEN,
    PREMISE_LEVEL,
    Assertion,
    Block,
    BlockKind,
    Justification,
    Key,
    Mode,
)
from graphmem.core.views import (
    LATEST,
    Entries,
    Found,
    Generation,
    Head,
    Held,
    Hits,
    Proof,
    Snapshot,
    View,
    Wanted,
)

Db = sqlite3.Connection

# SQLite takes at most this many ids per statement by way of one JSON parameter comfortably.
BATCH = 2_000


def load(db: Db, tenant: str, wanted: Wanted, identity_key: bytes) -> Snapshot:
    """Facts of now for planning."""
    commit = db.execute("SELECT coalesce(max(k), 0) FROM commits").fetchone()[0]
    names = _named(db, tenant, sorted({n.casefold() for n in wanted.names}))
    keys = db.execute(
        "SELECT r.pk FROM json_each(?) f CROSS JOIN record r ON r.id = f.value AND r.tenant = ?",
        (json.dumps(wanted.records), tenant),
    ).fetchall()
    asked = wanted.justifications
    links = links_of(db, "j.id = f.value AND j.tenant = :tenant", asked, LATEST, tenant) if asked else ()
    return Snapshot(
        tenant=tenant,
        commit=commit,
        identity_key=identity_key,
        records={h.record.id: h for h in held(db, [pk for (pk,) in keys], LATEST)},
        justifications={j.id: j for j, _ in links},
        live=frozenset(j.id for j, live in links if live),
        heads=heads_of(db, tenant, wanted.keys),
        graph=frozenset(_present(db, tenant, [*wanted.graph, *(e.id for e in wanted.edges)])),
        names={n: names[n.casefold()] for n in wanted.names if n.casefold() in names},
        backlog=backlog(db, tenant) if wanted.backlog else 0,
        forgotten=forgotten_of(db, tenant, wanted.marks),
    )


FORGOTTEN = """
SELECT f.value, t.id FROM json_each(:marks) f CROSS JOIN tombstone t ON t.content = f.value AND t.tenant = :tenant
UNION ALL
SELECT f.value, t.id FROM json_each(:marks) f CROSS JOIN tombstone t ON t.id = f.value AND t.tenant = :tenant
"""


def forgotten_of(db: Db, tenant: str, marks: Sequence[str]) -> dict[str, str]:
    """The tombstones that bear some of the marks."""
    return dict(db.execute(FORGOTTEN, {"marks": json.dumps(marks), "tenant": tenant})) if marks else {}


def heads_of(db: Db, tenant: str, keys: Collection[Key]) -> dict[Key, Head]:
    """The heads of some keys; a key without one is absent."""
    if not keys:
        return {}
    rows = db.execute(
        "SELECT h.entity, h.attribute, h.scope, r.id, h.version FROM json_each(?) f CROSS JOIN head h "
        "ON h.tenant = ? AND h.entity = f.value ->> 0 AND h.attribute = f.value ->> 1 AND h.scope = f.value ->> 2 "
        "CROSS JOIN record r ON r.pk = h.record",
        (json.dumps([(key.entity, key.attribute, key.scope) for key in keys]), tenant),
    )
    return {Key(*row[:3]): Head(*row[3:]) for row in rows}


def _named(db: Db, tenant: str, folded: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The entities that bear each of some names in lower case, by id."""
    found: dict[str, tuple[str, ...]] = {}
    if folded:
        for term, node in db.execute(
            "SELECT f.value, e.id FROM json_each(?) f CROSS JOIN name n ON n.tenant = ? AND n.name = f.value "
            "CROSS JOIN entity e ON e.pk = n.node ORDER BY e.id",
            (json.dumps(folded), tenant),
        ):
            found[term] = (*found.get(term, ()), node)
    return found


def _present(db: Db, tenant: str, ids: Sequence[str]) -> Iterator[str]:
    """Which of the ids name entities, edges or sites of a tenant."""
    for table in ("entity", "edge", "site") if ids else ():
        yield from (
            name
            for (name,) in db.execute(
                f"SELECT t.id FROM json_each(?) f CROSS JOIN {table} t ON t.id = f.value AND t.tenant = ?",
                (json.dumps(ids), tenant),
            )
        )


def held(db: Db, keys: Sequence[int], known: int) -> Iterator[Held]:
    """Records by key with their assertions, block and label as of a commit, in the order of the keys."""
    for start in range(0, len(keys), BATCH):
        yield from _held(db, keys[start : start + BATCH], known)


def _held(db: Db, keys: Sequence[int], known: int) -> Iterator[Held]:
    asked = as_json(keys)
    live: dict[int, list[Assertion]] = {}
    gone: dict[int, dict[str, tuple[Assertion, int]]] = {}
    for record, ended, assertion in _assertions(db, asked, known):
        if ended is None:
            live.setdefault(record, []).append(assertion)
        else:
            gone.setdefault(record, {})[assertion.id] = (assertion, ended)
    blocks = {
        pk: Block(name, BlockKind(kind), who)
        for pk, name, kind, who in db.execute(
            "SELECT r.pk, r.id, b.kind, b.who FROM json_each(?) f CROSS JOIN block b ON b.record = f.value "
            "AND b.k_from <= ? AND ? < b.k_to CROSS JOIN record r ON r.pk = b.record",
            (asked, known, known),
        )
    }
    labels = _labels(db, asked, known)
    for row in db.execute(
        f"SELECT {RECORD_COLUMNS}, r.pk, r.touched FROM json_each(?) f CROSS JOIN record r ON r.pk = f.value",
        (asked,),
    ):
        found, pk = record_of(row, known), row[RECORD_WIDTH]
        asserted = tuple(live.get(pk, ()))
        names = {a.id for a in asserted}
        premise = PREMISE_LEVEL[found.role] if asserted else Level.OUT
        yield Held(
            record=found,
            standing=Standing(found.own, premise, pk in blocks),
            touched=row[RECORD_WIDTH + 1],
            live=asserted,
            withdrawn=tuple(w for name, w in gone.get(pk, {}).items() if name not in names),
            block=blocks.get(pk),
            label=tuple(sorted(labels.get(pk, ()))),
        )


def _assertions(db: Db, asked: str, known: int) -> Iterator[tuple[int, int | None, Assertion]]:
    """(record key, commit that withdrew it or None, assertion), oldest first, as of a commit."""
    for row in db.execute(
        "SELECT a.record, a.k_to, a.id, r.id, o.body, a.span, a.authority, a.observed_at FROM json_each(?) f "
        "CROSS JOIN assertion a ON a.record = f.value AND a.k_from <= ? CROSS JOIN record r ON r.pk = a.record "
        "CROSS JOIN origin o ON o.pk = a.origin ORDER BY a.pk",
        (asked, known),
    ):
        assertion = Assertion(row[2], row[3], provenance_of(row[4], row[5]), row[6], row[7])
        yield row[0], (None if known < row[1] else row[1]), assertion


def _labels(db: Db, asked: str, known: int) -> dict[int, list[Segment]]:
    """Labels as of a commit, with supports by justification id."""
    found: dict[int, list[Segment]] = {}
    for record, start, end, level, rank, support, name in db.execute(
        "SELECT s.record, s.t_from, s.t_to, s.level, s.rank, s.support, "
        "(SELECT j.id FROM justification j WHERE j.pk = s.support) FROM json_each(?) f "
        "CROSS JOIN span s ON s.record = f.value AND s.k_from <= ? AND ? < s.k_to",
        (asked, known, known),
    ):
        found.setdefault(record, []).append(Segment(start, end, level, rank, name or support))
    return found


def links_of(
    db: Db, condition: str, asked: Iterable[object], known: int, tenant: str
) -> list[tuple[Justification, bool]]:
    """Justifications that meet a constant condition over `f.value`, newest state of each, with whether it was live."""
    found: dict[int, tuple[Any, list[str]]] = {}
    newest: dict[str, int] = {}
    for pk, antecedent, *row in db.execute(
        "SELECT j.pk, b.id, j.id, j.tenant, c.id, j.informant, o.body, j.span, j.timeless, j.k_to "
        f"FROM json_each(:asked) f CROSS JOIN justification j ON {condition} AND j.k_from <= :k "
        "CROSS JOIN record c ON c.pk = j.consequent CROSS JOIN origin o ON o.pk = j.origin "
        "CROSS JOIN antecedent a ON a.just = j.pk CROSS JOIN record b ON b.pk = a.record ORDER BY j.pk, b.id",
        {"asked": json.dumps(list(asked)), "k": known, "tenant": tenant},
    ):
        found.setdefault(pk, (row, []))[1].append(antecedent)
        newest[row[0]] = pk
    return [
        (
            Justification(
                id=row[0],
                tenant=row[1],
                consequent=row[2],
                antecedents=tuple(antecedents),
                informant=row[3],
                provenance=provenance_of(row[4], row[5]),
                mode=Mode.TIMELESS if row[6] else Mode.INTERSECT,
            ),
            known < row[7],
        )
        for pk, (row, antecedents) in found.items()
        if newest[row[0]] == pk
    ]


FIND = f"""
WITH {GENERATIONS}
SELECT {RECORD_COLUMNS}, s.level, s.rank, (SELECT j.id FROM justification j WHERE j.pk = s.support), r.k_from,
  (SELECT c.at FROM commits c WHERE c.k = r.k_from), {PENDING}, r.pk
FROM json_each(:asked) f CROSS JOIN record r ON r.id = f.value CROSS JOIN span s ON s.record = r.pk
WHERE {VISIBLE}
"""


def find(db: Db, view: View, ids: Collection[str]) -> dict[str, Found]:
    """Records by id, as far as the view admits them."""
    values = parameters(db, view) | {"asked": json.dumps(sorted(ids))}
    rows = db.execute(FIND, values).fetchall()
    shown: dict[int, Assertion] = {}
    asked = as_json(row[-1] for row in rows)
    for pk, ended, assertion in _assertions(db, asked, values["k"]):
        if ended is None or pk not in shown:
            shown[pk] = assertion
    found = {}
    for row in rows:
        level, rank, support, commit, recorded_at, pending, pk = row[RECORD_WIDTH:]
        record = record_of(row, values["k"])
        waits = pending_of(pending)
        found[record.id] = Found(record, level, rank, support or "", commit, recorded_at, shown.get(pk), waits)
    return found


EXACT_RECORDS = f"""
WITH {GENERATIONS}
SELECT f.value, r.id FROM json_each(:terms) f CROSS JOIN record r ON r.id = f.value
CROSS JOIN span s ON s.record = r.pk WHERE {VISIBLE}
"""
EXACT_ENTITIES = f"""
WITH {GENERATIONS}
SELECT f.value, t.id FROM json_each(:terms) f CROSS JOIN name n ON n.tenant = :tenant AND n.name = f.value
CROSS JOIN entity t ON t.pk = n.node
WHERE EXISTS (SELECT 1 FROM edge e WHERE e.source = t.pk AND {ADMITTED})
  OR EXISTS (SELECT 1 FROM edge e WHERE e.target = t.pk AND {ADMITTED})
"""
# Weights of the two columns: the text itself, then its context (headings, paths).
LEXICAL = f"""
WITH {GENERATIONS}
SELECT r.id, -bm25(fulltext, 1.0, 0.25) FROM fulltext x CROSS JOIN record r ON r.pk = x.rowid
CROSS JOIN span s ON s.record = r.pk
WHERE fulltext MATCH :match AND {VISIBLE}
ORDER BY 2 DESC, r.id LIMIT :limit
"""
OCCURS = f"""
WITH {GENERATIONS}
SELECT 1 FROM fulltext x CROSS JOIN record r ON r.pk = x.rowid CROSS JOIN span s ON s.record = r.pk
WHERE fulltext MATCH :match AND {VISIBLE} LIMIT 1
"""


def search(db: Db, view: View, terms: Sequence[str], words: Sequence[str], limit: int) -> Hits:
    """Exact and lexical candidates of one query."""
    folded = {t: t.casefold() for t in terms}
    values = parameters(db, view) | {
        "terms": json.dumps(sorted({*terms, *folded.values()})),
        "match": _match(words, " OR "),
        "limit": limit,
    }
    named: dict[str, set[str]] = {}
    if terms:
        for statement in (EXACT_RECORDS, EXACT_ENTITIES):
            for term, node in db.execute(statement, values):
                named.setdefault(term, set()).add(node)
    lexical = db.execute(LEXICAL, values).fetchall() if words else ()
    exact = {t: tuple(sorted(named.get(t, set()) | named.get(f, set()))) for t, f in folded.items()}
    return Hits(
        commit=values["k"],
        exact={t: nodes for t, nodes in exact.items() if nodes},
        lexical=tuple(lexical),
        absent=tuple(t for t, nodes in exact.items() if not nodes and not _occurs(db, values, t)),
    )


def _match(terms: Sequence[str], joint: str) -> str:
    """A full-text expression over analysed terms, each quoted so that none is an operator."""
    return joint.join('"' + term.replace('"', '""') + '"' for term in terms)


def _occurs(db: Db, values: dict[str, Any], term: str) -> bool:
    """Whether a visible record may say the term; a term without words is taken to occur."""
    ways = [_match(terms, " AND ") for terms in occurrence(term) if terms]
    either = " OR ".join(f"({way})" for way in ways)
    return not ways or bool(db.execute(OCCURS, values | {"match": either}).fetchone())


ROOTS = f"SELECT r.pk FROM json_each(:asked) f CROSS JOIN record r ON r.id = f.value WHERE {ALLOWED}"
ABOVE = f"""
SELECT DISTINCT a.record FROM json_each(:asked) f
CROSS JOIN justification j ON j.consequent = f.value AND +j.k_from <= :k AND :k < +j.k_to
CROSS JOIN antecedent a ON a.just = j.pk CROSS JOIN record r ON r.pk = a.record WHERE {ALLOWED}
"""


def _above(db: Db, values: dict[str, Any], limit: int) -> list[int]:
    """The roots and what is above them, level by level, until there are more than the limit."""
    level = [pk for (pk,) in db.execute(ROOTS, values)]
    found = dict.fromkeys(level)
    while level and len(found) <= limit:
        level = [pk for (pk,) in db.execute(ABOVE, values | {"asked": as_json(level)}) if pk not in found]
        found.update(dict.fromkeys(level))
    return list(found)


def proof(db: Db, view: View, roots: Collection[str], limit: int) -> Proof:
    """The network above the roots at the view's known time."""
    values = parameters(db, view) | {"asked": json.dumps(sorted(roots))}
    keys = _above(db, values, limit)
    records = {h.record.id: h for h in held(db, keys[:limit], values["k"])}
    links = links_of(db, "j.consequent = f.value", keys[:limit], values["k"], view.tenant)
    return Proof(records, {j.id: j for j, live in links if live}, len(keys) > limit)


KEYED = f"""
SELECT r.id FROM record r INDEXED BY record_key WHERE r.tenant = :tenant AND r.entity = :entity
  AND r.attribute = :attribute AND r.scope = :scope AND {ALLOWED} ORDER BY r.id
"""


def keyed(db: Db, view: View, key: Key) -> tuple[str, ...]:
    """Every record of a key, whatever its label."""
    values = parameters(db, view) | {"entity": key.entity, "attribute": key.attribute, "scope": key.scope}
    return tuple(name for (name,) in db.execute(KEYED, values))


def match(db: Db, tenant: str, prefix: str, limit: int) -> tuple[str, ...]:
    """Ids of records and justifications that start with a prefix."""
    top = prefix + "\uffff"
    found: set[str] = set()
    for table in ("record", "justification"):
        found.update(
            name
            for (name,) in db.execute(
                f"SELECT id FROM {table} WHERE id >= ? AND id < ? AND tenant = ? ORDER BY id LIMIT ?",
                (prefix, top, tenant, limit),
            )
        )
    return tuple(sorted(found)[:limit])


def generations(db: Db, tenant: str, repository: str | None = None) -> tuple[Generation, ...]:
    """The generations of one repository of a tenant, or of all, in order."""
    return tuple(
        Generation(*row)
        for row in db.execute(
            "SELECT p.name, g.ordinal, g.revision, g.begins FROM repository p JOIN generation g ON g.repo = p.pk "
            "WHERE p.tenant = ? AND p.name = coalesce(?, p.name) ORDER BY p.name, g.ordinal",
            (tenant, repository),
        )
    )


def entries(db: Db, tenant: str, repository: str) -> Entries:
    """What lives at the head of a repository, by identity."""
    living = {
        table: dict(
            db.execute(
                f"SELECT t.identity, t.id FROM repository p JOIN {table} t ON t.repo = p.pk "
                "AND t.identity IS NOT NULL WHERE p.tenant = ? AND p.name = ? AND t.death = ?",
                (tenant, repository, GENERATION_OPEN),
            ).fetchall()
        )
        for table in ("record", "edge", "site")
    }
    return Entries(generations(db, tenant, repository), living["record"], living["edge"], living["site"])
