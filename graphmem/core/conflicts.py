"""The conflict queue's rules. Lives here: when candidates of a key are in conflict, what settles a conflict, and when a
claim is to be verified. Lives elsewhere: the order of candidates (core.belief), their authority (core.authority),
finding the keys (the store)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from graphmem.core.belief import Belief, Candidate, decisive
from graphmem.core.intervals import ALWAYS, Intervals, contains, intersect
from graphmem.core.provenance import RESOLUTION
from graphmem.core.records import Key


class Overlap(StrEnum):
    """Where the sides meet: on one key, or on a scope and everywhere."""

    KEY = "key"
    SCOPE = "scope"


@dataclass(frozen=True, slots=True)
class Dispute:
    """The candidates of a key that disagree, strongest first, the one that the key answers with at the front.

    `settled_by` is "authority" or "resolution", or nothing: then authority failed to decide and the conflict is open,
    and `component` only says what the answer of now rests on.
    """

    key: Key
    overlap: Overlap
    sides: tuple[Candidate, ...]
    settled_by: str
    component: str


@dataclass(frozen=True, slots=True)
class Task:
    """A claim that waits to be verified, and what is believed of its key instead."""

    claim: Candidate
    belief: Belief


def everywhere(key: Key) -> Key:
    """The same entity and attribute without a scope."""
    return replace(key, scope="")


def judge(key: Key, own: Iterable[Candidate], wider: Iterable[Candidate]) -> Dispute | None:
    """The conflict among a key's own candidates, or between its answer and what is said everywhere; None without one.

    A person's decision settles it against all that it isn't weaker than in authority and time; otherwise a greater
    authority does. What is said everywhere never answers for a scope, so its greater authority settles nothing.
    """
    ranked = sorted(own, key=lambda c: c.order, reverse=True)
    if not ranked:
        return None
    winner = ranked[0]
    rivals = [c for c in ranked if c.said != winner.said]
    outside = sorted((c for c in wider if c.said != winner.said), key=lambda c: c.order, reverse=True)
    if not rivals and not outside:
        return None
    strongest = max([*rivals, *outside], key=lambda c: c.order)
    decided = any(v.kind == RESOLUTION for v in winner.voices)
    higher = winner.authority > strongest.authority
    settled = RESOLUTION if decided and winner.order > strongest.order else "authority" if higher else ""
    overlap = Overlap.KEY if rivals else Overlap.SCOPE
    return Dispute(key, overlap, (*ranked, *outside), settled, decisive(winner, strongest))


def common_time(sides: Iterable[Candidate], at: int) -> Intervals:
    """The stretch around an instant in which all sides hold, by what they claim."""
    shared = ALWAYS
    for side in sides:
        shared = intersect(shared, side.record.own)
    return tuple(part for part in shared if contains((part,), at))


def to_verify(claims: Iterable[Candidate], belief: Belief) -> tuple[Task, ...]:
    """The claims on a key that say something else than what is believed, by id; a default verifies nothing."""
    said = belief.winner.said if belief.winner else None
    ordered = sorted(claims, key=lambda c: c.record.id)
    return tuple(Task(claim, belief) for claim in ordered if claim.said != said)
