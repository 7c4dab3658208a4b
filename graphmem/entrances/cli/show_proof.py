"""The words that people read about a proof. Lives here: why and why-not as trees. Lives elsewhere: proofs
(core.explain)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from graphmem.core.explain import Step, WhyNot, steps
from graphmem.core.views import Held
from graphmem.entrances.cli import show
from graphmem.entrances.cli.blocks import Block, Line, Part, Tree, first_line, line
from graphmem.services.explaining import Why, WhyNotValue


def why(found: Why) -> Iterator[Block]:
    """The proof of a record, or why it is OUT."""
    if found.proof is not None:
        yield proof(found.proof, found.records)
    if found.refutation is not None:
        yield refutation(found.refutation, found.records)
    if found.sources:
        count = len(found.sources)
        yield line(f"rests on {count} source{'s' if count > 1 else ''}: {first_line(', '.join(found.sources))}")
    for place, names in enumerate(found.alternatives, 1):
        yield line(Part(f"premises {place}: ", "head"), *(p for n in names for p in (show.short(n), Part(" "))))
    if found.partial:
        yield _partial()


def _partial() -> Line:
    return line(Part("partial", "warn"), ": there is more; raise --limit, --depth or --alternatives to see it")


def proof(root: Step, records: Mapping[str, Held]) -> Tree:
    """A proof as a tree: a record, then the justification that holds it, then what that rests on."""
    rows: list[tuple[int, Line]] = []
    for depth, step in steps(root):
        held = records.get(step.record)
        rows.append((2 * depth, _stated(show.level_word(step.level), step.record, held, _resting(step))))
        if step.justification is not None and not step.repeated:
            rows.append((2 * depth + 1, _because(step.justification.id, step.justification.informant)))
    return Tree(tuple(rows))


def _resting(step: Step) -> str:
    if step.repeated:
        return " (shown above)"
    if step.cut:
        return f" (rank {step.rank}; more lies above)"
    return " (premise)" if step.justification is None else f" (rank {step.rank})"


def _stated(word: Part, name: str, held: Held | None, aside: str) -> Line:
    role = f" {held.record.role.value}" if held else ""
    text = f": {first_line(held.record.text)}" if held else ""
    return line(show.short(name), f"{role} ", word, Part(aside, "dim"), text)


def _because(justification: str, informant: str) -> Line:
    return line(Part("because ", "dim"), show.short(justification), Part(f" by {informant}", "dim"))


class _Row(NamedTuple):
    depth: int
    told: Line
    below: tuple[WhyNot, ...] = ()


def refutation(root: WhyNot, records: Mapping[str, Held]) -> Tree:
    """Reasons for OUT as a tree: a record, each justification that fails, and the antecedents that fail it."""
    rows: list[tuple[int, Line]] = []
    pending: list[tuple[int, WhyNot | _Row]] = [(0, root)]
    while pending:
        depth, entry = pending.pop()
        if isinstance(entry, _Row):
            rows.append((depth, entry.told))
            pending += [(depth + 1, w) for w in reversed(entry.below)]
            continue
        rows.append((depth, _stated(Part("OUT", "bad"), entry.record, records.get(entry.record), _reason(entry))))
        for failure in reversed(entry.failures):
            told = line(*_because(failure.justification, failure.informant).parts, Part(", which fails", "dim"))
            pending.append((depth + 1, _Row(depth + 1, told, failure.failing)))
    return Tree(tuple(rows))


def _reason(found: WhyNot) -> str:
    detail = f" {found.detail}" if found.detail else ""
    return f" ({found.reason}{detail}{', shown above' if found.repeated else ''})"


def why_not_value(found: WhyNotValue) -> Iterator[Block]:
    """What keeps a value from being believed."""
    winner = found.belief.winner
    if winner is not None and winner.record.value == found.value:
        yield line(Part(f"{found.key} = {found.value}", "head"), " is believed")
    else:
        yield line(Part(f"{found.key} = {found.value}", "head"), Part(" is not believed", "bad"))
        yield from show.belief(found.belief)
    if not found.losers:
        yield line(Part("no other record says it", "dim"))
    for loser in found.losers:
        held = found.records.get(loser.record)
        if loser.refutation is not None:
            yield refutation(loser.refutation, found.records)
        else:
            yield _stated(Part("not believed", "bad"), loser.record, held, f" ({loser.reason})")
    if found.partial:
        yield _partial()
