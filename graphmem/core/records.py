"""What a memory holds. Lives here: records and their keys, assertions, justifications, blocks, entities and edges, as
plain values. Lives elsewhere: their labels (core.labels), how they change (core.changes), how they are stored
(adapters).
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from hashlib import blake2b, sha256
from unicodedata import category

from graphmem.core.errors import InvalidInput
from graphmem.core.intervals import ALWAYS, Intervals
from graphmem.core.labels import Level
from graphmem.core.provenance import Provenance

GENERATION_OPEN = 2**31 - 1


class Role(StrEnum):
    """What a record is evidence of; index entries are derived data and never records."""

    SOURCE = "source"
    OBSERVATION = "observation"
    CLAIM = "claim"
    INFERENCE = "inference"
    SUMMARY = "summary"


class Kind(StrEnum):
    """The cognitive kind beside the role."""

    EPISODIC = "episodic"
    SEMANTIC = "semantic"
    PROCEDURAL = "procedural"


# The level that an asserted record of a role has as a premise. A summary is never a premise; an asserted inference is
# a hypothesis.
PREMISE_LEVEL: dict[Role, Level] = {
    Role.SOURCE: Level.GROUNDED,
    Role.OBSERVATION: Level.GROUNDED,
    Role.CLAIM: Level.IN,
    Role.INFERENCE: Level.IN,
    Role.SUMMARY: Level.OUT,
}
GROUNDING = frozenset(role for role, level in PREMISE_LEVEL.items() if level is Level.GROUNDED)
BELIEVABLE = frozenset({Role.SOURCE, Role.OBSERVATION, Role.SUMMARY})


@dataclass(frozen=True, slots=True, order=True)
class Key:
    """What a record speaks to: an attribute of an entity, within a scope ('' for everywhere)."""

    entity: str
    attribute: str
    scope: str = ""

    def __str__(self) -> str:
        tail = f"@{self.scope}" if self.scope else ""
        return f"{self.entity}#{self.attribute}{tail}"


def parse_key(text: str) -> Key:
    """Read ENTITY#ATTRIBUTE or ENTITY#ATTRIBUTE@SCOPE. Raises InvalidInput on any other form and on a NUL character."""
    entity, hash_sign, rest = text.partition("#")
    attribute, _, scope = rest.partition("@")
    if not (hash_sign and entity.strip() and attribute.strip()) or "\x00" in text:
        raise InvalidInput(f"not a key: {text[:80]!r}", hint="write ENTITY#ATTRIBUTE or ENTITY#ATTRIBUTE@SCOPE")
    return Key(entity.strip(), attribute.strip(), scope.strip())


@dataclass(frozen=True, slots=True)
class Record:
    """One thing seen, said or concluded; immutable but for `own`, `death` and the standing that commits change.

    `value` is canonical JSON or None. `own` is the valid time that it claims; when a change has cut it since, `claimed`
    is what it was at first, otherwise empty. `birth` and `death` bound its life in the generations of `repository`,
    `identity` names what it is whatever its generation. `version` is its place in the supersession chain of its key,
    from 1; 0 without one.
    """

    id: str
    tenant: str
    role: Role
    text: str
    kind: Kind = Kind.EPISODIC
    key: Key | None = None
    value: str | None = None
    own: Intervals = ALWAYS
    observed_at: int = 0
    authority: int = 0
    producer: str = ""
    context: str = ""
    policy: str = "open"
    sensitivity: str = "internal"
    retention: str = "standard"
    evidence_status: str = ""
    supersedes: str = ""
    version: int = 0
    repository: str = ""
    birth: int = 0
    death: int = GENERATION_OPEN
    identity: str = ""
    claimed: Intervals = ()


@dataclass(frozen=True, slots=True)
class Assertion:
    """One act of putting a record forward, with its own provenance; a record stands as a premise while one is live."""

    id: str
    record: str
    provenance: Provenance
    authority: int = 0
    observed_at: int = 0


class Mode(StrEnum):
    """Whether a conclusion ends with its antecedents' validity, or outlasts it."""

    INTERSECT = "intersect"
    TIMELESS = "timeless"


@dataclass(frozen=True, slots=True)
class Justification:
    """A non-empty set of antecedents that together support one consequent, and who or what drew the conclusion."""

    id: str
    tenant: str
    consequent: str
    antecedents: tuple[str, ...]
    informant: str
    provenance: Provenance
    mode: Mode = Mode.INTERSECT

    def names(self, records: Collection[str]) -> bool:
        """Whether any of some records is its consequent or among its antecedents."""
        return self.consequent in records or any(name in records for name in self.antecedents)


class BlockKind(StrEnum):
    """Why a record is OUT whatever supports it. The order is the order of precedence among reasons."""

    DELETED = "deleted"
    REJECTED = "rejected"
    QUARANTINED = "quarantined"
    CORRECTED = "corrected"


# Blocks that a person can lift; what stands behind them may be asserted again, and stays out.
LIFTABLE = frozenset({BlockKind.REJECTED, BlockKind.QUARANTINED})


@dataclass(frozen=True, slots=True)
class Block:
    """An explicit reason for OUT; `by` names the receipt, the person or the correcting record, or
    the reason code of admission."""

    record: str
    kind: BlockKind
    by: str


@dataclass(frozen=True, slots=True)
class Entity:
    """A named thing that records and edges are about. Code entities are named by symbol, independent of lines."""

    id: str
    tenant: str
    kind: str
    name: str
    symbol: str
    qualified_name: str = ""
    repository: str = ""
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Edge:
    """A typed relation between two nodes (records or entities), admitted while one evidence set is wholly IN."""

    id: str
    tenant: str
    type: str
    source: str
    target: str
    evidence: tuple[tuple[str, ...], ...]
    provenance: Provenance
    level: str = ""
    repository: str = ""
    birth: int = 0
    death: int = GENERATION_OPEN
    identity: str = ""


@dataclass(frozen=True, slots=True)
class Site:
    """A call site whose target isn't known, kept as a gap in coverage."""

    id: str
    tenant: str
    source: str
    callee: str
    reason: str
    locator: str
    line: int
    repository: str
    birth: int
    death: int = GENERATION_OPEN
    identity: str = ""


@dataclass(frozen=True, slots=True)
class Tombstone:
    """What is known of something deleted, without what it said. `id` is the record's own, or the mark of a source or
    subject that was deleted as a whole, which `role` tells. Digests are keyed by the memory's identity key, so that
    nobody else can test a guess; `at` is microseconds."""

    id: str
    tenant: str
    role: str
    at: int
    by: str
    reason: str
    receipt: str
    key: str = ""
    content: str = ""


def digest(*parts: object, key: bytes = b"") -> str:
    """Twenty base-16 characters (80 bits) that name the parts, keyed so that outsiders can't test a guess."""
    return blake2b(_spelled(parts).encode("utf-8", "surrogatepass"), digest_size=10, key=key[:64]).hexdigest()


_spelled = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=str).encode


def entity_id(tenant: str, kind: str, repository: str, symbol: str) -> str:
    """The id of an entity, by what it is."""
    return "e-" + digest(tenant, kind, repository, symbol)


def named_edge(edge: Edge) -> Edge:
    """The edge under the id (and, within a repository, the identity) that its ends, type, level and evidence give
    it."""
    if not edge.repository:
        return replace(edge, id="x-" + digest(edge.tenant, edge.type, edge.source, edge.target, edge.evidence))
    identity = "x-" + digest(edge.type, edge.source, edge.target, edge.level, edge.evidence)
    return replace(edge, id="x-" + digest(edge.tenant, identity, edge.repository, edge.birth), identity=identity)


def named_site(site: Site) -> Site:
    """The site under the id that its identity, repository and birth give it."""
    return replace(site, id="s-" + digest(site.tenant, site.repository, site.identity, site.birth))


def content_hash(text: str) -> str:
    """The SHA-256 of the text in UTF-8, with its method's name in front."""
    return "sha256:" + sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def canonical(value: object) -> str | None:
    """A JSON value in its one canonical spelling, None for no value. Raises InvalidInput for what JSON can't hold."""
    if value is None:
        return None
    try:
        return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InvalidInput("the value isn't JSON", hint="give text, a number, a list or an object") from error


def fingerprint(record: Record, said_by: str, conditions: Iterable[tuple[str, str]]) -> tuple[object, ...]:
    """What makes two records the same: what they say, about what, for when; a claim is also who said it, an observation
    under which conditions. Passages of a repository are named by place and revision instead (services.ingest)."""
    own_identity: tuple[object, ...] = ()
    if record.role is Role.CLAIM:
        own_identity = (said_by,)
    elif record.role is Role.OBSERVATION:
        own_identity = tuple(sorted(conditions))
    return (
        record.tenant,
        record.role.value,
        str(record.key or ""),
        record.value,
        record.text,
        record.claimed or record.own,
        record.supersedes,
        *own_identity,
    )


_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def context_text(record: Record) -> str:
    """What surrounds a record's text and leads to it too: its context, and the words of its key and value."""
    key = (record.key.entity, record.key.attribute, record.key.scope) if record.key else ()
    return " ".join(filter(None, (record.context, *key, record.value)))


def clean_text(text: str) -> str:
    """The text as kept: whole, NUL characters and lone surrogates made visible. Raises InvalidInput when nothing is
    left.

    Only these are replaced (by U+2400 and U+FFFD), because stores and JSON can't hold them; every other character
    stays.
    """
    kept = _LONE_SURROGATE.sub("\ufffd", text.replace("\x00", "\u2400"))
    if not any(category(c)[0] in "LN" or category(c) == "So" for c in kept):
        raise InvalidInput("the text is empty", hint="give at least one letter, digit or symbol")
    return kept
