"""What the in-memory store tells of its past: lives, what moved between two commits, and audits. Lives elsewhere: the
facts (facts), the reads of one known time (the package itself)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import islice

from graphmem.adapters.store_memory.facts import OPEN, Facts, Known, Row, T
from graphmem.core.auditing import REACH, Audited, Entry, Moved, Place, Sought
from graphmem.core.labels import segment_at
from graphmem.core.lifetimes import ONGOING, Commit, History, Kept, Life
from graphmem.core.provenance import Provenance
from graphmem.core.records import BlockKind, Edge, Justification, Key
from graphmem.core.views import Quarantine, View, Waiting


class Past(Facts):
    """The reads over known time."""

    def _allowed(self, view: View, row: Row) -> bool:
        record = row.record
        return (
            record.tenant == view.tenant
            and row.born <= self._known(view)
            and (view.policies is None or record.policy in view.policies)
        )

    def history(self, view: View, ids: Collection[str], keys: Collection[Key] = ()) -> History:
        known = self._known(view)
        lives = {
            name: self._life(row, known)
            for name, row in sorted(self._rows.items())
            if (name in set(ids) or row.record.key in set(keys)) and self._allowed(view, row)
        }
        named = {k for life in lives.values() for k in life.commits()}
        return History(lives, {k: self._commit(k) for k in sorted(named)}, known)

    def _commit(self, k: int) -> Commit:
        changes = self._commits[k - 1]
        return Commit(k, changes.at, changes.writer, changes.verb)

    def _life(self, row: Row, known: int) -> Life:
        links = [x for states in self._links.values() for x in states if x.value.consequent == row.record.id]
        spans = [Known(s, x.start, x.end) for x in row.labels for s in x.value]
        return Life(
            record=row.as_of(known),
            born=row.born,
            assertions=_kept(row.assertions, known),
            blocks=_kept(row.blocks, known),
            stretches=_kept(spans, known),
            links=_kept(sorted(links, key=lambda x: (x.start, x.value.id)), known),
        )

    def moved(self, view: View, since: int, limit: int) -> tuple[Moved, ...]:
        known = self._known(view)
        found = (
            Moved(name, row.record.key, row.label(since), row.label(known))
            for name, row in sorted(self._rows.items())
            if self._allowed(view, row) and any(since < k <= known for k in _commits(row))
        )
        return tuple(islice(found, limit))

    def quarantined(self, view: View, after: Place, limit: int) -> Quarantine:
        known = self._known(view)
        found = sorted(
            place
            for name, row in self._rows.items()
            for x in row.blocks
            if x.value.kind is BlockKind.QUARANTINED and x.at(known) and self._allowed(view, row)
            if (place := Place(x.start, name)) > after
        )
        page = tuple(Waiting(self._rows[p.id].held(known), p.commit) for p in found[:limit])
        return Quarantine(page, len(found))

    def audit(self, view: View, sought: Sought, after: Place, limit: int, reach: int = REACH) -> Audited:
        known = self._known(view)
        found = [e for e in self._brought(view) if sought.since < e.commit <= known and sought.admits(e.provenance)]
        records = {e.names[0] for e in found if e.kind != "edge"}
        resting = self._resting(view, records, reach)
        page = [e for e in sorted(found, key=lambda e: e.place) if e.place > after]
        kinds = ("assertion", "justification", "edge")
        counts = {"record": len(records)} | {kind: sum(e.kind == kind for e in found) for kind in kinds}
        counts["resting"] = min(len(resting), reach)
        return Audited(counts, tuple(page[:limit]), len(page) > limit, len(resting) > reach)

    def _brought(self, view: View) -> Iterator[Entry]:
        allowed = {n for n, row in self._rows.items() if self._allowed(view, row)}
        for name in allowed:
            for a in self._rows[name].assertions:
                yield self._entry(view, "assertion", a, (name,), a.value.provenance, a.value.id)
        for x in (x for states in self._links.values() for x in states if x.value.consequent in allowed):
            j: Justification = x.value
            names = (j.consequent, *sorted(j.antecedents))
            yield self._entry(view, "justification", x, names, j.provenance, j.id, j.informant)
        for known in self._edges.values():
            edge: Edge = known.value
            if edge.tenant == view.tenant and any(allowed.issuperset(place) for place in edge.evidence):
                ends = (edge.source, edge.target)
                yield self._entry(view, "edge", known, ends, edge.provenance, edge.id, edge.type)

    def _entry(
        self,
        view: View,
        kind: str,
        known: Known[T],
        names: tuple[str, ...],
        provenance: Provenance,
        name: str,
        detail: str = "",
    ) -> Entry:
        ended = known.end if known.end <= self._known(view) else 0
        at = self._commits[known.start - 1].at
        return Entry(kind, name, known.start, at, ended, names, provenance, detail)

    def _resting(self, view: View, records: Collection[str], reach: int) -> set[str]:
        """The records, without those given, whose present support rests on one of them."""
        known = self._known(view)
        supports = {
            name: segment.support
            for name, row in self._rows.items()
            if self._allowed(view, row) and (segment := segment_at(row.label(known), view.at))
        }
        links = {x.value.id: x.value.antecedents for states in self._links.values() for x in states if x.at(known)}
        found: set[str] = set()
        level = set(records)
        while level and len(found) <= reach:
            level = {
                name
                for name, support in supports.items()
                if name not in records and name not in found and not level.isdisjoint(links.get(str(support), ()))
            }
            found |= level
        return found


def _commits(row: Row) -> Iterator[int]:
    """When a record's label or assertions changed."""
    yield from (k for label in row.labels for k in (label.start, label.end))
    yield from (k for assertion in row.assertions for k in (assertion.start, assertion.end))


def _kept(facts: Iterable[Known[T]], known: int) -> tuple[Kept[T], ...]:
    """Facts as a commit knew them."""
    return tuple(
        Kept(x.value, x.start, x.end if x.end <= known and x.end != OPEN else ONGOING)
        for x in facts
        if x.start <= known
    )
