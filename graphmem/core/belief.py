"""The belief rule: which record answers for a key at an instant. Lives here: the rule alone. Lives elsewhere: finding
the candidates (the store's query filters by tenant, policy, label and both clocks) and authority (configuration)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from graphmem.core.records import BELIEVABLE, Key, Record

# The parts of a candidate's order, as people read them.
COMPONENTS = ("authority", "observed_at", "commit", "id")


class Voice(NamedTuple):
    """One live assertion of a record: its source's locator and kind, and the authority and time it was made with."""

    locator: str
    kind: str
    authority: int
    observed_at: int


@dataclass(frozen=True, slots=True)
class Candidate:
    """A grounded record for the key, with the strongest live assertion's authority and clock, and its commit. `voices`
    are all of its live assertions; a record that was only concluded has none and speaks for itself."""

    record: Record
    authority: int
    observed_at: int
    commit: int
    justification: str = ""
    voices: tuple[Voice, ...] = ()

    @property
    def order(self) -> tuple[int, int, int, str]:
        return (self.authority, self.observed_at, self.commit, self.record.id)

    @property
    def said(self) -> str:
        """What it says of its key: its value, or its text where it has none."""
        return _said(self.record)


def candidate(record: Record, voices: Iterable[Voice], commit: int, justification: str) -> Candidate:
    """A candidate that speaks with its strongest voice, as it was written."""
    heard = tuple(sorted(voices))
    own = (record.authority, record.observed_at)
    authority, seen = max(((v.authority, v.observed_at) for v in heard), default=own)
    return Candidate(record, authority, seen, commit, justification, heard)


def decisive(winner: Candidate, other: Candidate) -> str:
    """The component in which two candidates differ first: the one that decides between them."""
    pairs = zip(COMPONENTS, winner.order, other.order, strict=True)
    return next(part for part, mine, theirs in pairs if mine != theirs)


@dataclass(frozen=True, slots=True)
class Belief:
    """The winner for a key and the candidates with another value, strongest first; no winner means the default.

    `is_default` says that `value` is the key's declared default, not anything observed.
    """

    key: Key
    winner: Candidate | None
    contested: tuple[Candidate, ...]
    value: str | None
    is_default: bool = False


def believe(key: Key, candidates: Iterable[Candidate], default: str | None = None) -> Belief:
    """Pick the greatest (authority, observed_at, commit, id) among candidates of a believable role."""
    ranked = sorted((c for c in candidates if c.record.role in BELIEVABLE), key=lambda c: c.order, reverse=True)
    if not ranked:
        return Belief(key, None, (), default, default is not None)
    winner = ranked[0]
    contested = tuple(c for c in ranked[1:] if c.said != winner.said)
    return Belief(key, winner, contested, winner.record.value)


def others(record: Record, candidates: Iterable[Candidate]) -> tuple[str, ...]:
    """The ids of the candidates that say something else than a record, strongest first."""
    said = _said(record)
    ranked = sorted(candidates, key=lambda c: c.order, reverse=True)
    return tuple(c.record.id for c in ranked if c.said != said)


def _said(record: Record) -> str:
    return record.value if record.value is not None else record.text
