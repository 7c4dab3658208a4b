"""The smallest sets of premises that hold a record up. Lives here: their enumeration, exact and bounded. Lives
elsewhere: the one proof that is kept (core.explain).

A set of premises either yields the record or doesn't, and more premises never yield less. So a minimal set is what is
left when nothing more can be taken away, and the others are found by leaving out, in turn, each member of those found.
Source: R. Reiter, "A Theory of Diagnosis from First Principles" (1987), the tree of hitting sets.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from graphmem.core.intervals import contains
from graphmem.core.labels import Level
from graphmem.core.records import PREMISE_LEVEL, Mode
from graphmem.core.views import Held, Proof

TRIES = 20_000  # derivations of one enumeration

# A record at an instant; or, with None, a record at any instant.
Node = tuple[str, int | None]


@dataclass(frozen=True, slots=True)
class PremiseSets:
    """Minimal sets, each sorted, smallest first and then by id; `partial` when there may be more."""

    sets: tuple[tuple[str, ...], ...]
    partial: bool


def premise_sets(proof: Proof, record: str, at: int, limit: int, tries: int = TRIES) -> PremiseSets:
    """At most `limit` minimal sets of premises from which the record holds at the instant."""
    rules = _Rules(proof, at)
    found: dict[frozenset[str], None] = {}
    pending: deque[frozenset[str]] = deque([frozenset()])
    seen = {frozenset[str]()}
    while pending and rules.tries < tries:
        left_out = pending.popleft()
        known = next((s for s in found if s.isdisjoint(left_out)), None)
        minimal = known or rules.minimal((record, at), left_out)
        if minimal is None:
            continue
        if known is None and len(found) == limit:
            return PremiseSets(_in_order(found), True)
        found.setdefault(minimal)
        further = (left_out | {name} for name in sorted(minimal))
        fresh = [f for f in further if f not in seen]
        seen.update(fresh)
        pending.extend(fresh)
    return PremiseSets(_in_order(found), bool(pending) or proof.truncated)


def _in_order(sets: Iterable[frozenset[str]]) -> tuple[tuple[str, ...], ...]:
    return tuple(sorted((tuple(sorted(s)) for s in sets), key=lambda s: (len(s), s)))


class _Rules:
    """A proof's network at every instant that matters, as rules from bodies to heads; it counts what it derives."""

    def __init__(self, proof: Proof, at: int) -> None:
        timeless = any(j.mode is Mode.TIMELESS for j in proof.justifications.values())
        bounds = {t for h in proof.records.values() for own in h.record.own for t in own} if timeless else set()
        self.tries = 0
        self._instants = sorted({at, *bounds})
        self._held = {name: h for name, h in proof.records.items() if h.block is None}
        self._premises = sorted(n for n, h in self._held.items() if h.live and PREMISE_LEVEL[h.record.role] > Level.OUT)
        self._rules = [*self._links(proof), *(self._evers() if timeless else ())]
        self._uses: dict[Node, list[int]] = {}
        for place, (_, body) in enumerate(self._rules):
            for node in body:
                self._uses.setdefault(node, []).append(place)

    def _times(self, held: Held) -> Iterator[int]:
        return (t for t in self._instants if contains(held.record.own, t))

    def _links(self, proof: Proof) -> Iterator[tuple[Node, tuple[Node, ...]]]:
        for _, link in sorted(proof.justifications.items()):
            if link.consequent in self._held:
                for t in self._times(self._held[link.consequent]):
                    when = None if link.mode is Mode.TIMELESS else t
                    yield (link.consequent, t), tuple((a, when) for a in link.antecedents)

    def _evers(self) -> Iterator[tuple[Node, tuple[Node, ...]]]:
        for name, held in sorted(self._held.items()):
            yield from (((name, None), ((name, t),)) for t in self._times(held))

    def minimal(self, goal: Node, left_out: Collection[str]) -> frozenset[str] | None:
        """A minimal set without some premises, by taking away what isn't needed; None when there is no set."""
        needed = self._yielding(goal, [p for p in self._premises if p not in left_out])
        for name in sorted(needed or ()):
            if needed is not None and name in needed:
                needed = self._yielding(goal, sorted(needed - {name})) or needed
        return needed

    def _yielding(self, goal: Node, premises: Iterable[str]) -> frozenset[str] | None:
        """The premises that one derivation of the goal uses; None when it can't be derived."""
        self.tries += 1
        causes: dict[Node, tuple[Node, ...]] = {(p, t): () for p in premises for t in self._times(self._held[p])}
        waiting = [len(body) for _, body in self._rules]
        pending = deque(causes)
        while pending and goal not in causes:
            for place in self._uses.get(pending.popleft(), ()):
                waiting[place] -= 1
                head, body = self._rules[place]
                if not waiting[place] and head not in causes:
                    causes[head] = body
                    pending.append(head)
        return _grounds(causes, goal) if goal in causes else None


def _grounds(causes: dict[Node, tuple[Node, ...]], goal: Node) -> frozenset[str]:
    """The premises at the end of a derivation."""
    grounds, pending, seen = set(), [goal], {goal}
    while pending:
        node = pending.pop()
        if not causes[node]:
            grounds.add(node[0])
        pending += [n for n in causes[node] if n not in seen]
        seen.update(causes[node])
    return frozenset(grounds)
