"""Why a record holds, and why one doesn't. Lives here: pure readings of a proof network at one instant. Lives
elsewhere: fetching the network (the store), showing it (entrances)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from graphmem.core.intervals import contains
from graphmem.core.labels import PREMISE, Segment, level_at, segment_at
from graphmem.core.records import BlockKind, Justification, Mode
from graphmem.core.views import Held, Proof

K = TypeVar("K")
V = TypeVar("V")
# What opening a part of a tree gives: the parts below it, and how to finish it from theirs.
Opened = tuple[list[K], Callable[[list[V]], V]]

# Reasons for OUT in the order in which the first that applies is given.
OUT_REASONS = (
    "deleted",
    "rejected",
    "quarantined",
    "withdrawn",
    "corrected-by",
    "not-valid-at",
    "cascade",
    "only-circular",
    "never-supported",
)


@dataclass(frozen=True, slots=True)
class Step:
    """One record of a proof with what it rests on; `repeated` says that its own proof is shown elsewhere in the
    tree, `cut` that it would lie deeper than was asked for."""

    record: str
    level: int
    rank: int
    justification: Justification | None
    antecedents: tuple[Step, ...]
    repeated: bool = False
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Failure:
    """One justification that doesn't hold, with the antecedents that fail it."""

    justification: str
    informant: str
    failing: tuple[WhyNot, ...]


@dataclass(frozen=True, slots=True)
class WhyNot:
    """The first reason that applies for a record's being OUT; `detail` names the receipt, person, record or instant."""

    record: str
    reason: str
    detail: str
    failures: tuple[Failure, ...] = ()
    repeated: bool = False


def prove(proof: Proof, record: str, at: int, depth: int | None = None) -> Step | None:
    """One proof of a record at an instant, down to premises; None when it is OUT. Shared parts are given once. What
    lies more than `depth` justifications away is cut off, and the step above it says so."""
    held = proof.records.get(record)
    segment = segment_at(held.label, at) if held else None
    return None if segment is None else _prove(proof, (record, at, segment, 0), depth)


# A record at an instant, the stretch of its label there, and how many justifications lead to it.
Place = tuple[str, int, Segment, int]


def _prove(proof: Proof, root: Place, limit: int | None) -> Step:
    shown: set[tuple[str, int]] = set()

    def open_up(item: Place) -> Opened[Place, Step]:
        name, when, found, depth = item
        link = None if found.support == PREMISE else proof.justifications.get(str(found.support))
        repeated = link is not None and (name, when) in shown
        cut = link is not None and not repeated and depth == limit
        below: list[Place] = []
        if link is not None and not repeated and not cut:
            shown.add((name, when))
            grounds = ((a, _ground(proof.records.get(a), when, link.mode)) for a in link.antecedents)
            timeless = link.mode is Mode.TIMELESS
            below = [(a, g.start if timeless else when, g, depth + 1) for a, g in grounds if g is not None]
        return below, lambda steps: Step(name, found.level, found.rank, link, tuple(steps), repeated, cut)

    return _grow(root, open_up)


def steps(root: Step) -> Iterator[tuple[int, Step]]:
    """The steps of a proof with their depth, each before what it rests on."""
    pending = [(0, root)]
    while pending:
        depth, step = pending.pop()
        yield depth, step
        pending += [(depth + 1, s) for s in reversed(step.antecedents)]


def _grow(root: K, open_up: Callable[[K], Opened[K, V]]) -> V:
    """The tree below a root, its parts opened in order and finished from the leaves up, however deep it is."""
    done: list[V] = []
    frames: list[tuple[list[V], list[V], Iterator[K], Callable[[list[V]], V]]] = [(done, [], iter([root]), _only)]
    while frames:
        parent, mine, keys, finish = frames[-1]
        key = next(keys, None)
        if key is None:
            frames.pop()
            parent.append(finish(mine))
        else:
            below, make = open_up(key)
            frames.append((mine, [], iter(below), make))
    return done[0]


def _only(parts: list[V]) -> V:
    return parts[0]


def _ground(held: Held | None, at: int, mode: Mode) -> Segment | None:
    """The segment that a conclusion rests on: the one at the instant, or for a timeless conclusion the firmest."""
    if held is None:
        return None
    if mode is Mode.INTERSECT:
        return segment_at(held.label, at)
    return min(held.label, key=lambda s: (-s.level, s.rank), default=None)


def refute(proof: Proof, record: str, at: int, show_time: Mapping[int, str] | None = None) -> WhyNot | None:
    """Why a record is OUT at an instant, to the frontier of what really failed; None when it is IN (or unknown)."""
    held = proof.records.get(record)
    if held is None or level_at(held.label, at):
        return None
    when = (show_time or {}).get(at, str(at))
    reason = "only-circular" if _circular(proof, record, at) else "cascade"
    shown: set[str] = set()

    def open_up(name: str) -> Opened[str, WhyNot]:
        own = _own_reason(proof.records[name], at)
        links = _links_to(proof, name)
        if own is not None or not links:
            kind, detail = own or ("never-supported", "")
            return [], lambda _: WhyNot(name, kind, when if kind == "not-valid-at" else detail)
        if name in shown:
            return [], lambda _: WhyNot(name, reason, "", repeated=True)
        shown.add(name)
        failing = [_failing(proof, link, at) for link in links]
        return [a for below in failing for a in below], lambda parts: WhyNot(
            name, reason, "", tuple(_failures(links, failing, parts))
        )

    return _grow(record, open_up)


def _failures(links: list[Justification], failing: list[list[str]], parts: list[WhyNot]) -> Iterator[Failure]:
    """Each justification with its share of the parts, which stand in the order of the antecedents."""
    rest = iter(parts)
    for link, below in zip(links, failing, strict=True):
        yield Failure(link.id, link.informant, tuple(islice(rest, len(below))))


def _own_reason(held: Held, at: int) -> tuple[str, str] | None:
    """The reason that lies in the record itself, not in what it rests on."""
    block = held.block
    if block and block.kind is not BlockKind.CORRECTED:
        return block.kind.value, block.by
    if not held.live and held.withdrawn:
        return "withdrawn", held.withdrawn[-1][0].provenance.locator
    if block:
        return "corrected-by", block.by
    if held.live or not contains(held.record.own, at):
        return "not-valid-at", ""
    return None


def _links_to(proof: Proof, record: str) -> list[Justification]:
    return sorted((j for j in proof.justifications.values() if j.consequent == record), key=lambda j: j.id)


def _failing(proof: Proof, link: Justification, at: int) -> list[str]:
    """Antecedents that don't hold at the instant (or, for a timeless link, that never hold)."""
    known = [a for a in link.antecedents if a in proof.records]
    if link.mode is Mode.TIMELESS:
        return [a for a in known if not proof.records[a].label]
    return [a for a in known if not level_at(proof.records[a].label, at)]


def _circular(proof: Proof, record: str, at: int) -> bool:
    """Whether everything that fails under a record fails for want of itself and nothing else."""
    pending, seen = [record], {record}
    while pending:
        links = _links_to(proof, current := pending.pop())
        if _own_reason(proof.records[current], at) is not None or not links:
            return False
        failing = {a for link in links for a in _failing(proof, link, at)} - seen
        seen |= failing
        pending += sorted(failing)
    return True
