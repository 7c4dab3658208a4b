"""Reading the JSON lines of import, one type at a time. Lives here: lines to values. Lives elsewhere: writing them
(services.line_writer), batches and commits (services.transferring), the format's JSON Schema (docs/reference)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from graphmem.core.erasure import NEEDS_REGENERATION
from graphmem.core.errors import InvalidInput
from graphmem.core.intervals import ALWAYS, TIME_MAX, TIME_MIN, Intervals, normalise
from graphmem.core.provenance import Method, Provenance, Span, own_locator
from graphmem.core.records import (
    GENERATION_OPEN,
    Assertion,
    BlockKind,
    Edge,
    Entity,
    Justification,
    Key,
    Kind,
    Mode,
    Record,
    Role,
    Site,
    Tombstone,
    canonical,
    parse_key,
)
from graphmem.core.times import parse_time
from graphmem.core.views import Generation
from graphmem.services.writing import Statement

TYPES = ("record", "justification", "entity", "edge", "site", "generation", "tombstone")
PROSE = frozenset({"document", "section"})


@dataclass(frozen=True, slots=True)
class Stated:
    """A record as people write it: one statement, perhaps in the place of an older record."""

    ref: str
    statement: Statement
    old: str = ""
    how: str = ""
    key: Key | None = None


@dataclass(frozen=True, slots=True)
class Kept:
    """A record as export writes it: with all of its assertions (and whether each is withdrawn) and its block."""

    ref: str
    record: Record
    provenance: Provenance
    assertions: tuple[tuple[Assertion, bool], ...]
    block: tuple[BlockKind, str] | None


@dataclass(frozen=True, slots=True)
class Linked:
    """A justification, live or withdrawn."""

    ref: str
    justification: Justification
    live: bool


@dataclass(frozen=True, slots=True)
class Thing:
    """An entity, and the kind that its id is derived from."""

    ref: str
    entity: Entity
    kind: str


@dataclass(frozen=True, slots=True)
class Joined:
    """An edge."""

    ref: str
    edge: Edge


@dataclass(frozen=True, slots=True)
class Gap:
    """An unresolved call site."""

    ref: str
    site: Site


@dataclass(frozen=True, slots=True)
class Gone:
    """What is known of something forgotten."""

    ref: str
    tombstone: Tombstone


Item = Stated | Kept | Linked | Thing | Joined | Gap | Gone


@dataclass(frozen=True, slots=True)
class Reader:
    """What reading a line needs beside the line: whose it becomes, when, and what refs mean."""

    tenant: str
    writer: str
    now: int
    ids: Mapping[str, str]

    def meaning(self, ref: str) -> str:
        return self.ids.get(ref, ref)


def read_line(line: Mapping[str, Any], tenant: str, writer: str, now: int, ids: Mapping[str, str]) -> Item:
    """A line as values, with every ref to an earlier line replaced by its id. Raises InvalidInput, KeyError,
    TypeError."""
    reader = Reader(tenant, writer, now, ids)
    kind = line["type"]
    if kind == "record":
        return _kept(line, reader) if "assertions" in line else _stated(line, reader)
    if kind == "justification":
        return _linked(line, reader)
    if kind == "entity":
        return _thing(line, reader)
    if kind == "tombstone":
        return _gone(line, reader)
    return _joined(line, reader) if kind == "edge" else _gap(line, reader)


def _stated(line: Mapping[str, Any], reader: Reader) -> Stated:
    source = line.get("source") or {}
    provenance = Provenance(
        source_kind=source.get("kind") or "statement",
        locator=source.get("locator") or own_locator(line.get("writer") or reader.writer),
        writer=line.get("writer") or reader.writer,
        method=Method(source.get("method") or "asserted"),
        captured_at=_time(line.get("captured_at")) or 0,
        revision=source.get("revision") or "",
        source_recorded_at=_time(source.get("recorded_at")),
        subject=line.get("subject") or "",
        owner=line.get("owner") or "",
        scope=line.get("scope") or "",
        consent=line.get("consent") or "",
        conditions=_pairs(source.get("conditions")),
    )
    old = reader.meaning(line["supersedes"]) if line.get("supersedes") else ""
    record = _record(line, reader, old)
    statement = Statement(
        record=record,
        provenance=provenance,
        mentions=tuple(line.get("mentions") or ()),
        because=tuple(reader.meaning(r) for r in line.get("because") or ()),
        informant=line.get("informant") or provenance.writer,
        mode=Mode(line.get("mode") or "intersect"),
    )
    return Stated(line["ref"], statement, old, line.get("how") or "change", record.key)


def _record(line: Mapping[str, Any], reader: Reader, old: str) -> Record:
    return Record(
        id="",
        tenant=reader.tenant,
        role=Role(line["role"]),
        text=line["text"],
        kind=Kind(line.get("kind") or "episodic"),
        key=_key(line.get("key")),
        value=canonical(line.get("value")),
        own=_own(line),
        observed_at=_time(line.get("observed_at")) or reader.now,
        authority=int(line.get("authority") or 0),
        context=line.get("context") or "",
        policy=line.get("policy") or "open",
        sensitivity=line.get("sensitivity") or "internal",
        retention=line.get("retention") or "standard",
        evidence_status=line.get("evidence_status") or "",
        supersedes=old,
        version=int(line.get("version") or 0),
        producer=reader.meaning(line["producer"]) if line.get("producer") else "",
        repository=line.get("repository") or "",
        birth=int(line.get("birth") or 0),
        death=_death(line),
        identity=line.get("identity") or "",
        claimed=normalise(_interval(a, b) for a, b in line.get("claimed") or ()),
    )


def _kept(line: Mapping[str, Any], reader: Reader) -> Kept:
    old = reader.meaning(line["supersedes"]) if line.get("supersedes") else ""
    assertions = tuple(
        (
            Assertion("", "", provenance_of(a["provenance"]), int(a["authority"]), _time(a["observed_at"]) or 0),
            bool(a.get("withdrawn")),
        )
        for a in line["assertions"]
    )
    block = line.get("block")
    record = _record(line, reader, old)
    if not record.text and not _may_be_empty(record, block, line["ref"]):
        raise InvalidInput("the text is empty", hint="only what was forgotten has none, and keeps its id")
    return Kept(
        ref=line["ref"],
        record=record,
        provenance=Provenance("", "", reader.writer, Method.ASSERTED, reader.now),
        assertions=assertions,
        block=(BlockKind(block["kind"]), block["by"]) if block else None,
    )


def _may_be_empty(record: Record, block: Mapping[str, str] | None, name: str) -> bool:
    """Whether a record without text is what a deletion leaves."""
    deleted = block is not None and block["kind"] == BlockKind.DELETED
    return (deleted or record.evidence_status == NEEDS_REGENERATION) and bool(_RECORD_ID.fullmatch(name))


_RECORD_ID = re.compile("r-[0-9a-f]{20}")


def _linked(line: Mapping[str, Any], reader: Reader) -> Linked:
    traced = line.get("provenance")
    provenance = (
        provenance_of(traced)
        if traced
        else Provenance("statement", own_locator(reader.writer), reader.writer, Method.DERIVED, reader.now)
    )
    justification = Justification(
        id="",
        tenant=reader.tenant,
        consequent=reader.meaning(line["consequent"]),
        antecedents=tuple(sorted({reader.meaning(r) for r in line["antecedents"]})),
        informant=line.get("informant") or reader.writer,
        provenance=provenance,
        mode=Mode(line.get("mode") or "intersect"),
    )
    return Linked(line["ref"], justification, bool(line.get("live", True)))


def _thing(line: Mapping[str, Any], reader: Reader) -> Thing:
    entity = Entity(
        id="",
        tenant=reader.tenant,
        kind=line["kind"],
        name=line["name"],
        symbol=line["symbol"],
        qualified_name=line.get("qualified_name") or "",
        repository=line.get("repository") or "",
        aliases=tuple(line.get("aliases") or ()),
    )
    if not entity.repository:
        return Thing(line["ref"], entity, entity.kind)
    return Thing(line["ref"], entity, "prose" if entity.kind in PROSE else "code")


def _joined(line: Mapping[str, Any], reader: Reader) -> Joined:
    edge = Edge(
        id="",
        tenant=reader.tenant,
        type=line["edge"],
        source=reader.meaning(line["source"]),
        target=reader.meaning(line["target"]),
        evidence=tuple(tuple(sorted(reader.meaning(r) for r in place)) for place in line["evidence"]),
        provenance=provenance_of(line["provenance"]),
        level=line.get("level") or "",
        repository=line.get("repository") or "",
        birth=int(line.get("birth") or 0),
        death=_death(line),
    )
    return Joined(line["ref"], edge)


def _gap(line: Mapping[str, Any], reader: Reader) -> Gap:
    site = Site(
        id=line["id"],
        tenant=reader.tenant,
        source=line["source"],
        callee=line["callee"],
        reason=line["reason"],
        locator=line["locator"],
        line=int(line["line"]),
        repository=line["repository"],
        birth=int(line["birth"]),
        death=_death(line),
        identity=line.get("identity") or "",
    )
    return Gap(line["ref"], site)


def _gone(line: Mapping[str, Any], reader: Reader) -> Gone:
    name = reader.meaning(line["id"])
    texts = {part: str(line.get(part) or "") for part in ("role", "by", "reason", "receipt", "key", "content")}
    texts["receipt"] = reader.meaning(texts["receipt"])
    return Gone(line["ref"], Tombstone(id=name, tenant=reader.tenant, at=_time(line["at"]) or 0, **texts))


def generation_of(line: Mapping[str, Any]) -> Generation:
    """A generation from its line."""
    return Generation(line["repository"], int(line["ordinal"]), line["revision"], _time(line["begins"]) or 0)


def provenance_of(line: Mapping[str, Any]) -> Provenance:
    """A provenance from the form that export gives it."""
    rows, place = line.get("lines"), line.get("bytes")
    extractor, _, version = str(line.get("extractor") or "").partition(" ")
    return Provenance(
        source_kind=line.get("source_kind") or "",
        locator=line.get("locator") or "",
        writer=line.get("writer") or "",
        method=Method(line["method"]),
        captured_at=_time(line.get("captured_at")) or 0,
        span=Span(*place, *rows) if place and rows else None,
        content_hash=line.get("content_hash") or "",
        revision=line.get("revision") or "",
        source_recorded_at=_time(line.get("source_recorded_at")),
        extractor=extractor,
        extractor_version=version,
        configuration_hash=line.get("configuration_hash") or "",
        subject=line.get("subject") or "",
        owner=line.get("owner") or "",
        scope=line.get("scope") or "",
        consent=line.get("consent") or "",
        conditions=_pairs(line.get("conditions")),
    )


def _time(text: str | None) -> int | None:
    return None if text is None else parse_time(text)


def _pairs(found: Mapping[str, object] | None) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((str(k), str(v)) for k, v in (found or {}).items()))


def _key(found: str | Mapping[str, str] | None) -> Key | None:
    if found is None or isinstance(found, str):
        return parse_key(found) if found else None
    return Key(found["entity"], found["attribute"], found.get("scope") or "")


def _death(line: Mapping[str, Any]) -> int:
    return GENERATION_OPEN if line.get("death") is None else int(line["death"])


def _own(line: Mapping[str, Any]) -> Intervals:
    if "valid" in line:
        return normalise(_interval(a, b) for a, b in line["valid"])
    start, end = line.get("valid_from"), line.get("valid_to")
    if start is None and end is None:
        return ALWAYS
    interval = _interval(start, end)
    if interval[0] >= interval[1]:
        raise InvalidInput("the validity ends before it begins", hint="valid_to must be later than valid_from")
    return (interval,)


def _interval(start: str | None, end: str | None) -> tuple[int, int]:
    return (TIME_MIN if start is None else parse_time(start), TIME_MAX if end is None else parse_time(end))
