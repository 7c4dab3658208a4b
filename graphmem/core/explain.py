"""Why a record holds, and why one doesn't. Lives here: pure readings of a proof network at one instant. Lives
elsewhere: fetching the network (the store), showing it (entrances)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from graphmem.core.intervals import contains
from graphmem.core.labels import PREMISE, Segment, level_at, segment_at
from graphmem.core.records import BlockKind, Justification, Mode
from graphmem.core.views import Held, Proof

# Reasons for OUT in the order in which the first that applies is given.
OUT_REASONS = (
    "deleted",
    "rejected",
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
    tree."""

    record: str
    level: int
    rank: int
    justification: Justification | None
    antecedents: tuple[Step, ...]
    repeated: bool = False


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


def prove(proof: Proof, record: str, at: int) -> Step | None:
    """One proof of a record at an instant, down to premises; None when it is OUT. Shared parts are given once."""
    held = proof.records.get(record)
    segment = segment_at(held.label, at) if held else None
    return None if segment is None else _prove(proof, record, at, segment, set())


def _prove(proof: Proof, record: str, at: int, segment: Segment, shown: set[str]) -> Step:
    link = proof.justifications.get(str(segment.support))
    if segment.support == PREMISE or link is None:
        return Step(record, segment.level, segment.rank, None, ())
    if record in shown:
        return Step(record, segment.level, segment.rank, link, (), repeated=True)
    shown.add(record)
    below = []
    for antecedent in link.antecedents:
        held = proof.records.get(antecedent)
        found = _ground(held, at, link.mode) if held else None
        if found is not None:
            below.append(_prove(proof, antecedent, at, found, shown))
    return Step(record, segment.level, segment.rank, link, tuple(below))


def _ground(held: Held, at: int, mode: Mode) -> Segment | None:
    """The segment that a conclusion rests on: the one at the instant, or for a timeless conclusion the firmest."""
    if mode is Mode.INTERSECT:
        return segment_at(held.label, at)
    return min(held.label, key=lambda s: (-s.level, s.rank), default=None)


def refute(proof: Proof, record: str, at: int, show_time: Mapping[int, str] | None = None) -> WhyNot | None:
    """Why a record is OUT at an instant, to the frontier of what really failed; None when it is IN (or unknown)."""
    held = proof.records.get(record)
    if held is None or level_at(held.label, at):
        return None
    circular = _circular(proof, record, at)
    return _refute(proof, record, at, (show_time or {}).get(at, str(at)), circular, set())


def _refute(proof: Proof, record: str, at: int, when: str, circular: bool, shown: set[str]) -> WhyNot:
    held = proof.records[record]
    own = _own_reason(held, at)
    if own is not None:
        reason, detail = own
        return WhyNot(record, reason, when if reason == "not-valid-at" else detail)
    links = _links_to(proof, record)
    if not links:
        return WhyNot(record, "never-supported", "")
    reason = "only-circular" if circular else "cascade"
    if record in shown:
        return WhyNot(record, reason, "", repeated=True)
    shown.add(record)
    failures = tuple(
        Failure(
            link.id,
            link.informant,
            tuple(_refute(proof, a, at, when, circular, shown) for a in _failing(proof, link, at)),
        )
        for link in links
    )
    return WhyNot(record, reason, "", failures)


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
