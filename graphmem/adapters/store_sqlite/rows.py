"""Rows to values and back. Lives here: how core values are spelled in SQLite columns, and writing many rows. Lives
elsewhere: the statements."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import fields
from functools import lru_cache
from itertools import chain
from typing import Any

from graphmem.core.intervals import ALWAYS, Intervals
from graphmem.core.provenance import Method, Provenance, Span
from graphmem.core.records import Key, Kind, Record, Role

RECORD_COLUMNS = """
r.id, r.tenant, r.role, r.text, r.kind, r.entity, r.attribute, r.scope, r.value, r.own, r.observed_at, r.authority,
r.producer, r.context, r.policy, r.sensitivity, r.retention, r.evidence_status, r.supersedes, r.version,
coalesce((SELECT p.name FROM repository p WHERE p.pk = r.repo), ''), r.birth, r.death, r.identity, r.earlier
"""
RECORD_WIDTH = 25


def record_of(row: tuple[Any, ...], known: int) -> Record:
    """The record in the first RECORD_WIDTH columns of a row selected by RECORD_COLUMNS, as of a commit."""
    own, claimed = _times(row[9], row[24], known)
    key = None if row[5] is None else Key(row[5], row[6], row[7])
    return Record(
        id=row[0],
        tenant=row[1],
        role=Role(row[2]),
        text=row[3],
        kind=Kind(row[4]),
        key=key,
        value=row[8],
        own=own,
        observed_at=row[10],
        authority=row[11],
        producer=row[12] or "",
        context=row[13] or "",
        policy=row[14],
        sensitivity=row[15],
        retention=row[16],
        evidence_status=row[17] or "",
        supersedes=row[18] or "",
        version=row[19],
        repository=row[20],
        birth=row[21],
        death=row[22],
        identity=row[23] or "",
        claimed=claimed,
    )


def _times(now: str | None, earlier: str | None, known: int) -> tuple[Intervals, Intervals]:
    """A record's own times as of a commit, and what they were at first when they had been cut by then."""
    cuts = [(commit, own_of(json.dumps(own))) for commit, own in json.loads(earlier or "[]")]
    own = next((was for commit, was in cuts if known < commit), own_of(now))
    return own, (cuts[0][1] if cuts and cuts[0][0] <= known else ())


def own_of(text: str | None) -> Intervals:
    """Intervals from their column; NULL stands for always."""
    return ALWAYS if text is None else tuple((a, b) for a, b in json.loads(text))


def own_text(own: Intervals) -> str | None:
    """Intervals as their column holds them."""
    return None if own == ALWAYS else json.dumps(own, separators=(",", ":"))


_DEFAULTS = sorted((f.name, f.default) for f in fields(Provenance) if f.name != "span")
_compact = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


@lru_cache(maxsize=4_096)
def origin_text(provenance: Provenance) -> str:
    """A provenance without its span, as compact JSON of what differs from the defaults."""
    return _compact({name: value for name, default in _DEFAULTS if (value := getattr(provenance, name)) != default})


def provenance_of(body: str, span: str | None) -> Provenance:
    """A provenance from its two columns."""
    found = dict(_origin(body))
    return Provenance(**found, span=span_of(span))


@lru_cache(maxsize=4_096)
def _origin(body: str) -> tuple[tuple[str, Any], ...]:
    found = json.loads(body)
    found["method"] = Method(found["method"])
    found["conditions"] = tuple((k, v) for k, v in found.get("conditions", ()))
    return tuple(found.items())


def drop_origins() -> None:
    """Forget the origins that were met, as a deletion asks."""
    origin_text.cache_clear()
    _origin.cache_clear()


def span_text(span: Span | None) -> str | None:
    """A span as its column holds it."""
    if span is None:
        return None
    return f"{span.byte_start},{span.byte_end},{span.line_start},{span.line_end}"


def span_of(text: str | None) -> Span | None:
    """A span from its column."""
    return None if text is None else Span(*map(int, text.split(",")))


def write_rows(db: sqlite3.Connection, statement: str, rows: Iterable[tuple[Any, ...]]) -> None:
    """Run one statement for each row; for none, nothing is prepared."""
    rest = iter(rows)
    for first in rest:
        db.executemany(statement, chain((first,), rest))
