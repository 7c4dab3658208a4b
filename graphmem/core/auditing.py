"""What an audit asks for and answers, and what changed between two known times. Lives here: the values, the order of
an audit's entries, and how a label moved. Lives elsewhere: the stores that read them, their use (services.auditing)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from graphmem.core.errors import InvalidInput
from graphmem.core.labels import Label, level_at, shape
from graphmem.core.provenance import Provenance
from graphmem.core.records import Key

REACH = 100_000  # records that are followed down from what an audit finds
MARK = "/"  # between the two parts of a place; ids don't hold it


@dataclass(frozen=True, slots=True)
class Sought:
    """What an audit asks for: the beginning of a source's locator, a subject, a writer, and the commits after `since`.
    Empty texts ask for all. The view's known time is the last commit."""

    source: str = ""
    subject: str = ""
    writer: str = ""
    since: int = 0

    def admits(self, found: Provenance) -> bool:
        """Whether something with that provenance is asked for."""
        return (
            found.locator.startswith(self.source)
            and self.subject in ("", found.subject)
            and self.writer in ("", found.writer)
        )


class Place(NamedTuple):
    """Where an entry stands: by commit, then by id."""

    commit: int = 0
    id: str = ""

    def __str__(self) -> str:
        return f"{self.commit}{MARK}{self.id}"


def parse_place(text: str) -> Place:
    """The place that a page ended at. Raises InvalidInput for what no page gave."""
    commit, mark, name = text.partition(MARK)
    if not text:
        return Place()
    if not (mark and name and commit.isascii() and commit.isdigit()):
        raise InvalidInput(f"no page ended at {text[:60]!r}", hint="give what the page before gave as next")
    return Place(int(commit), name)


@dataclass(frozen=True, slots=True)
class Entry:
    """One assertion, justification or edge that was brought in: by which commit, when (microseconds), whence. `ended`
    is the commit that withdrew it, 0 for none. `names` are the record asserted; the consequent and its antecedents; or
    the two ends of an edge."""

    kind: str
    id: str
    commit: int
    at: int
    ended: int
    names: tuple[str, ...]
    provenance: Provenance
    detail: str = ""

    @property
    def place(self) -> Place:
        return Place(self.commit, self.id)


@dataclass(frozen=True, slots=True)
class Audited:
    """Counts of all that was asked for (record, assertion, justification, edge, and resting: the records whose support
    at the view's valid time reaches one of those), and a page of entries in order of place. `reach_cut` says that more
    than REACH records rest on them."""

    counts: Mapping[str, int]
    entries: tuple[Entry, ...]
    more: bool
    reach_cut: bool = False


class Moved(NamedTuple):
    """A record whose label or assertions changed between two known times, with its label at each."""

    record: str
    key: Key | None
    before: Label
    after: Label

    def way(self, at: int) -> str:
        """fell or rose at an instant; shifted when only other valid times changed; restated when no level did."""
        gain = level_at(self.after, at) - level_at(self.before, at)
        if gain:
            return "rose" if gain > 0 else "fell"
        return "restated" if shape(self.before) == shape(self.after) else "shifted"
