"""Edges between a record and what it speaks of. Lives here: the pure rule that turns a record's key and the names in
its text into entities and edges of a draft. Lives elsewhere: finding names (core.analyzer) and looking them up (the
store)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from graphmem.core.changes import Draft
from graphmem.core.provenance import Method, Provenance
from graphmem.core.records import Edge, Entity, Record, entity_id, named_edge

EXTRACTOR = "graphmem.mentions"
EXTRACTOR_VERSION = "1"


def names_of(record: Record, mentions: Iterable[str], identifiers: Iterable[str]) -> tuple[str, ...]:
    """The names to look up for a record: its key's entity, what the writer says it mentions, identifiers in its
    text."""
    key = (record.key.entity,) if record.key else ()
    return tuple(dict.fromkeys((*key, *mentions, *identifiers)))


def link(
    draft: Draft, record: Record, provenance: Provenance, mentions: Iterable[str] = (), identifiers: Iterable[str] = ()
) -> tuple[str, ...]:
    """Add `about` and `mentions` edges for a record; returns the names that were ambiguous and so left alone.

    A key's entity and a mention that the writer states become entities when nothing has that name; identifiers found in
    the text only lead to entities that exist. A name that several entities bear joins none of them.
    """
    stated = list(dict.fromkeys(mentions))
    ambiguous: list[str] = []
    about = record.key.entity if record.key else ""
    for name in names_of(record, stated, identifiers):
        kind = "about" if name == about else "mentions"
        found = draft.snapshot.names.get(name, ())
        if len(found) > 1:
            ambiguous.append(name)
            continue
        if found:
            target = found[0]
        elif name == about or name in stated:
            target = _thing(draft, name)
        else:
            continue
        _edge(
            draft, kind, record, target, provenance, Method.ASSERTED if name in (about, *stated) else Method.SYNTACTIC
        )
    return tuple(ambiguous)


def _thing(draft: Draft, name: str) -> str:
    tenant = draft.snapshot.tenant
    entity = Entity(entity_id(tenant, "thing", "", name), tenant, "thing", name, name)
    draft.entities[entity.id] = entity
    return entity.id


def _edge(draft: Draft, kind: str, record: Record, target: str, provenance: Provenance, method: Method) -> None:
    tenant = draft.snapshot.tenant
    traced = replace(provenance, method=method, extractor=EXTRACTOR, extractor_version=EXTRACTOR_VERSION)
    edge = named_edge(Edge("", tenant, kind, record.id, target, ((record.id,),), traced))
    if edge.id not in draft.snapshot.graph:
        draft.edges[edge.id] = edge
