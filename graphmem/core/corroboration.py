"""On how many sources a record rests. Lives here: the root sources in a proof network at one instant. Lives elsewhere:
one proof of the record (explain), fetching the network (the store).

What counts is who said it first, not how often it was said again: ten summaries of one document rest on that document.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from graphmem.core.labels import level_at
from graphmem.core.provenance import CONFIRMATION
from graphmem.core.records import GROUNDING, Justification, Mode
from graphmem.core.views import Held, Proof


def root_sources(proof: Proof, record: str, at: int) -> tuple[str, ...]:
    """The distinct locators that assert a source or an observation on which the record rests at an instant, by any
    justification that holds then, sorted. What a timeless justification rests on may have ended before."""
    links: defaultdict[str, list[Justification]] = defaultdict(list)
    for link in proof.justifications.values():
        links[link.consequent].append(link)
    found: set[str] = set()
    pending, seen = [(record, False)], {(record, False)}
    while pending:
        name, once = pending.pop()
        held = proof.records.get(name)
        if held is None or not _holds(held, at, once):
            continue
        found.update(_said_by(held))
        for link in links[name]:
            before = once or link.mode is Mode.TIMELESS
            if all(_holds(proof.records.get(a), at, before) for a in link.antecedents):
                new = {(a, before) for a in link.antecedents} - seen
                seen |= new
                pending += sorted(new)
    return tuple(sorted(found))


def _said_by(held: Held) -> Iterator[str]:
    if held.record.role in GROUNDING:
        yield from (a.provenance.locator for a in held.live if a.provenance.source_kind != CONFIRMATION)


def _holds(held: Held | None, at: int, once: bool) -> bool:
    """Whether a record holds at an instant, or held at any."""
    return held is not None and bool(held.label if once else level_at(held.label, at))
