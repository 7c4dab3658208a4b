"""What a read may see and as of when. Lives here: the view that every read statement is filtered by, the caps of an
expansion, and the values that reads return. Lives elsewhere: the reads themselves (ports.store and its adapters)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from graphmem.core.jobs import Pending
from graphmem.core.labelling import Standing
from graphmem.core.labels import Label, Level
from graphmem.core.records import (
    Assertion,
    Block,
    BlockKind,
    Edge,
    Entity,
    Justification,
    Key,
    Record,
    Site,
    Tombstone,
)

LATEST = 2**62


@dataclass(frozen=True, slots=True)
class View:
    """Tenant, policies (None: every policy of the tenant), valid time, known time and generations of one read.

    `at` is microseconds, `known_at` a commit number (LATEST for now), `generations` fixes repositories by name to a
    generation; the others are read at their head. `level` is the least level a record must have. A read that takes
    longer than `timeout_ms` milliseconds is stopped where it runs and raises DeadlineExceeded.
    """

    tenant: str
    at: int
    known_at: int = LATEST
    policies: tuple[str, ...] | None = None
    generations: Mapping[str, int] = field(default_factory=dict)
    level: Level = Level.IN
    timeout_ms: float | None = None


@dataclass(frozen=True, slots=True)
class Caps:
    """Bounds of one expansion: hops from a seed, nodes and edges read."""

    depth: int = 3
    nodes: int = 400
    edges: int = 4_000


@dataclass(frozen=True, slots=True)
class Found:
    """A record as a read shows it: with the standing that its label has in the view, the commit and time at which the
    memory took it, one assertion's provenance, and the work that it waits for now, if any."""

    record: Record
    level: int
    rank: int
    support: str
    commit: int
    recorded_at: int
    assertion: Assertion | None
    pending: Pending | None = None


@dataclass(frozen=True, slots=True)
class Hits:
    """Candidates of one look-up, best first. `exact` maps each term to the nodes of that very name: more than one is an
    ambiguity for the caller to see. `absent` are the terms that name nothing and occur in no record of the view, as an
    exhaustive look-up found. `commit` is the known time that the look-up saw; later calls of the read reuse it.
    """

    commit: int
    exact: Mapping[str, tuple[str, ...]]
    lexical: tuple[tuple[str, float], ...]
    absent: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Keys:
    """A page of keys in their order; `count` is how many there are from its beginning on, those after it included."""

    keys: tuple[Key, ...]
    count: int


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """The subgraph around some seeds: bodies, typed edges and live justifications, with the caps that stopped it."""

    records: Mapping[str, Found]
    entities: Mapping[str, Entity]
    edges: tuple[Edge, ...]
    justifications: tuple[Justification, ...]
    stopped_by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Held:
    """A record as planning sees it: facts of now, whatever its label. `withdrawn` pairs an assertion that was withdrawn
    with the commit that withdrew it."""

    record: Record
    standing: Standing
    touched: int
    live: tuple[Assertion, ...] = ()
    withdrawn: tuple[tuple[Assertion, int], ...] = ()
    block: Block | None = None
    label: Label = ()

    @property
    def is_deleted(self) -> bool:
        """Whether a deletion blocks it, for good."""
        return self.block is not None and self.block.kind is BlockKind.DELETED

    @property
    def confirmed_at(self) -> int:
        """When a source last said so: the latest time of observation among its live assertions, else its own."""
        return max((a.observed_at for a in self.live), default=self.record.observed_at)


@dataclass(frozen=True, slots=True)
class Waiting:
    """A record that is kept out of sight until a person has looked at it, and the commit that put it there."""

    held: Held
    commit: int


@dataclass(frozen=True, slots=True)
class Quarantine:
    """A page of what waits for a person, oldest first; `count` is how many wait from its beginning on."""

    waiting: tuple[Waiting, ...]
    count: int


@dataclass(frozen=True, slots=True)
class Head:
    """The end of a key's supersession chain."""

    record: str
    version: int


class Joint(NamedTuple):
    """An edge by its id, and the nodes that it joins: a store may look for it at its ends."""

    id: str
    source: str
    target: str


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a plan needs to see: records and justifications by id, heads by key, entities by exact name, which of
    some entities and sites (`graph`, by id) and edges are there, and which digests or ids (`marks`) tombstones bear;
    with `backlog` how many jobs are open."""

    records: tuple[str, ...] = ()
    justifications: tuple[str, ...] = ()
    keys: tuple[Key, ...] = ()
    names: tuple[str, ...] = ()
    graph: tuple[str, ...] = ()
    edges: tuple[Joint, ...] = ()
    backlog: bool = False
    marks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The answer to a Wanted; what isn't in the tenant is absent. `live` are the justifications that stand now, `graph`
    the ids of the entities, sites and edges that are there, `forgotten` the tombstones by the digests asked for."""

    tenant: str
    commit: int
    identity_key: bytes
    records: Mapping[str, Held] = field(default_factory=dict)
    justifications: Mapping[str, Justification] = field(default_factory=dict)
    live: frozenset[str] = frozenset()
    heads: Mapping[Key, Head] = field(default_factory=dict)
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    graph: frozenset[str] = frozenset()
    backlog: int = 0
    forgotten: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LinkState:
    """A justification of now, live or withdrawn."""

    justification: Justification
    live: bool


@dataclass(frozen=True, slots=True)
class Proof:
    """The network above (or beside) some records at one known time, for why and why-not."""

    records: Mapping[str, Held]
    justifications: Mapping[str, Justification]
    truncated: bool


@dataclass(frozen=True, slots=True)
class Generation:
    """One state of a repository: its place in the order, the revision's name and the valid time it begins at."""

    repository: str
    ordinal: int
    revision: str
    begins: int


# What a memory holds, one by one, as a dump streams it.
Fact = Generation | Entity | Held | LinkState | Edge | Site | Tombstone


@dataclass(frozen=True, slots=True)
class Entries:
    """What lives at the head of a repository, by content identity: the ids of records, edges and sites."""

    generations: tuple[Generation, ...]
    records: Mapping[str, str]
    edges: Mapping[str, str]
    sites: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Status:
    """Counts and the last commit of one tenant, its jobs by state, and facts about the store."""

    backend: str
    location: str
    schema_version: int
    commit: int
    counts: Mapping[str, int]
    roles: Mapping[str, int]
    heads: tuple[Generation, ...]
    jobs: Mapping[str, int] = field(default_factory=dict)
