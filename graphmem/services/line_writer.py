"""Writing the JSON lines of export. Lives here: each fact as a line. Lives elsewhere: reading them back
(services.lines), the format's documentation and JSON Schema (docs/reference)."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from graphmem.core.envelope import intervals_json, provenance_json, record_json
from graphmem.core.erasure import is_tombstone
from graphmem.core.records import GENERATION_OPEN, Edge, Entity, Record, Site, Tombstone
from graphmem.core.times import format_time
from graphmem.core.views import Fact, Generation, Held, LinkState


def line_of(fact: Fact) -> dict[str, Any]:
    """A fact as one JSON-ready line."""
    match fact:
        case Held():
            return _record_line(fact)
        case LinkState(justification=j, live=live):
            return {
                "type": "justification",
                "id": j.id,
                "consequent": j.consequent,
                "antecedents": list(j.antecedents),
                "informant": j.informant,
                "mode": j.mode.value,
                "live": live,
                "provenance": provenance_json(j.provenance),
            }
        case Entity():
            return {
                "type": "entity",
                "id": fact.id,
                "kind": fact.kind,
                "name": fact.name,
                "symbol": fact.symbol,
                "qualified_name": fact.qualified_name,
                "repository": fact.repository,
                "aliases": list(fact.aliases),
            }
        case Edge():
            return {
                "type": "edge",
                "id": fact.id,
                "edge": fact.type,
                "source": fact.source,
                "target": fact.target,
                "evidence": [list(place) for place in fact.evidence],
                "level": fact.level,
                "provenance": provenance_json(fact.provenance),
            } | _life(fact)
        case Site():
            return {
                "type": "site",
                "id": fact.id,
                "source": fact.source,
                "callee": fact.callee,
                "reason": fact.reason,
                "locator": fact.locator,
                "line": fact.line,
                "identity": fact.identity,
            } | _life(fact)
        case Generation():
            return {
                "type": "generation",
                "repository": fact.repository,
                "ordinal": fact.ordinal,
                "revision": fact.revision,
                "begins": format_time(fact.begins),
            }
        case Tombstone():
            told = asdict(fact) | {"at": format_time(fact.at)}
            return {"type": "tombstone", **{name: value for name, value in told.items() if name != "tenant"}}


def _life(entry: Record | Edge | Site) -> dict[str, Any]:
    death = None if entry.death == GENERATION_OPEN else entry.death
    return {"repository": entry.repository, "birth": entry.birth, "death": death} if entry.repository else {}


def _record_line(held: Held) -> dict[str, Any]:
    line = {"type": "record", "text": "", **record_json(held.record), **_life(held.record)}
    if held.record.claimed:
        line["claimed"] = intervals_json(held.record.claimed)
    if held.record.identity:
        line["identity"] = held.record.identity
    line["assertions"] = [
        {
            "authority": a.authority,
            "observed_at": format_time(a.observed_at),
            "withdrawn": withdrawn,
            "provenance": provenance_json(a.provenance),
        }
        for a, withdrawn in (*((a, False) for a in held.live), *((a, True) for a, _ in held.withdrawn))
        if not is_tombstone(held)
    ]
    if held.block is not None:
        line["block"] = {"kind": held.block.kind.value, "by": held.block.by}
    return line
