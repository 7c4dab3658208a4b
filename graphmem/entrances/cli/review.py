"""The commands about the review queue: review list, show, approve, reject. Lives here: them, their words and their
JSON. Lives elsewhere: what they do (Memory)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from graphmem.core.envelope import provenance_json, record_json
from graphmem.core.errors import NotFound
from graphmem.core.records import BlockKind
from graphmem.core.similarity import Similar
from graphmem.core.views import Held
from graphmem.entrances.cli import options, shapes, show, writes
from graphmem.entrances.cli.blocks import Block, Part, line
from graphmem.entrances.cli.call import Call, Command, given
from graphmem.entrances.cli.failures import FINE, NOTHING
from graphmem.services.reviewing import Queue

NAME = "review"
ABOUT = "Decide on what is kept out until a person has looked."


def list_(call: Call, **details: Any) -> int:
    """List what waits for a person, oldest first."""
    known = given(details)
    with call.read(policies=known.pop("policies", None)) as memory:
        queue = memory.review_list(**known)
    call.out.answer(call.command, _queue_json(queue), _queue(queue))
    return FINE if queue.waiting else NOTHING


def _queue_json(queue: Queue) -> shapes.Json:
    return {
        "waiting": [_held_json(w.held) | {"commit": w.commit} for w in queue.waiting],
        "count": queue.count,
        "next": queue.next or None,
        "partial": queue.partial,
    }


def _held_json(held: Held) -> shapes.Json:
    return {
        "record": record_json(held.record),
        "code": held.block.by if held.block else "",
        "provenance": [provenance_json(a.provenance) for a in held.live],
    }


def _queue(queue: Queue) -> Iterator[Block]:
    yield line(Part(f"waiting for review: {len(queue.waiting)}", "head"), f" of {queue.count}")
    for waiting in queue.waiting:
        yield from _waiting(waiting.held)
    if queue.partial:
        yield line(Part("partial", "warn"), f": go on with --after {queue.next}")


def _waiting(held: Held) -> Iterator[Block]:
    code = held.block.by if held.block else ""
    yield show.record_line(held.record.id, held.record)
    for assertion in held.live[: show.LISTED]:
        by = f"{show.place(assertion.provenance)}, written by {assertion.provenance.writer}"
        yield line(Part(code, "warn"), f"; from {by}", indent=4)


def show_(call: Call, record: writes.RecordId) -> int:
    """Show one record that waits, whole, with why it waits."""
    with call.read() as memory:
        held = memory.held(record)
    if held.block is None or held.block.kind is not BlockKind.QUARANTINED:
        raise NotFound(f"{held.record.id} waits for no review", hint="see: graphmem review list")
    call.out.answer(call.command, _held_json(held), [*_waiting(held), *map(line, held.record.text.splitlines())])
    return FINE


def similar(call: Call, record: writes.RecordId, **details: Any) -> int:
    """List what says nearly the same as a record, and how it differs."""
    with call.read() as memory:
        found = memory.review_similar(record, **given(details))
        held = memory.held_all(s.record for s in found)
    result = {
        "similar": [
            {"record": s.record, "near": round(s.near, 3), "kind": s.kind.value, "differs": list(s.differs)}
            for s in found
        ]
    }
    call.out.answer(call.command, result, _similar(found, held))
    return FINE if found else NOTHING


def _similar(found: tuple[Similar, ...], held: Mapping[str, Held]) -> Iterator[Block]:
    yield line(Part(f"nearly the same: {len(found)}", "head"))
    for one in found:
        yield show.record_line(one.record, held[one.record].record if one.record in held else None)
        differs = f"; differs in {', '.join(one.differs[: show.LISTED])}" if one.differs else ""
        yield line(Part(one.kind.value, "warn"), f", {one.near:.0%} of the terms shared{differs}", indent=4)


def approve(call: Call, record: writes.RecordId, **details: Any) -> int:
    """Let a waiting record in, in your own name."""
    with call.read() as memory:
        return writes.acknowledge(call, memory, memory.review_approve(record, **given(details)))


def reject(call: Call, record: writes.RecordId, **details: Any) -> int:
    """Keep a waiting record out for good, in your own name."""
    with call.read() as memory:
        return writes.acknowledge(call, memory, memory.review_reject(record, **given(details)))


_LIST = (
    options.number("limit", "Records of a page; default 100."),
    options.text("after", "Go on after this place.", metavar="PLACE"),
    *(p for p in options.CLOCKS if p.name != "at"),
)
_REASON = (options.text("reason", "Why; it becomes part of the decision's text.", metavar="TEXT"),)
COMMANDS = (
    Command(f"{NAME} list", list_, "graphmem review list --limit 20", _LIST),
    Command(f"{NAME} show", show_, "graphmem review show r-5b1c"),
    Command(
        f"{NAME} similar",
        similar,
        "graphmem review similar r-5b1c",
        (options.number("limit", "Records looked at; default 20."),),
    ),
    Command(f"{NAME} approve", approve, "graphmem review approve r-5b1c --reason 'It quotes the manual.'", _REASON),
    Command(f"{NAME} reject", reject, "graphmem review reject r-5b1c --reason 'An injected page.'", _REASON),
)
