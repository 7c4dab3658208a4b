"""The command consolidate: what is believed about some keys as one summary. Lives here: its words and its JSON. Lives
elsewhere: what a draft must pass (core.consolidation)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from graphmem.entrances.cli import options, shapes, show
from graphmem.entrances.cli.blocks import Block, Part, first_line, line
from graphmem.entrances.cli.call import Call, Command, given
from graphmem.entrances.cli.failures import FINE, NOTHING
from graphmem.services.consolidating import Consolidated


def consolidate(
    call: Call,
    keys: Annotated[list[str], typer.Argument(metavar="KEY...", help="What to summarise: ENTITY#ATTRIBUTE[@SCOPE].")],
    **details: Any,
) -> int:
    """Summarise what is believed about some keys as one record."""
    known = given(details)
    dry_run = bool(known.get("dry_run"))
    with call.read() as memory:
        done = memory.consolidate(*keys, **known)
        held = memory.held_all([*done.written.fell[: show.LISTED], *done.written.rose[: show.LISTED]])
    blocks = (*_draft(done), *show.written(done.written, held, dry_run=dry_run))
    call.out.answer(call.command, _json(done, dry_run=dry_run), blocks)
    return FINE if done.written.changed and done.refused is None else NOTHING


def _json(done: Consolidated, *, dry_run: bool) -> shapes.Json:
    draft = done.draft
    return {
        "accepted": done.refused is None,
        "refused": str(done.refused) if done.refused else None,
        "text": draft.text,
        "value": None if draft.value is None else json.loads(draft.value),
        "cites": list(draft.cites),
        "written": shapes.written_json(done.written, dry_run=dry_run),
    }


def _draft(done: Consolidated) -> Iterator[Block]:
    style = "good" if done.refused is None else "warn"
    yield line(Part(f"summary of {len(done.evidence)} observations", style))
    for said in done.draft.text.splitlines()[: show.LISTED]:
        yield line(first_line(said), indent=2)


COMMANDS = (
    Command(
        "consolidate",
        consolidate,
        "graphmem consolidate pool#size pool#owner --into pool#overview",
        options.union(
            (options.text("into", "The key of the summary; default: the sole key.", metavar="KEY"),), options.DRY_RUN
        ),
    ),
)
