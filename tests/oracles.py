"""From-scratch answers that the incremental code is held against. Lives here: the naive least fixpoint over intervals
and clingo's least model at one instant. Neither shares code with graphmem beyond the interval arithmetic."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import clingo

from graphmem.core.intervals import ALWAYS, NEVER, Intervals, contains, intersect, normalise

GROUNDING = 2


@dataclass
class Facts:
    """A network as plain facts: what an operation script leaves behind."""

    own: dict[str, Intervals] = field(default_factory=dict)
    premise: dict[str, int] = field(default_factory=dict)
    blocked: set[str] = field(default_factory=set)
    links: dict[str, tuple[str, tuple[str, ...], bool]] = field(default_factory=dict)


def naive(facts: Facts, level: int) -> dict[str, Intervals]:
    """The least fixpoint in which premises of at least that level count, by plain iteration from nothing."""
    holds: dict[str, Intervals] = dict.fromkeys(facts.own, NEVER)
    while True:
        after = {r: _once(facts, holds, r, level) for r in facts.own}
        if after == holds:
            return holds
        holds = after


def _once(facts: Facts, holds: Mapping[str, Intervals], record: str, level: int) -> Intervals:
    if record in facts.blocked:
        return NEVER
    given: list[tuple[int, int]] = []
    if facts.premise.get(record, 0) >= level:
        given += ALWAYS
    for consequent, antecedents, timeless in facts.links.values():
        if consequent == record:
            given += _given(holds, antecedents, timeless)
    return intersect(facts.own[record], normalise(given))


def _given(holds: Mapping[str, Intervals], antecedents: Iterable[str], timeless: bool) -> Intervals:
    parts = [holds.get(a, NEVER) for a in antecedents]
    if timeless:
        return ALWAYS if all(parts) else NEVER
    common = ALWAYS
    for part in parts:
        common = intersect(common, part)
    return common


def least_model(facts: Facts, instant: int, level: int) -> set[str]:
    """Records that hold at an instant, by clingo; every link must be of mode intersect."""
    program = []
    names = {r: f"r{i}" for i, r in enumerate(sorted(facts.own))}
    for record, name in names.items():
        usable = record not in facts.blocked and contains(facts.own[record], instant)
        if usable and facts.premise.get(record, 0) >= level:
            program.append(f"in({name}).")
        for consequent, antecedents, _ in facts.links.values():
            if consequent == record and usable and all(a in names for a in antecedents):
                body = ", ".join(f"in({names[a]})" for a in antecedents)
                program.append(f"in({name}) :- {body}.")
    control = clingo.Control(["--warn=none"])
    control.add("base", [], "\n".join(program))
    control.ground([("base", [])])
    back = {name: record for record, name in names.items()}
    model: set[str] = set()
    control.solve(on_model=lambda m: model.update(back[str(a.arguments[0])] for a in m.symbols(atoms=True)))
    return model
