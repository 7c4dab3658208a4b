"""From what was found in a revision to the next generation of a repository. Lives here: the pure comparison with what
lives at the head, and the ids of derived entries. Lives elsewhere: finding (graphmem.code), reading and writing
(services.ingesting).

An entry is named by what it is, apart from the revision that it appeared in: what is found again lives on untouched,
what isn't found again ends, what is new is born. A generation made step by step so equals one made at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from graphmem.core.analyzer import exact_terms
from graphmem.core.changes import ChangeSet, assertion_of, linked, record_id
from graphmem.core.echo import INFORMANT, echoed
from graphmem.core.extraction import Extraction, FoundEdge, FoundEntity, Passage, UnresolvedSite
from graphmem.core.intervals import TIME_MAX, subtract
from graphmem.core.labelling import Standing
from graphmem.core.labels import Level
from graphmem.core.provenance import Method, Provenance, Span
from graphmem.core.records import (
    Assertion,
    Edge,
    Entity,
    Justification,
    Kind,
    Record,
    Role,
    Site,
    digest,
    entity_id,
    named_edge,
    named_site,
)
from graphmem.core.views import Entries, Generation, Held, Snapshot

PROSE_KINDS = frozenset({"document", "section"})


@dataclass(frozen=True, slots=True)
class Revision:
    """Everything that the entries of one generation share."""

    generation: Generation
    policy: str
    writer: str
    extractor: str
    extractor_version: str
    configuration_hash: str
    now: int


@dataclass(slots=True)
class Growth:
    """The entries of a generation by identity: new ones, and the ids that found ones have."""

    records: dict[str, Record] = field(default_factory=dict)
    assertions: list[Assertion] = field(default_factory=list)
    links: list[Justification] = field(default_factory=list)
    edges: dict[str, Edge] = field(default_factory=dict)
    sites: dict[str, Site] = field(default_factory=dict)
    found: set[str] = field(default_factory=set)


def grow(
    snapshot: Snapshot, entries: Entries, extraction: Extraction, revision: Revision
) -> tuple[Growth, tuple[Entity, ...]]:
    """The new entries of a revision and its entities, given what lives at the head."""
    return _Grower(snapshot, entries, revision).run(extraction)


class _Grower:
    def __init__(self, snapshot: Snapshot, entries: Entries, revision: Revision) -> None:
        self.snapshot = snapshot
        self.entries = entries
        self.revision = revision
        self.tenant = snapshot.tenant
        self.repository = revision.generation.repository
        self.growth = Growth()
        self.passages: dict[tuple[str, str], str] = {}
        self.symbols: dict[str, str] = {}

    def run(self, extraction: Extraction) -> tuple[Growth, tuple[Entity, ...]]:
        entities = tuple(self.entity(e) for e in extraction.entities)
        for passage in extraction.passages:
            self.passage(passage)
        for edge in extraction.edges:
            self.edge(edge)
        self.mentions(extraction)
        seen: Counter[tuple[str, str, str]] = Counter()
        for site in extraction.unresolved:
            seen[site.source, site.callee, site.reason] += 1
            self.site(site, seen[site.source, site.callee, site.reason])
        return self.growth, entities

    def entity(self, found: FoundEntity) -> Entity:
        kind = "code" if found.kind not in PROSE_KINDS else "prose"
        name = self.symbols[found.symbol] = entity_id(self.tenant, kind, self.repository, found.symbol)
        aliases = (found.path,) if found.kind in ("file", "document") else (_short_name(found),)
        return Entity(
            name, self.tenant, found.kind, found.name, found.symbol, found.qualified_name, self.repository, aliases
        )

    def passage(self, passage: Passage) -> None:
        if not any(c.isalnum() for c in passage.text):
            return
        identity = "p-" + digest(passage.path, passage.anchor, passage.content_hash)
        self.growth.found.add(identity)
        name = self.entries.records.get(identity)
        if name is None:
            name = self.new_record(passage, identity)
        self.passages[passage.path, passage.anchor] = name
        if passage.about in self.symbols:
            self.add_edge(
                "about", name, self.symbols[passage.about], name, passage.path, passage.span, Method.SYNTACTIC
            )

    def new_record(self, passage: Passage, identity: str) -> str:
        generation = self.revision.generation
        provenance = self.provenance(passage.path, passage.span, Method.SYNTACTIC, passage.content_hash)
        record = Record(
            id="",
            tenant=self.tenant,
            role=Role.SOURCE,
            text=passage.text.replace("\x00", "\u2400"),
            kind=Kind.SEMANTIC,
            own=((generation.begins, TIME_MAX),),
            observed_at=generation.begins,
            context=f"{passage.path} {passage.title}",
            policy=self.revision.policy,
            repository=self.repository,
            birth=generation.ordinal,
            identity=identity,
        )
        origins = echoed(passage.text, self.snapshot.records)
        role = Role.CLAIM if origins else record.role
        record = replace(record, id=record_id(self.snapshot, record, provenance), role=role)
        self.growth.records[identity] = record
        if origins:
            derived = replace(provenance, method=Method.DERIVED)
            self.growth.links.append(linked(self.snapshot, record.id, origins, INFORMANT, derived))
        else:
            self.growth.assertions.append(assertion_of(self.snapshot, record.id, record, provenance))
        return record.id

    def edge(self, found: FoundEdge) -> None:
        ends = (self.symbols.get(found.source), self.symbols.get(found.target))
        evidence = self.passages.get(found.evidence)
        if evidence is not None and ends[0] is not None and ends[1] is not None:
            self.add_edge(found.type, ends[0], ends[1], evidence, found.path, found.span, found.method, found.level)

    def mentions(self, extraction: Extraction) -> None:
        """Prose that names exactly one code entity of the repository mentions it."""
        prose = {e.symbol for e in extraction.entities if e.kind in PROSE_KINDS}
        named = _names(e for e in extraction.entities if e.symbol not in prose)
        for passage in extraction.passages:
            name = self.passages.get((passage.path, passage.anchor))
            if name is None or (passage.about and passage.about not in prose):
                continue
            for term in exact_terms(passage.text):
                symbols = named.get(term.casefold(), set())
                if len(symbols) == 1:
                    target = self.symbols[next(iter(symbols))]
                    self.add_edge("mentions", name, target, name, passage.path, passage.span, Method.SYNTACTIC)

    def add_edge(
        self,
        kind: str,
        source: str,
        target: str,
        evidence: str,
        path: str,
        span: Span | None,
        method: Method,
        level: str = "",
    ) -> None:
        generation = self.revision.generation
        edge = named_edge(
            Edge(
                id="",
                tenant=self.tenant,
                type=kind,
                source=source,
                target=target,
                evidence=((evidence,),),
                provenance=self.provenance(path, span, method, ""),
                level=level,
                repository=self.repository,
                birth=generation.ordinal,
            )
        )
        self.growth.found.add(edge.identity)
        if edge.identity not in self.entries.edges:
            self.growth.edges.setdefault(edge.identity, edge)

    def site(self, found: UnresolvedSite, nth: int) -> None:
        identity = "s-" + digest(found.source, found.callee, found.reason, found.path, nth)
        self.growth.found.add(identity)
        if identity in self.entries.sites:
            return
        self.growth.sites[identity] = named_site(
            Site(
                id="",
                tenant=self.tenant,
                source=found.source,
                callee=found.callee,
                reason=found.reason,
                locator=found.path,
                line=found.span.line_start,
                repository=self.repository,
                birth=self.revision.generation.ordinal,
                identity=identity,
            )
        )

    def provenance(self, path: str, span: Span | None, method: Method, content_hash: str) -> Provenance:
        revision = self.revision
        return Provenance(
            source_kind="file",
            locator=path,
            writer=revision.writer,
            method=method,
            captured_at=revision.now,
            span=span,
            content_hash=content_hash,
            revision=revision.generation.revision,
            extractor=revision.extractor,
            extractor_version=revision.extractor_version,
            configuration_hash=revision.configuration_hash,
        )


def _short_name(entity: FoundEntity) -> str:
    """How people name a member: its owner and itself, as in ConnectionPool.release."""
    return ".".join(entity.qualified_name.split(".")[-2:])


def _names(entities: Iterable[FoundEntity]) -> dict[str, set[str]]:
    """Symbols by each name that prose may use for them."""
    named: dict[str, set[str]] = {}
    for entity in entities:
        paths = (entity.path,) if entity.kind == "file" else ()
        for name in {entity.name, entity.qualified_name, _short_name(entity), *paths}:
            named.setdefault(name.casefold(), set()).add(entity.symbol)
    return named


def retired(entries: Entries, growth: Growth) -> tuple[str, ...]:
    """Ids of the records at the head that weren't found again, in order."""
    return tuple(sorted(name for identity, name in entries.records.items() if identity not in growth.found))


def next_generation(
    snapshot: Snapshot,
    entries: Entries,
    growth: Growth,
    entities: tuple[Entity, ...],
    revision: Revision,
    ended: Mapping[str, Held],
) -> ChangeSet:
    """The commit that moves the repository's head: new entries, the ends of old ones, and the watermark, at once.

    A source that isn't found again is superseded by change: it stops holding when the new generation begins.
    """
    generation = revision.generation
    levels = dict.fromkeys((a.record for a in growth.assertions), Level.GROUNDED)
    standings = {r.id: Standing(r.own, levels.get(r.id, Level.OUT)) for r in growth.records.values()}
    for name, held in ended.items():
        own = subtract(held.record.own, ((generation.begins, TIME_MAX),))
        standings[name] = replace(held.standing, own=own)
    living = (*entries.records.items(), *entries.edges.items(), *entries.sites.items())
    return ChangeSet(
        tenant=snapshot.tenant,
        at=revision.now,
        writer=revision.writer,
        verb="ingest",
        records=tuple(growth.records.values()),
        assertions=tuple(growth.assertions),
        justifications=tuple(growth.links),
        standings=standings,
        entities=entities,
        edges=tuple(growth.edges.values()),
        sites=tuple(growth.sites.values()),
        deaths={name: generation.ordinal for identity, name in living if identity not in growth.found},
        generation=generation,
        expects={name: held.touched for name, held in ended.items()},
    )
