"""The schema of a graph database as people look after it. Lives here: the protocol, and what is told of a database that
isn't as declared. Lives elsewhere: the declaration and the looking (adapters), the words (entrances)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class State(StrEnum):
    """How something in a database departs from the declaration. What is extra does no harm."""

    MISSING = "missing"
    DIFFERENT = "different"
    EXTRA = "extra"


@dataclass(frozen=True, slots=True)
class Deviation:
    """One departure: of a constraint, an index or a property (kind); `declared` is empty for what is extra, `found` for
    what is missing."""

    state: State
    kind: str
    name: str
    declared: str = ""
    found: str = ""


@dataclass(frozen=True, slots=True)
class SchemaReport:
    """A database against the declaration: deviations by state and name. `version` is None where no memory is yet;
    `partial` says that only the first nodes of a label, or the first edges, were looked at for their properties."""

    location: str
    version: int | None
    deviations: tuple[Deviation, ...]
    partial: bool

    @property
    def equal(self) -> bool:
        """Whether everything declared is there as declared."""
        return all(d.state is State.EXTRA for d in self.deviations)


class GraphSchema(Protocol):
    """The schema of one database. Every method raises StoreUnavailable when it can't be reached."""

    def report(self) -> SchemaReport:
        """Compare the database with the declaration; changes nothing."""
        ...

    def install(self) -> tuple[str, ...]:
        """Make the constraints and indexes that are missing, wait until they answer, and name them; what is different
        or extra stays as it is. Installing again does nothing.

        Raises CorruptStore for the memory of a newer graphmem.
        """
        ...

    def close(self) -> None:
        """Let the connection go; closing again does nothing."""
        ...
