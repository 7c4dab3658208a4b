"""What one commit changes. Lives here: ChangeSet, the draft that verbs write into, and the ids that content gives.
Lives elsewhere: the verbs (core.verbs), reading the snapshot and applying the result (services and stores), the
labels that follow (core.labelling)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from graphmem.core.erasure import Erasure
from graphmem.core.errors import NotFound
from graphmem.core.jobs import Job, Settled
from graphmem.core.labelling import Standing
from graphmem.core.labels import Label, Level
from graphmem.core.provenance import Provenance
from graphmem.core.records import (
    PREMISE_LEVEL,
    Assertion,
    Block,
    Edge,
    Entity,
    Justification,
    Key,
    Mode,
    Record,
    Site,
    digest,
    fingerprint,
)
from graphmem.core.views import Generation, Head, Held, Snapshot


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """The facts of one commit; a store applies all of it or nothing.

    `standings` gives every new or changed record its standing after the commit. `expects` maps a record to the commit
    that last touched it as the plan saw it (0: absent), `expects_heads` a key to its head then. `deaths` maps ids of
    records, edges and sites to the generation at which they end; a new generation is the next in its repository's
    order. `jobs` are left to be done later; `settled` says how the leases end or go on that the changes were made
    under: a store applies them only while each is held and its record isn't deleted. An `erasure` takes content away
    for good; none of the digests in `unforgotten` may be a tombstone's. `seen` is the last commit that the plan saw:
    while no other followed, what it read is as it was.
    """

    tenant: str
    at: int
    writer: str
    verb: str
    records: tuple[Record, ...] = ()
    assertions: tuple[Assertion, ...] = ()
    withdrawn_assertions: tuple[str, ...] = ()
    justifications: tuple[Justification, ...] = ()
    withdrawn_justifications: tuple[str, ...] = ()
    standings: Mapping[str, Standing] = field(default_factory=dict)
    blocks: tuple[Block, ...] = ()
    unblocks: tuple[str, ...] = ()
    heads: Mapping[Key, Head] = field(default_factory=dict)
    entities: tuple[Entity, ...] = ()
    edges: tuple[Edge, ...] = ()
    sites: tuple[Site, ...] = ()
    deaths: Mapping[str, int] = field(default_factory=dict)
    generation: Generation | None = None
    jobs: tuple[Job, ...] = ()
    settled: tuple[Settled, ...] = ()
    expects: Mapping[str, int] = field(default_factory=dict)
    expects_heads: Mapping[Key, Head | None] = field(default_factory=dict)
    erasure: Erasure | None = None
    unforgotten: tuple[str, ...] = ()
    seen: int = -1

    @property
    def is_empty(self) -> bool:
        return not any(
            (
                self.records,
                self.assertions,
                self.withdrawn_assertions,
                self.justifications,
                self.withdrawn_justifications,
                self.standings,
                self.blocks,
                self.unblocks,
                self.entities,
                self.edges,
                self.sites,
                self.deaths,
                self.generation,
                self.jobs,
                self.settled,
                self.erasure,
            )
        )


class LabelChange(NamedTuple):
    """A record whose label differs after a commit."""

    record: str
    before: Label
    after: Label


@dataclass(frozen=True, slots=True)
class Applied:
    """The commit that took the changes (0 for a dry run or an empty one), and the labels that moved, by record id."""

    commit: int
    moved: tuple[LabelChange, ...] = ()


class Draft:
    """A ChangeSet in the making, over a snapshot. Verbs of one draft see one another's facts. With an `override`, the
    reason for it, they let in again what was forgotten."""

    def __init__(self, snapshot: Snapshot, *, at: int, writer: str, verb: str) -> None:
        self.snapshot = snapshot
        self.at = at
        self.writer = writer
        self.verb = verb
        self.held: dict[str, Held] = dict(snapshot.records)
        self.heads: dict[Key, Head] = dict(snapshot.heads)
        self.links: dict[str, Justification] = dict(snapshot.justifications)
        self.live: set[str] = set(snapshot.live)
        self.records: dict[str, Record] = {}
        self.assertions: dict[str, Assertion] = {}
        self.withdrawn: dict[str, None] = {}
        self.justifications: dict[str, Justification] = {}
        self.withdrawn_links: dict[str, None] = {}
        self.standings: dict[str, Standing] = {}
        self.blocks: list[Block] = []
        self.unblocks: list[str] = []
        self.new_heads: dict[Key, Head] = {}
        self.entities: dict[str, Entity] = {}
        self.edges: dict[str, Edge] = {}
        self.sites: dict[str, Site] = {}
        self.jobs: dict[str, Job] = {}
        self.settled: list[Settled] = []
        self.read_keys: set[Key] = set()
        self.read: set[str] = set()
        self.erasure: Erasure | None = None
        self.unforgotten: set[str] = set()
        self.override = ""

    def get(self, record_id: str) -> Held:
        self.read.add(record_id)
        held = self.held.get(record_id)
        if held is None:
            raise NotFound(f"no record {record_id}", hint="list ids with: graphmem recall, or export")
        return held

    def take(self, more: Snapshot) -> None:
        """Add records and justifications that were loaded later."""
        old = self.snapshot
        self.snapshot = replace(
            old,
            records={**more.records, **old.records},
            justifications={**more.justifications, **old.justifications},
            live=old.live | more.live,
        )
        self.held = {**more.records, **self.held}
        self.links = {**more.justifications, **self.links}
        self.live |= more.live

    def head(self, key: Key) -> Head | None:
        self.read_keys.add(key)
        return self.heads.get(key)

    def restand(self, held: Held) -> None:
        """Take over a record's new facts and derive its standing from them."""
        premise = PREMISE_LEVEL[held.record.role] if held.live else Level.OUT
        standing = Standing(held.record.own, premise, held.block is not None)
        after = Held(held.record, standing, held.touched, held.live, held.withdrawn, held.block, held.label)
        if after != self.held.get(held.record.id):
            self.standings[held.record.id] = standing
            self.held[held.record.id] = after
            if held.record.id in self.records:
                self.records[held.record.id] = held.record

    def assert_(self, assertion: Assertion) -> None:
        """Make an assertion live; one that this draft withdrew simply stays."""
        if assertion.id in self.withdrawn:
            del self.withdrawn[assertion.id]
        else:
            self.assertions[assertion.id] = assertion

    def block(self, held: Held, block: Block | None) -> None:
        """Put a block (or none) in the place of the one that a record has."""
        name = held.record.id
        was_ours = any(b.record == name for b in self.blocks)
        self.blocks = [b for b in self.blocks if b.record != name]
        if held.block is not None and not was_ours:
            self.unblocks.append(name)
        if block is not None:
            self.blocks.append(block)
        self.restand(replace(held, block=block))

    def finish(self) -> ChangeSet:
        old = self.snapshot.records
        return ChangeSet(
            tenant=self.snapshot.tenant,
            at=self.at,
            writer=self.writer,
            verb=self.verb,
            records=tuple(self.records.values()),
            assertions=tuple(self.assertions.values()),
            withdrawn_assertions=tuple(self.withdrawn),
            justifications=tuple(self.justifications.values()),
            withdrawn_justifications=tuple(self.withdrawn_links),
            standings=self.standings,
            blocks=tuple(self.blocks),
            unblocks=tuple(self.unblocks),
            heads=self.new_heads,
            entities=tuple(self.entities.values()),
            edges=tuple(self.edges.values()),
            sites=tuple(self.sites.values()),
            jobs=tuple(self.jobs.values()),
            settled=tuple(self.settled),
            expects={r: old[r].touched if r in old else 0 for r in self.read},
            expects_heads={k: self.snapshot.heads.get(k) for k in self.read_keys},
            erasure=self.erasure,
            unforgotten=tuple(sorted(self.unforgotten)),
            seen=self.snapshot.commit,
        )


def empty_snapshot(tenant: str, identity_key: bytes) -> Snapshot:
    """A snapshot that holds nothing: enough to derive ids."""
    return Snapshot(tenant, 0, identity_key)


def record_id(snapshot: Snapshot, record: Record, provenance: Provenance) -> str:
    """The id that a record's content gives it in this memory: equal content, equal id. An entry of a repository is
    named by what it is and the generation that it was born in: it may come back in a later one."""
    if record.identity:
        parts = (record.tenant, record.repository, record.identity, record.birth)
        return "r-" + digest(*parts, key=snapshot.identity_key)
    content = fingerprint(record, provenance.writer, provenance.conditions)
    return "r-" + digest(*content, key=snapshot.identity_key)


def assertion_of(snapshot: Snapshot, name: str, record: Record, provenance: Provenance) -> Assertion:
    """One assertion of the record of that id, by one source, writer and revision; repeating it is the same assertion.
    Authority and time are those of `record` as it was said this time."""
    parts = (name, provenance.locator, provenance.writer, provenance.revision, provenance.conditions)
    assertion = "a-" + digest(*parts, key=snapshot.identity_key)
    return Assertion(assertion, name, provenance, record.authority, record.observed_at)


def justification_id(
    snapshot: Snapshot, consequent: str, antecedents: tuple[str, ...], informant: str, mode: Mode
) -> str:
    """The id that a justification's content gives it in this memory."""
    return "j-" + digest(consequent, antecedents, informant, mode.value, key=snapshot.identity_key)


def linked(
    snapshot: Snapshot,
    consequent: str,
    antecedents: tuple[str, ...],
    informant: str,
    provenance: Provenance,
    mode: Mode = Mode.INTERSECT,
) -> Justification:
    """A justification under the id that its content gives it; antecedents are sorted and distinct."""
    name = justification_id(snapshot, consequent, antecedents, informant, mode)
    return Justification(name, snapshot.tenant, consequent, antecedents, informant, provenance, mode)
