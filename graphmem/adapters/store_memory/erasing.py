"""Deletion in the in-memory store. Lives here: what surrounds records that are to be deleted, and erasing what they
say from every structure that holds it. Lives elsewhere: what is erased (core.forgetting)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace

from graphmem.adapters.store_memory.facts import OPEN, Row
from graphmem.adapters.store_memory.questions import Past
from graphmem.core.analyzer import drop_terms
from graphmem.core.changes import ChangeSet
from graphmem.core.erasure import Closure, Erasure, blank, emptied, expect_unforgotten, is_tombstone, unhashed
from graphmem.core.errors import Conflict, NotPermitted
from graphmem.core.labelling import Outcome
from graphmem.core.provenance import Provenance
from graphmem.core.records import Justification, Key, Record
from graphmem.core.views import LATEST, Head, Snapshot


class Erasing(Past):
    """Reading what a deletion touches, and deleting."""

    def closure(self, tenant: str, roots: Collection[str]) -> Closure:
        names = self._made_of(r for r in roots if r in self._rows and self._rows[r].record.tenant == tenant)
        links = {j.id: j for j in self._ever() if not names.isdisjoint((j.consequent, *j.antecedents))}
        held = {name: self._rows[name].held(LATEST) for name in sorted(names)}
        keys = {h.record.key for h in held.values() if h.record.key}
        edges = {
            k.value.id: k.value
            for k in self._edges.values()
            if not names.isdisjoint((k.value.source, k.value.target, *sum(k.value.evidence, ())))
        }
        joined = {n for e in edges.values() for n in (e.source, e.target) if n in self._entities}
        files = {
            (h.record.repository, a.provenance.locator) for h in held.values() for a in h.live if h.record.repository
        }
        return Closure(
            snapshot=Snapshot(
                tenant=tenant,
                commit=len(self._commits),
                identity_key=self._identity_key,
                records=held,
                justifications=links,
                live=frozenset(j for j in links if self._links[j][-1].end == OPEN),
                heads={k: self._heads[tenant, k] for k in keys if (tenant, k) in self._heads},
            ),
            edges=edges,
            entities={n: self._entities[n].value for n in sorted(joined)},
            ties={n: sum(n in (k.value.source, k.value.target) for k in self._edges.values()) for n in joined},
            versions={key: tuple(self._versions(tenant, key)) for key in keys},
            sites=tuple(s for s in self._sites.values() if s.tenant == tenant and (s.repository, s.locator) in files),
            tombstones={r: self._tombstones[r] for r in roots if r in self._tombstones},
        )

    def _ever(self) -> Iterator[Justification]:
        return (states[-1].value for states in self._links.values())

    def _made_of(self, roots: Iterable[str]) -> set[str]:
        """The roots, and every record whose producers reach one."""
        found = set(roots)
        level = found
        while level:
            level = {
                j.consequent
                for j in self._ever()
                if not level.isdisjoint(j.antecedents) and self._rows[j.consequent].record.producer == j.id
            } - found
            found = found | level
        return found

    def _versions(self, tenant: str, key: Key) -> Iterator[Head]:
        for name, row in sorted(self._rows.items()):
            if row.record.tenant == tenant and row.record.key == key and row.record.version:
                yield Head(name, row.record.version)

    def keyed_by(self, tenant: str, entity: str) -> tuple[str, ...]:
        rows = (row.record for row in self._rows.values() if row.record.tenant == tenant)
        return tuple(sorted(r.id for r in rows if r.key and r.key.entity == entity))

    def scour(self) -> tuple[str, ...]:
        drop_terms()
        return ()

    def _check(self, changes: ChangeSet) -> None:
        super()._check(changes)
        expect_unforgotten(self._forgotten(changes.tenant, changes.unforgotten))
        erasure = changes.erasure
        if erasure and erasure.seen is not None and self.closure(changes.tenant, erasure.roots).seen != erasure.seen:
            raise Conflict("what surrounds the records was changed by another writer", hint="load it again and retry")
        for name in (n for e in changes.edges for n in (e.source, e.target, *sum(e.evidence, ()))):
            if name in self._rows and is_tombstone(self._rows[name].held(LATEST)):
                raise NotPermitted(f"{name} is deleted", hint="a tombstone can't be part of an edge")

    def _write(self, changes: ChangeSet, outcome: Outcome[str], commit: int) -> None:
        super()._write(changes, outcome, commit)
        if changes.erasure is not None:
            self._erase(changes.tenant, changes.erasure)

    def _erase(self, tenant: str, erasure: Erasure) -> None:
        for tombstone in erasure.tombstones:
            self._tombstones.setdefault(tombstone.id, tombstone)
        for name in erasure.erased:
            self._empty(self._rows[name], emptied, blank)
        for name in erasure.scrubbed:
            self._empty(self._rows[name], lambda record: emptied(record, scrubbed=True), unhashed)
        gone = set(erasure.assertions)
        for known in (a for row in self._rows.values() for a in row.assertions if a.value.id in gone):
            known.value = replace(known.value, provenance=blank(known.value.provenance))
        for name in erasure.edges:
            del self._edges[name]
        for name, left in erasure.pruned.items():
            edge = self._edges[name].value
            self._edges[name].value = replace(edge, evidence=left, provenance=blank(edge.provenance))
        for name in erasure.entities:
            del self._entities[name]
        for name in erasure.sites:
            del self._sites[name]
        for key in erasure.headless:
            self._heads.pop((tenant, key), None)

    def _empty(self, row: Row, without: Callable[[Record], Record], clear: Callable[[Provenance], Provenance]) -> None:
        """Take what a record says out of its row, its past and the origins of what asserts and concludes it."""
        row.record = without(row.record)
        for was in row.earlier:
            was.value = without(was.value)
        for known in row.assertions:
            known.value = replace(known.value, provenance=clear(known.value.provenance))
        for link in (k for states in self._links.values() for k in states if k.value.consequent == row.record.id):
            informant = link.value.informant if clear is unhashed else ""
            link.value = replace(link.value, informant=informant, provenance=clear(link.value.provenance))
