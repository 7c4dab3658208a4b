"""Recognising what came out of the memory when it comes back. Lives here: the record ids that a text cites, the text as
it is compared, and what an echo becomes. Lives elsewhere: where texts come in (services.writing, core.generations).

An agent that stores what it has read would be evidence for itself. What it brings back is at most its claim, and rests
on the records that it came from: it falls with them and is never believed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Container
from dataclasses import dataclass, field
from hashlib import blake2b

INFORMANT = "echo"
CITED_AT_MOST = 100  # of one text; more would make one justification of more antecedents than anybody reads
DELIVERED_AT_MOST = 10_000  # texts that one open memory remembers to have shown

_RECORD_ID = re.compile(r"\br-[0-9a-f]{20}\b")


def cited(text: str) -> tuple[str, ...]:
    """The record ids that stand in a text, in order, each once."""
    return tuple(dict.fromkeys(_RECORD_ID.findall(text)))[:CITED_AT_MOST]


def echoed(text: str, known: Container[str]) -> tuple[str, ...]:
    """The known records that a text cites, in order of id: what it is an echo of."""
    return tuple(sorted(name for name in cited(text) if name in known))


def compared(text: str) -> str:
    """A text without what a copy on its way may lose: case and the length of gaps."""
    return " ".join(text.casefold().split())


def _shown(text: str) -> bytes:
    return blake2b(compared(text).encode("utf-8", "surrogatepass"), digest_size=16).digest()


@dataclass(slots=True)
class Delivered:
    """The texts that an open memory has shown, as digests, each with the record that says it; the oldest are forgotten
    first."""

    records: dict[bytes, str] = field(default_factory=dict)

    def note(self, record: str, text: str) -> None:
        self.records.pop(said := _shown(text), None)
        self.records[said] = record
        if len(self.records) > DELIVERED_AT_MOST:
            del self.records[next(iter(self.records))]

    def forget(self, records: Collection[str]) -> None:
        """Drop the texts of some records."""
        self.records = {said: record for said, record in self.records.items() if record not in records}

    def source_of(self, text: str) -> tuple[str, ...]:
        """The record whose text was shown and is said here, or none."""
        found = self.records.get(_shown(text))
        return (found,) if found else ()
