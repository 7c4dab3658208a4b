"""Where a record or an edge comes from. Lives here: the provenance value and its small parts, as every record's
assertion and every edge carries them. Names follow W3C PROV where it has one (a locator is an entity, a writer an
agent)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

# The source kinds of what people and programs say of the memory itself: a decision on a conflict, on what waits for
# review and on two entities being one, a person's consent, the receipt of a deletion.
RESOLUTION, REVIEW, MERGE, CONSENT, RECEIPT = "resolution", "review", "merge", "consent", "receipt"
# An assertion of this source kind says that a record was looked at again and found so; its condition says when.
CONFIRMATION = "confirmation"
CONFIRMED_AT = "confirmed-at"


class Method(StrEnum):
    """How a statement came to be: asserted by someone, read off syntax, resolved, seen at run time, or derived."""

    ASSERTED = "asserted"
    SYNTACTIC = "syntactic"
    RESOLVED = "resolved"
    DYNAMIC = "dynamic"
    DERIVED = "derived"


@dataclass(frozen=True, slots=True)
class Span:
    """A place in a text: bytes half-open from 0, lines inclusive from 1."""

    byte_start: int
    byte_end: int
    line_start: int
    line_end: int


@dataclass(frozen=True, slots=True)
class Provenance:
    """Source, place, time, tool and people behind one assertion or edge. Times are microseconds in UTC."""

    source_kind: str
    locator: str
    writer: str
    method: Method
    captured_at: int
    span: Span | None = None
    content_hash: str = ""
    revision: str = ""
    source_recorded_at: int | None = None
    extractor: str = ""
    extractor_version: str = ""
    configuration_hash: str = ""
    subject: str = ""
    owner: str = ""
    scope: str = ""
    consent: str = ""
    conditions: tuple[tuple[str, str], ...] = ()


def own_locator(writer: str) -> str:
    """The locator of what a writer says without naming a source."""
    return f"writer:{writer}"
