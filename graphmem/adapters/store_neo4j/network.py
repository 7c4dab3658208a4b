"""The justification network in Neo4j, as the labelling algorithm reads it: batched look-ups by id, one statement each,
or what an earlier answer brought. Lives elsewhere: the algorithm (core.labelling), the statements
(cypher/read/network_*).

A statement answers in one row that holds all of its finds as lists: a row for each costs three times as much.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable
from typing import Any

from graphmem.adapters.store_neo4j.rows import OPEN, paired, segment_of
from graphmem.adapters.store_neo4j.session import Transaction
from graphmem.core.labelling import Link, Standing
from graphmem.core.labels import Label, Segment


class CypherNetwork:
    """The committed facts by record id, within one transaction."""

    def __init__(self, tx: Transaction, tenant: str) -> None:
        self._tx = tx
        self._tenant = tenant
        self._labels: dict[str, Label] = {}
        self._standings: dict[str, Standing] = {}
        self._sole: dict[str, str] = {}
        self._idle: set[str] = set()  # records that no justification names as an antecedent

    def standings(self, nodes: Collection[str]) -> dict[str, Standing]:
        missing = [n for n in nodes if n not in self._standings]
        for name, *standing in self._ask("standings", missing):
            self._standings[name] = _standing(*standing)
        return {n: found for n in nodes if (found := self._standings.get(n))}

    def labels(self, nodes: Collection[str]) -> dict[str, Label]:
        missing = [n for n in nodes if n not in self._labels]
        for name, *stretch in self._ask("labels", missing, open=OPEN):
            self._learn(name, segment_of(stretch))
        return {n: label for n in nodes if (label := self._labels.get(n))}

    def incoming(self, nodes: Collection[str], dead: Collection[Hashable]) -> Iterable[Link[str]]:
        asked = [n for n in nodes if self._sole.get(n) not in dead]
        return _links(self._ask("incoming", asked, open=OPEN))

    def outgoing(self, nodes: Collection[str]) -> Iterable[Link[str]]:
        return _links(self._ask("outgoing", [n for n in nodes if n not in self._idle], open=OPEN))

    def resting(self, nodes: Collection[str]) -> list[tuple[str, Hashable, bool, str]]:
        found: list[tuple[str, Hashable, bool, str]] = []
        asked = [n for n in nodes if n not in self._idle]
        for via, link, timeless, node, *rest in self._ask("resting", asked, open=OPEN):
            stretch, (own, premise, blocked, reasons, uses) = rest[:5], rest[5:]
            segment = segment_of(stretch)
            if node not in self._standings:
                self._standings[node] = _standing(own, premise, blocked)
            if reasons == 1:
                self._sole[node] = link
            if not uses:
                self._idle.add(node)
            self._learn(node, segment)
            if segment.support == link:
                found.append((via, link, timeless, node))
        return found

    def _learn(self, node: str, segment: Segment) -> None:
        label = self._labels.get(node, ())
        if segment not in label:
            self._labels[node] = tuple(sorted((*label, segment))) if label else (segment,)

    def _ask(self, name: str, ids: list[str], **more: Any) -> list[list[Any]]:
        if not ids:
            return []
        rows: list[list[Any]] = self._tx.rows(f"read/network_{name}", more, ids=ids, tenant=self._tenant)[0]["rows"]
        return rows


def _standing(own: list[int], premise: int, blocked: bool) -> Standing:
    return Standing(paired(own), premise, blocked)


def _links(rows: Iterable[list[Any]]) -> list[Link[str]]:
    return [Link(link, consequent, tuple(found), timeless) for link, consequent, found, timeless in rows]
