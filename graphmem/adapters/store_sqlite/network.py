"""The justification network in SQLite, as the labelling algorithm reads it. Lives here: four batched look-ups, each
by one statement whose plan starts from the asked nodes. Lives elsewhere: the algorithm (core.labelling) and writing
its outcome.

CROSS JOIN fixes the order of the loops: without it the planner may scan a whole table into a Bloom filter, which
costs a thousand times the look-up (a test reads the query plans).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable

from graphmem.adapters.store_sqlite.rows import own_of
from graphmem.core.labelling import Link, Standing
from graphmem.core.labels import Label, Segment

OPEN_AT = "k_to = 9223372036854775807"

STANDINGS = """
SELECT r.pk, r.own, r.premise, r.blocked
FROM json_each(?) f CROSS JOIN record r ON r.pk = f.value
"""
LABELS = f"""
SELECT s.record, s.t_from, s.t_to, s.level, s.rank, s.support
FROM json_each(?) f CROSS JOIN span s ON s.record = f.value AND s.{OPEN_AT}
"""
INCOMING = f"""
SELECT j.pk, j.consequent, j.timeless, a.record
FROM json_each(?) f CROSS JOIN justification j ON j.consequent = f.value AND j.{OPEN_AT}
CROSS JOIN antecedent a ON a.just = j.pk
ORDER BY j.pk, a.record
"""
OUTGOING = f"""
SELECT j.pk, j.consequent, j.timeless, b.record
FROM (SELECT DISTINCT a.just FROM json_each(?) f CROSS JOIN antecedent a ON a.record = f.value) d
CROSS JOIN justification j ON j.pk = d.just AND j.{OPEN_AT}
CROSS JOIN antecedent b ON b.just = j.pk
ORDER BY j.pk, b.record
"""
RESTING = f"""
SELECT DISTINCT a.record, a.just, a.timeless, s.record
FROM json_each(?) f CROSS JOIN antecedent a ON a.record = f.value
CROSS JOIN span s ON s.support = a.just AND s.{OPEN_AT} AND s.support > 0
"""


class SqlNetwork:
    """The committed facts by integer keys; every answer comes from one statement."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._run = connection.execute

    def standings(self, nodes: Collection[int]) -> dict[int, Standing]:
        return {
            pk: Standing(own_of(own), premise, bool(blocked))
            for pk, own, premise, blocked in self._run(STANDINGS, (as_json(nodes),))
        }

    def labels(self, nodes: Collection[int]) -> dict[int, Label]:
        found: dict[int, Label] = {}
        for record, *segment in self._run(LABELS, (as_json(nodes),)):
            found[record] = (*found.get(record, ()), Segment(*segment))
        return {record: label if len(label) == 1 else tuple(sorted(label)) for record, label in found.items()}

    def incoming(self, nodes: Collection[int]) -> Iterable[Link[int]]:
        return _links(self._run(INCOMING, (as_json(nodes),)))

    def outgoing(self, nodes: Collection[int]) -> Iterable[Link[int]]:
        return _links(self._run(OUTGOING, (as_json(nodes),)))

    def resting(self, nodes: Collection[int]) -> list[tuple[int, int, bool, int]]:
        return self._run(RESTING, (as_json(nodes),)).fetchall()


def as_json(keys: Iterable[int]) -> str:
    """Integer keys as the JSON array that json_each takes."""
    return f"[{','.join(map(str, keys))}]"


def _links(rows: Iterable[tuple[int, int, int, int]]) -> list[Link[int]]:
    found: dict[int, tuple[int, int, list[int]]] = {}
    for just, consequent, timeless, antecedent in rows:
        found.setdefault(just, (consequent, timeless, []))[2].append(antecedent)
    return [
        Link(just, consequent, tuple(antecedents), bool(timeless))
        for just, (consequent, timeless, antecedents) in found.items()
    ]
