"""The justification network in Neo4j, as the labelling algorithm reads it: batched look-ups by id, one statement each.
Lives elsewhere: the algorithm (core.labelling), the statements (cypher/read/network_*)."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable

from graphmem.adapters.store_neo4j.rows import OPEN, label_of, paired
from graphmem.adapters.store_neo4j.session import Row, Transaction
from graphmem.core.labelling import Link, Standing
from graphmem.core.labels import Label


class CypherNetwork:
    """The committed facts by record id, within one transaction."""

    def __init__(self, tx: Transaction, tenant: str) -> None:
        self._tx = tx
        self._asker = {"tenant": tenant, "open": OPEN}
        self._labels: dict[str, Label] = {}
        self._standings: dict[str, Standing] = {}
        self._sole: dict[str, str] = {}

    def standings(self, nodes: Collection[str]) -> dict[str, Standing]:
        missing = [n for n in nodes if n not in self._standings]
        for row in (
            self._tx.rows("read/network_standings", ids=missing, tenant=self._asker["tenant"]) if missing else ()
        ):
            self._standings[row["id"]] = _standing(row)
        return {n: found for n in nodes if (found := self._standings.get(n))}

    def labels(self, nodes: Collection[str]) -> dict[str, Label]:
        missing = [n for n in nodes if n not in self._labels]
        found: dict[str, list[tuple[object, ...]]] = {}
        for row in self._tx.rows("read/network_labels", self._asker, ids=missing) if missing else ():
            name, *stretch = row.values()
            found.setdefault(name, []).append(tuple(stretch))
        self._labels.update({name: label_of(stretches) for name, stretches in found.items()})
        return {n: label for n in nodes if (label := self._labels.get(n))}

    def incoming(self, nodes: Collection[str], dead: Collection[Hashable] = ()) -> Iterable[Link[str]]:
        asked = [n for n in nodes if self._sole.get(n) not in dead]
        return self._links("read/network_incoming", asked)

    def outgoing(self, nodes: Collection[str]) -> Iterable[Link[str]]:
        return self._links("read/network_outgoing", list(nodes))

    def resting(self, nodes: Collection[str]) -> list[tuple[str, Hashable, bool, str]]:
        found: list[tuple[str, Hashable, bool, str]] = []
        for row in self._tx.rows("read/network_resting", self._asker, ids=list(nodes)):
            node, link = row["consequent"], row["justification"]
            if node not in self._labels:
                self._labels[node] = label_of(row["label"])
                self._standings[node] = _standing(row)
                if row["supports"] == 1:
                    self._sole[node] = link
            if any(s.support == link for s in self._labels[node]):
                found.append((row["antecedent"], link, row["timeless"], node))
        return found

    def _links(self, name: str, ids: list[str]) -> list[Link[str]]:
        rows = self._tx.rows(name, self._asker, ids=ids) if ids else ()
        return [Link(r["id"], r["consequent"], tuple(r["antecedents"]), r["timeless"]) for r in rows]


def _standing(row: Row) -> Standing:
    return Standing(paired(row["own"]), row["premise"], row["blocked"])
