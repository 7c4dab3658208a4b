"""The belief rule: which record answers for a key at an instant. Lives here: the rule alone. Lives elsewhere: finding
the candidates (the store's query filters by tenant, policy, label and both clocks) and authority (configuration)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from graphmem.core.records import BELIEVABLE, Key, Record


@dataclass(frozen=True, slots=True)
class Candidate:
    """A grounded record for the key, with the strongest live assertion's authority and clock, and its commit."""

    record: Record
    authority: int
    observed_at: int
    commit: int
    justification: str = ""

    @property
    def order(self) -> tuple[int, int, int, str]:
        return (self.authority, self.observed_at, self.commit, self.record.id)


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
    said = _said(winner.record)
    contested = tuple(c for c in ranked[1:] if _said(c.record) != said)
    return Belief(key, winner, contested, winner.record.value)


def others(record: Record, candidates: Iterable[Candidate]) -> tuple[str, ...]:
    """The ids of the candidates that say something else than a record, strongest first."""
    ranked = sorted(candidates, key=lambda c: c.order, reverse=True)
    return tuple(c.record.id for c in ranked if _said(c.record) != _said(record))


def _said(record: Record) -> str:
    return record.value if record.value is not None else record.text
