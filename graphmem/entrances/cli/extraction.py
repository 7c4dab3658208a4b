"""The commands extract and merge: what an extractor finds, and that two entities are one. Lives here: their words and
the JSON of the first. Lives elsewhere: finding (the extractors), the checks (core.facts), what a merge does
(Memory)."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphmem.core.arguments import choice, moment
from graphmem.core.times import format_time
from graphmem.entrances.cli import options, shapes
from graphmem.entrances.cli.blocks import Block, Part, first_line, line
from graphmem.entrances.cli.call import Call, Command, given, text_or_input
from graphmem.entrances.cli.failures import FINE, NOTHING
from graphmem.entrances.cli.writes import Text, acknowledge

if TYPE_CHECKING:
    from graphmem.core.facts import Checked, Place, Turn

Name = Annotated[str, typer.Argument(metavar="NAME", help="An entity, by its name or id.")]


class Reader(StrEnum):
    """The extractors that need nothing but the text."""

    PROSE = "prose"
    CONVERSATION = "conversation"


def extract(call: Call, text: Text, **details: Any) -> int:
    """Show what an extractor finds in a text, and keep nothing."""
    from graphmem.services.extracting import shown
    from graphmem.wiring import offline_extractor

    known = given(details)
    reader = choice(Reader, known.get("kind", "prose"), "kind")
    observed_at = moment(known["observed_at"]) if "observed_at" in known else 0
    found = shown(offline_extractor(reader.value), text_or_input(text), observed_at)
    result = _json(found)
    call.out.answer(call.command, result, _blocks(found))
    return FINE if any(result[kind] for kind in ("mentions", "statements", "relations", "turns")) else NOTHING


def merge(
    call: Call,
    one: Name,
    other: Annotated[str, typer.Argument(metavar="OTHER", help="The entity that is the same.")],
    **details: Any,
) -> int:
    """Say that two entities are one, until that is retracted."""
    known = {"reason": ""} | given(details)
    with call.read() as memory:
        return acknowledge(call, memory, memory.merge(one, other, **known), dry_run=known.get("dry_run", False))


def _json(checked: Checked) -> shapes.Json:
    found = checked.found
    return {
        "mentions": [
            {"name": m.name, "kind": m.sort.value, "value": shapes.value_json(m.value), "span": list(m.place)}
            for m in found.mentions
        ],
        "statements": [
            {
                "entity": s.entity,
                "attribute": s.attribute,
                "value": shapes.value_json(s.value),
                "span": list(s.place),
                "about": list(s.about),
            }
            for s in found.statements
        ],
        "relations": [
            {"source": r.source, "type": r.type, "target": r.target, "span": list(r.place)} for r in found.relations
        ],
        "turns": [_turn_json(t) for t in found.turns],
        "dropped": dict(checked.dropped),
    }


def _turn_json(turn: Turn) -> shapes.Json:
    return {
        "speaker": turn.speaker,
        "text": turn.text,
        "said_at": format_time(turn.said_at) if turn.said_at else None,
        "replies_to": turn.replies_to if turn.replies_to >= 0 else None,
        "span": list(turn.place),
    }


def _blocks(checked: Checked) -> Iterator[Block]:
    found = checked.found
    for turn in found.turns:
        yield line(Part("turn       ", "head"), f"{turn.speaker}: {first_line(turn.text)}", _where(turn.place))
    for stated in found.statements:
        said = f"{stated.entity}#{stated.attribute} = {stated.value}"
        yield line(Part("statement  ", "head"), said, _where(stated.place))
    for related in found.relations:
        said = f"{related.source} {related.type} {related.target}"
        yield line(Part("relation   ", "head"), said, _where(related.place))
    for mention in found.mentions:
        value = f" = {mention.value}" if mention.value else ""
        yield line(Part(f"{mention.sort.value:<11}", "head"), f"{mention.name}{value}", _where(mention.place))
    for reason, count in checked.dropped.items():
        yield line(Part(f"dropped: {reason} ({count})", "warn"))
    if not (found.turns or found.statements or found.relations or found.mentions):
        yield line(Part("nothing found", "dim"))


def _where(place: Place) -> Part:
    return Part(f"  {place.start}..{place.end}", "dim")


COMMANDS = (
    Command(
        "merge",
        merge,
        "graphmem merge 'J. Smith' 'Jane Smith' --reason 'same staff number in both lists'",
        options.union((options.text("reason", "Why they are one; it is kept."),), options.DRY_RUN),
    ),
    Command(
        "extract",
        extract,
        'graphmem extract "Northwind\'s country is Norway." --kind prose',
        (
            options.text("kind", "What the text is.", metavar="prose|conversation"),
            options.text("observed_at", "When it was observed, for words such as yesterday.", metavar="TIME"),
        ),
    ),
)
