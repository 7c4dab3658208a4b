"""The facts of the in-memory store: rows with their known-time intervals, planning and committing. Lives elsewhere: the
reads (reads), the labels (core.labelling)."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable
from dataclasses import dataclass, field, replace
from secrets import token_bytes
from typing import Generic, TypeVar

from graphmem.adapters.store_memory.queue import Queue
from graphmem.core.changes import Applied, ChangeSet, LabelChange
from graphmem.core.errors import Conflict, NotFound
from graphmem.core.labelling import Edit, Link, Outcome, Standing, relabel
from graphmem.core.labels import Label, Level
from graphmem.core.records import (
    PREMISE_LEVEL,
    Assertion,
    Block,
    BlockKind,
    Edge,
    Entity,
    Justification,
    Key,
    Mode,
    Record,
    Site,
    Tombstone,
)
from graphmem.core.views import (
    LATEST,
    Generation,
    Head,
    Held,
    Snapshot,
    View,
    Wanted,
)

T = TypeVar("T")
OPEN = 2**63 - 1


@dataclass(slots=True)
class Known(Generic[T]):
    """A fact with its known-time interval [start, end)."""

    value: T
    start: int
    end: int = OPEN

    def at(self, commit: int) -> bool:
        return self.start <= commit < self.end


@dataclass(slots=True)
class Row:
    """Everything about one record, through known time; `record` is as it is now."""

    record: Record
    standing: Standing
    touched: int
    born: int
    assertions: list[Known[Assertion]] = field(default_factory=list)
    blocks: list[Known[Block]] = field(default_factory=list)
    labels: list[Known[Label]] = field(default_factory=list)
    earlier: list[Known[Record]] = field(default_factory=list)

    def restand(self, standing: Standing, commit: int) -> None:
        self.standing, self.touched = standing, commit
        if standing.own != self.record.own:
            begun = self.earlier[-1].end if self.earlier else self.born
            self.earlier.append(Known(self.record, begun, commit))
            claimed = self.record.claimed or self.record.own
            self.record = replace(self.record, own=standing.own, claimed=claimed)

    def as_of(self, commit: int) -> Record:
        return next((x.value for x in self.earlier if commit < x.end), self.record)

    def label(self, commit: int) -> Label:
        return next((x.value for x in self.labels if x.at(commit)), ())

    def held(self, commit: int) -> Held:
        live = tuple(a.value for a in self.assertions if a.at(commit))
        names = {a.id for a in live}
        gone = {a.value.id: (a.value, a.end) for a in self.assertions if a.end <= commit}
        premise = PREMISE_LEVEL[self.record.role] if live else Level.OUT
        block = next((b.value for b in self.blocks if b.at(commit)), None)
        record = self.as_of(commit)
        return Held(
            record=record,
            standing=Standing(record.own, premise, block is not None),
            touched=self.touched,
            live=live,
            withdrawn=tuple(w for name, w in gone.items() if name not in names),
            block=block,
            label=self.label(commit),
        )


class Facts:
    """Everything that was committed; it also is the network that labelling reads."""

    def __init__(self, identity_key: bytes | None = None) -> None:
        self._identity_key = identity_key or token_bytes(16)
        self._commits: list[ChangeSet] = []
        self._rows: dict[str, Row] = {}
        self._links: dict[str, list[Known[Justification]]] = {}
        self._heads: dict[tuple[str, Key], Head] = {}
        self._entities: dict[str, Known[Entity]] = {}
        self._edges: dict[str, Known[Edge]] = {}
        self._sites: dict[str, Site] = {}
        self._generations: list[Known[tuple[str, Generation]]] = []
        self._queue = Queue()
        self._tombstones: dict[str, Tombstone] = {}

    @property
    def identity_key(self) -> bytes:
        return self._identity_key

    # Planning and committing.

    def load(self, tenant: str, wanted: Wanted) -> Snapshot:
        commit = len(self._commits)
        links = [self._links[j][-1] for j in wanted.justifications if j in self._links]
        rows = [self._rows[r] for r in dict.fromkeys(wanted.records) if r in self._rows]
        heads = {k: self._heads[tenant, k] for k in wanted.keys if (tenant, k) in self._heads}
        named = {n: self._named(tenant, n) for n in wanted.names}
        return Snapshot(
            tenant=tenant,
            commit=commit,
            identity_key=self._identity_key,
            records={r.record.id: r.held(LATEST) for r in rows if r.record.tenant == tenant},
            justifications={k.value.id: k.value for k in links if k.value.tenant == tenant},
            live=frozenset(k.value.id for k in links if k.end == OPEN),
            heads=heads,
            graph=frozenset(
                name
                for entries in (self._entities, self._edges, self._sites)
                for name in (*wanted.graph, *(edge.id for edge in wanted.edges))
                if name in entries
            ),
            names={n: found for n, found in named.items() if found},
            backlog=self._queue.open(tenant) if wanted.backlog else 0,
            forgotten=self._forgotten(tenant, wanted.marks),
        )

    def _forgotten(self, tenant: str, marks: Collection[str]) -> dict[str, str]:
        owned = [t for t in self._tombstones.values() if t.tenant == tenant] if marks else []
        return {mark: t.id for t in owned for mark in (t.content, t.id) if mark in marks}

    def apply(self, changes: ChangeSet) -> Applied:
        if changes.is_empty:
            return Applied(0)
        self._check(changes)
        outcome = self._outcome(changes)
        self._commits.append(ChangeSet(changes.tenant, changes.at, changes.writer, changes.verb))
        commit = len(self._commits)
        self._write(changes, outcome, commit)
        return _applied(outcome, commit)

    def preview(self, changes: ChangeSet) -> Applied:
        self._check(changes)
        return _applied(self._outcome(changes), 0)

    def _check(self, changes: ChangeSet) -> None:
        self._queue.check(changes, {s.job.record for s in changes.settled if self._is_deleted(s.job.record)})
        for record, seen in changes.expects.items():
            if (self._rows[record].touched if record in self._rows else 0) != seen:
                raise Conflict(f"{record} was changed by another writer", hint="load it again and retry")
        for key, seen_head in changes.expects_heads.items():
            head = self._heads.get((changes.tenant, key))
            if head != seen_head:
                raise Conflict(
                    f"the head of {key} was changed by another writer",
                    hint="load it again and retry",
                    head=head.record if head else "",
                    version=head.version if head else 0,
                )

        if changes.generation is not None:
            repository = changes.generation.repository
            newest = self._generation(View(changes.tenant, 0), repository)
            if max(newest, 0) + 1 != changes.generation.ordinal:
                raise Conflict(f"{repository} was ingested by another writer", hint="ingest it again")

    def _is_deleted(self, name: str) -> bool:
        blocks = self._rows[name].blocks if name in self._rows else ()
        return any(b.value.kind is BlockKind.DELETED and b.end == OPEN for b in blocks)

    def _outcome(self, changes: ChangeSet) -> Outcome[str]:
        known = self._rows.keys() | {r.id for r in changes.records}
        known |= self._entities.keys() | {e.id for e in changes.entities}
        named = {*changes.standings, *changes.unblocks, *(b.record for b in changes.blocks)}
        named |= {*(a.record for a in changes.assertions), *(h.record for h in changes.heads.values())}
        named |= {n for j in changes.justifications for n in (j.consequent, *j.antecedents)}
        named |= {n for e in changes.edges for n in (e.source, e.target, *sum(e.evidence, ()))}
        if named - known:
            raise NotFound(f"no record or entity {min(named - known)}", hint="ids come from recall and export")
        ended = set(changes.withdrawn_justifications)
        return relabel(
            self,
            Edit(
                standings=dict(changes.standings),
                created={r.id for r in changes.records},
                added=[_link(j) for j in changes.justifications if j.id not in ended],
                withdrawn=[_link(self._links[j][-1].value) for j in ended & self._links.keys()],
            ),
        )

    def _write(self, changes: ChangeSet, outcome: Outcome[str], commit: int) -> None:
        for record in changes.records:
            self._rows[record.id] = Row(record, changes.standings[record.id], commit, commit)
        for name, standing in changes.standings.items():
            self._rows[name].restand(standing, commit)
        for assertion in changes.assertions:
            self._rows[assertion.record].assertions.append(Known(assertion, commit))
        going = set(changes.withdrawn_assertions)
        for name in changes.standings if going else ():
            _end([a for a in self._rows[name].assertions if a.value.id in going], commit)
        for link in changes.justifications:
            self._links.setdefault(link.id, []).append(Known(link, commit))
        for name in changes.withdrawn_justifications:
            _end(self._links[name], commit)
        for name in changes.unblocks:
            _end(self._rows[name].blocks, commit)
        for block in changes.blocks:
            self._rows[block.record].blocks.append(Known(block, commit))
        self._queue.write(changes)
        self._heads.update({(changes.tenant, key): head for key, head in changes.heads.items()})
        self._write_graph(changes, commit)
        for name, (_, after) in outcome.items():
            _end(self._rows[name].labels, commit)
            self._rows[name].labels.append(Known(after, commit))

    def _write_graph(self, changes: ChangeSet, commit: int) -> None:
        for entity in changes.entities:
            self._entities.setdefault(entity.id, Known(entity, commit))
        for edge in changes.edges:
            self._edges.setdefault(edge.id, Known(edge, commit))
        self._sites.update({s.id: s for s in changes.sites})
        for name, death in changes.deaths.items():
            if name in self._rows:
                self._rows[name].record = replace(self._rows[name].record, death=death)
            elif name in self._edges:
                self._edges[name].value = replace(self._edges[name].value, death=death)
            elif name in self._sites:
                self._sites[name] = replace(self._sites[name], death=death)
        if changes.generation is not None:
            self._generations.append(Known((changes.tenant, changes.generation), commit))

    # The network, as labelling reads it.

    def standings(self, nodes: Collection[str]) -> dict[str, Standing]:
        return {n: self._rows[n].standing for n in nodes if n in self._rows}

    def labels(self, nodes: Collection[str]) -> dict[str, Label]:
        return {n: self._rows[n].label(LATEST) for n in nodes if n in self._rows}

    def incoming(self, nodes: Collection[str], dead: Collection[Hashable]) -> Iterable[Link[str]]:
        return [_link(j) for j in self._live(LATEST) if j.consequent in nodes]

    def outgoing(self, nodes: Collection[str]) -> Iterable[Link[str]]:
        return [_link(j) for j in self._live(LATEST) if not set(nodes).isdisjoint(j.antecedents)]

    def resting(self, nodes: Collection[str]) -> Iterable[tuple[str, str, bool, str]]:
        return [
            (antecedent, j.id, j.mode is Mode.TIMELESS, j.consequent)
            for j in self._live(LATEST)
            for antecedent in j.antecedents
            if antecedent in nodes and any(s.support == j.id for s in self._rows[j.consequent].label(LATEST))
        ]

    def _live(self, commit: int) -> list[Justification]:
        return [k.value for states in self._links.values() for k in states if k.at(commit)]

    def _known(self, view: View) -> int:
        return min(view.known_at, len(self._commits))

    def _generation(self, view: View, repository: str) -> int:
        if repository in view.generations:
            return view.generations[repository]
        known = self._known(view)
        return max(
            (
                x.value[1].ordinal
                for x in self._generations
                if x.value[0] == view.tenant and x.value[1].repository == repository and x.at(known)
            ),
            default=-1,
        )

    def _named(self, tenant: str, name: str) -> tuple[str, ...]:
        folded = name.casefold()
        return tuple(
            sorted(
                e.id
                for e in (k.value for k in self._entities.values())
                if e.tenant == tenant
                and folded in {n.casefold() for n in (e.name, e.symbol, e.qualified_name, *e.aliases)}
            )
        )


def _link(j: Justification) -> Link[str]:
    return Link(j.id, j.consequent, j.antecedents, j.mode is Mode.TIMELESS)


def _end(facts: Iterable[Known[T]], commit: int) -> None:
    for fact in facts:
        if fact.end == OPEN:
            fact.end = commit


def _applied(outcome: Outcome[str], commit: int) -> Applied:
    return Applied(commit, tuple(LabelChange(name, *outcome[name]) for name in sorted(outcome)))
