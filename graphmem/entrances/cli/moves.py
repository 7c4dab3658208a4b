"""The commands that move whole sources and memories: ingest, export, import, copy. Lives elsewhere: how (Memory)."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from graphmem.core.errors import InvalidInput
from graphmem.entrances.cli import options, progress, shapes, show
from graphmem.entrances.cli.call import STANDARD_INPUT, Call, Command, given
from graphmem.entrances.cli.failures import FINE, NOTHING


def ingest(
    call: Call,
    path: Annotated[str, typer.Argument(metavar="PATH", help="A directory, a file or a git repository.")],
    **details: Any,
) -> int:
    """Read documents and code into the memory."""
    with call.open() as memory:
        with progress.files(call.out) as (on_listed, on_file):
            report = memory.ingest(path, **given(details), on_listed=on_listed, on_file=on_file)
        held = memory.held_all(report.fell[: show.LISTED])
    call.out.answer(call.command, shapes.ingest_json(report), show.ingested(report, held))
    return FINE


def export(
    call: Call,
    file: Annotated[str, typer.Argument(metavar="FILE", help="Where to; default: standard output.")] = STANDARD_INPUT,
    **details: Any,
) -> int:
    """Write every fact of now as JSON lines."""
    with call.read() as memory:
        lines = (json.dumps(line) + "\n" for line in memory.export(**given(details)))
        if file == STANDARD_INPUT:
            sys.stdout.writelines(lines)
        else:
            _replace(Path(file), lines)
    return FINE


def _replace(path: Path, lines: Iterable[str]) -> None:
    """Write a file whole or not at all."""
    unfinished = path.with_name(path.name + ".unfinished")
    try:
        with unfinished.open("w", encoding="ascii", newline="\n") as stream:
            stream.writelines(lines)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def import_(
    call: Call,
    file: Annotated[str, typer.Argument(metavar="FILE", help="JSON lines, or - for standard input.")],
    **details: Any,
) -> int:
    """Read JSON lines of records and justifications."""
    with _lines(file) as lines, call.open() as memory, progress.lines(call.out) as on_line:
        report = memory.import_lines(lines, on_line=on_line, **given(details))
    call.out.answer(call.command, shapes.import_json(report), show.imported(report))
    return FINE


def copy(
    call: Call,
    source: Annotated[str, typer.Argument(metavar="FROM", help="The memory to copy, as --memory names one.")],
    target: Annotated[str, typer.Argument(metavar="TO", help="The memory to copy it to; made where there is none.")],
) -> int:
    """Copy a memory to another one, and compare both."""
    from graphmem.wiring import copy_memory

    if call.memory:
        raise InvalidInput("copy takes no --memory", hint="name both: graphmem copy FROM TO")
    with progress.facts(call.out) as on_fact:
        report = copy_memory(source, target, tenant=call.tenant, writer=call.writer, on_fact=on_fact)
    call.out.answer(call.command, shapes.copy_json(report), show.copied(report))
    return FINE if report.equal else NOTHING


@contextmanager
def _lines(file: str) -> Iterator[Iterator[str]]:
    if file == STANDARD_INPUT:
        yield _decoded(sys.stdin.buffer)
        return
    with Path(file).open("rb") as stream:
        yield _decoded(stream)


def _decoded(stream: Iterable[bytes]) -> Iterator[str]:
    for number, raw in enumerate(stream, 1):
        try:
            yield raw.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise InvalidInput(f"line {number} isn't UTF-8", hint="JSON lines are UTF-8") from error


SUBJECT: options.Group = (options.text("subject", "Only what describes this person.", metavar="NAME"),)
COMMANDS = (
    Command("ingest", ingest, "graphmem ingest . --repository graphmem", options.INGEST),
    Command("export", export, "graphmem export ann.jsonl --subject ann", SUBJECT),
    Command("import", import_, "graphmem import memory.jsonl", options.OVERRIDE),
    Command("copy", copy, "graphmem copy memory.db neo4j://neo4j@127.0.0.1:7687"),
)
