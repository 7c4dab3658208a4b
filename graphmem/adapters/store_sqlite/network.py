"""The justification network in SQLite, as the labelling algorithm reads it and as its outcome is written. Lives here:
batched look-ups, each by one statement whose plan starts from the asked nodes, and the rows of labels. Lives elsewhere:
the algorithm (core.labelling) and the transaction (write).

CROSS JOIN fixes the order of the loops, and the plus signs hide conditions that select nothing by themselves: without
them the planner may scan a whole table into a Bloom filter, which costs a thousand times the look-up (a test reads the
query plans).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Hashable, Iterable, Iterator
from functools import lru_cache

from graphmem.adapters.store_sqlite.rows import own_of, write_rows
from graphmem.adapters.store_sqlite.schema import OPEN
from graphmem.core.labelling import Link, Outcome, Standing
from graphmem.core.labels import Label, Segment

STANDINGS = """
SELECT r.pk, r.own, r.premise, r.blocked, r.id
FROM json_each(?) f CROSS JOIN record r ON r.pk = f.value
"""
LABELS = f"""
SELECT s.record, s.t_from, s.t_to, s.level, s.rank, s.support
FROM json_each(?) f CROSS JOIN span s ON s.record = f.value AND +s.k_to = {OPEN}
"""
INCOMING = f"""
SELECT 0, j.pk, j.consequent, j.timeless, a.record
FROM json_each(?) f CROSS JOIN justification j ON j.consequent = f.value AND +j.k_to = {OPEN}
CROSS JOIN antecedent a ON a.just = j.pk
"""
OUTGOING = f"""
SELECT a.record, a.just, a.consequent, a.timeless, b.record
FROM json_each(?) f CROSS JOIN antecedent a ON a.record = f.value
CROSS JOIN justification j ON j.pk = a.just AND +j.k_to = {OPEN}
CROSS JOIN antecedent b ON b.just = a.just
"""
# All that the next level of a fall needs, in few columns: what may rest on the nodes, with its whole label and
# standing. The flags say whether the justification is timeless (1), whether the record ever had another one (2),
# whether it is blocked (4), and its level as a premise (from 8).
RESTING = f"""
SELECT iif(s.support = a.just, a.record, NULL), a.consequent, s.t_from, s.t_to, s.level, s.rank, s.support, r.own, r.id,
  a.timeless + 2 * (r.reasons > 1) + 4 * r.blocked + 8 * r.premise
FROM json_each(?) f CROSS JOIN antecedent a ON a.record = f.value
CROSS JOIN span s ON s.record = a.consequent AND +s.k_to = {OPEN}
CROSS JOIN record r ON r.pk = a.consequent
"""
TIMELESS, OTHERS, BLOCKED, PREMISE = 1, 2, 4, 8
CLOSE_ALL = f"UPDATE span SET k_to = ? WHERE record IN (SELECT value FROM json_each(?)) AND k_to = {OPEN}"
CLOSE_ONE = f"UPDATE span SET k_to = ? WHERE record = ? AND t_from = ? AND k_to = {OPEN}"
START = f"""
INSERT INTO span (record, t_from, t_to, level, rank, support, k_from, k_to, again) VALUES (?,?,?,?,?,?,?,{OPEN},?)
"""


class SqlNetwork:
    """The committed facts by integer keys; an answer comes from one statement, or from what an earlier one brought.

    `names` are the ids of the records that any answer has shown.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._run = connection.execute
        self._labels: dict[int, Label] = {}
        self._standings: dict[int, Standing] = {}
        self._sole: dict[int, int] = {}
        self.names: dict[int, str] = {}

    def standings(self, nodes: Collection[int]) -> dict[int, Standing]:
        missing = [n for n in nodes if n not in self._standings]
        if missing:
            for pk, own, premise, blocked, name in self._run(STANDINGS, (as_json(missing),)):
                self._standings[pk] = _standing(own, premise, blocked)
                self.names[pk] = name
        return {n: found for n in nodes if (found := self._standings.get(n))}

    def labels(self, nodes: Collection[int]) -> dict[int, Label]:
        missing = [n for n in nodes if n not in self._labels]
        if missing:
            for record, *segment in self._run(LABELS, (as_json(missing),)):
                self._labels[record] = (*self._labels.get(record, ()), Segment(*segment))
        return {n: found for n in nodes if (found := self._labels.get(n))}

    def incoming(self, nodes: Collection[int], dead: Collection[Hashable]) -> Iterable[Link[int]]:
        asked = [n for n in nodes if self._sole.get(n) not in dead]
        return _links(self._run(INCOMING, (as_json(asked),))) if asked else ()

    def outgoing(self, nodes: Collection[int]) -> Iterable[Link[int]]:
        return _links(self._run(OUTGOING, (as_json(nodes),)))

    def resting(self, nodes: Collection[int]) -> list[tuple[int, int, bool, int]]:
        found = []
        labels, standings, names, sole = self._labels, self._standings, self.names, self._sole
        make = tuple.__new__  # half the time of calling Segment, on the hottest line of a cascade
        for via, node, start, end, level, rank, support, own, name, flags in self._run(RESTING, (as_json(nodes),)):
            segment = make(Segment, (start, end, level, rank, support))
            label = labels.get(node)
            if label is None:
                labels[node] = (segment,)
                standings[node] = _standing(own, flags // PREMISE, flags & BLOCKED)
                names[node] = name
                if not flags & OTHERS:
                    sole[node] = support
            elif segment not in label:
                labels[node] = (*label, segment)
            if via is not None:
                found.append((via, support, flags & TIMELESS, node))
        return found


def write_labels(connection: sqlite3.Connection, outcome: Outcome[int], k: int, last: int) -> None:
    """Close the stretches that ended with commit k and start those that began with it; `last` is the key of the last
    record that was there before."""
    gone = [record for record, (before, after) in outcome.items() if before and not after]
    if gone:
        connection.execute(CLOSE_ALL, (k, as_json(gone)))
    write_rows(connection, CLOSE_ONE, _ended(outcome, k))
    write_rows(connection, START, _begun(outcome, k, last))


def _ended(outcome: Outcome[int], k: int) -> Iterator[tuple[int, int, int]]:
    for record, (before, after) in outcome.items():
        for s in before if after else ():
            if s not in after:
                yield k, record, s.start


def _begun(outcome: Outcome[int], k: int, last: int) -> Iterator[tuple[object, ...]]:
    for record, (before, after) in outcome.items():
        for s in after:
            if s not in before:
                yield (record, *s, k, record <= last)


def as_json(keys: Iterable[int]) -> str:
    """Integer keys as the JSON array that json_each takes."""
    return f"[{','.join(map(str, keys))}]"


@lru_cache(maxsize=4_096)
def _standing(own: str | None, premise: int, blocked: int) -> Standing:
    return Standing(own_of(own), premise, bool(blocked))


def _links(rows: Iterable[tuple[int, int, int, int, int]]) -> list[Link[int]]:
    """Justifications from rows of one antecedent each; a justification reached by several ways is taken once."""
    found: dict[int, tuple[int, int, int, list[int]]] = {}
    for via, just, consequent, timeless, antecedent in rows:
        entry = found.setdefault(just, (via, consequent, timeless, []))
        if entry[0] == via:
            entry[3].append(antecedent)
    return [
        Link(just, consequent, tuple(antecedents), bool(timeless))
        for just, (_, consequent, timeless, antecedents) in found.items()
    ]
