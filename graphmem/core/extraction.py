"""What an extractor finds in documents and source code, before it has a tenant, an id or a generation. Lives here: the
found values. Lives elsewhere: finding them (graphmem.code and the extractor adapters), storing them
(services.ingest)."""

from __future__ import annotations

from dataclasses import dataclass

from graphmem.core.provenance import Method, Span


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file as read: a path relative to the repository root with forward slashes, and its decoded text."""

    path: str
    text: str
    content_hash: str


@dataclass(frozen=True, slots=True)
class FoundEntity:
    """A thing with a symbol that doesn't depend on line numbers; span and hashes belong to this revision of it."""

    symbol: str
    kind: str
    name: str
    qualified_name: str
    path: str
    span: Span | None
    content_hash: str
    structural_hash: str = ""


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of one file that becomes a source record: whole text, never clipped. `about` is an entity's symbol."""

    path: str
    anchor: str
    title: str
    text: str
    span: Span
    content_hash: str
    about: str = ""


@dataclass(frozen=True, slots=True)
class FoundEdge:
    """A typed relation between two entities; `evidence` is the (path, anchor) of the passage that shows it."""

    type: str
    source: str
    target: str
    method: Method
    level: str
    path: str
    span: Span | None
    evidence: tuple[str, str]


@dataclass(frozen=True, slots=True)
class UnresolvedSite:
    """A call site whose target isn't known: a gap in coverage, never a proof of unreachability."""

    source: str
    callee: str
    reason: str
    path: str
    span: Span


@dataclass(frozen=True, slots=True)
class Extraction:
    """Everything found in a set of files, in a fixed order; `problems` are (path, what) pairs that people should
    read."""

    entities: tuple[FoundEntity, ...] = ()
    passages: tuple[Passage, ...] = ()
    edges: tuple[FoundEdge, ...] = ()
    unresolved: tuple[UnresolvedSite, ...] = ()
    problems: tuple[tuple[str, str], ...] = ()
