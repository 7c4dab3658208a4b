"""The commands that write: remember, justify, supersede, retract, reassert, withdraw, reject, unreject, and impact,
which shows what they would do. Lives elsewhere: what they do (Memory)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphmem.core.admission import Outcome
from graphmem.core.errors import InvalidInput
from graphmem.entrances.cli import options, shapes, show
from graphmem.entrances.cli.call import Call, Command, given, text_or_input
from graphmem.entrances.cli.failures import FINE, NOTHING
from graphmem.services.committing import Ack

if TYPE_CHECKING:
    from graphmem.memory import Memory
    from graphmem.services.committing import Written

RecordId = Annotated[str, typer.Argument(metavar="ID", help="A record's id, or the beginning of it.")]
Text = Annotated[str, typer.Argument(metavar="TEXT", help="The text, or - to read it from standard input.")]


def remember(call: Call, text: Text, **details: Any) -> int:
    """Keep a text whole as one record, with where it comes from."""
    known = given(details)
    if known.get("ack") == Ack.BUFFERED:
        raise InvalidInput("a command keeps no buffer", hint="use --ack committed; buffered is for Python")
    with call.open() as memory:
        known.setdefault("ack", "indexed" if memory.handlers else "committed")
        return acknowledge(call, memory, memory.remember(text_or_input(text), **known))


def justify(
    call: Call,
    consequent: Annotated[str, typer.Argument(metavar="CONSEQUENT", help="The record that gains support.")],
    **details: Any,
) -> int:
    """Say that some records together support another."""
    known = given(details)
    with call.open() as memory:
        done = memory.justify(consequent, known.pop("because", ()), **known)
        return acknowledge(call, memory, done, dry_run=known.get("dry_run", False))


def supersede(
    call: Call,
    old: Annotated[str, typer.Argument(metavar="OLD", help="The record at the head of its key.")],
    text: Text,
    **details: Any,
) -> int:
    """Put a new record in the place of an old one."""
    known = given(details)
    with call.open() as memory:
        done = memory.supersede(old, text_or_input(text), **known)
        return acknowledge(call, memory, done, dry_run=known.get("dry_run", False))


def retract(call: Call, record: RecordId, **details: Any) -> int:
    """Withdraw a premise; what rested on it alone falls with it."""
    return _on(call, "retract", record, details)


def reassert(call: Call, record: RecordId, **details: Any) -> int:
    """Bring a retracted premise back, and what fell with it."""
    return _on(call, "reassert", record, details)


def confirm(call: Call, record: RecordId, **details: Any) -> int:
    """Say that a premise was looked at again and found so."""
    return _on(call, "confirm", record, details)


def withdraw(
    call: Call,
    justification: Annotated[str, typer.Argument(metavar="JUSTIFICATION", help="Its id, as `why` shows it.")],
    **details: Any,
) -> int:
    """End a justification; what it alone held up falls."""
    return _on(call, "withdraw", justification, details)


def reject(call: Call, record: RecordId, **details: Any) -> int:
    """Block a record, whatever supports it now or later."""
    return _on(call, "reject", record, details)


def unreject(call: Call, record: RecordId, **details: Any) -> int:
    """Lift a rejection."""
    return _on(call, "unreject", record, details)


def _on(call: Call, verb: str, name: str, details: Mapping[str, Any]) -> int:
    known = given(details)
    with call.open() as memory:
        done: Written = getattr(memory, verb)(name, **known)
        return acknowledge(call, memory, done, dry_run=known.get("dry_run", False))


# What each verb is told by its words, and by which options.
WORDS: Mapping[str, tuple[str, ...]] = {
    "retract": ("ID",),
    "reassert": ("ID",),
    "reject": ("ID",),
    "unreject": ("ID",),
    "withdraw": ("JUSTIFICATION",),
    "justify": ("CONSEQUENT",),
    "supersede": ("OLD", "TEXT"),
}
OPTIONS: Mapping[str, options.Group] = {
    "retract": options.ASSERTED_BY,
    "reassert": options.ASSERTED_BY,
    "justify": options.union(options.BECAUSE, options.INFORMANT, options.MODE, options.SOURCE),
    "supersede": options.union(
        options.EXPECTED,
        options.ROLE,
        options.STATEMENT,
        options.INFORMANT,
        options.PURPOSE,
        options.SOURCE,
        options.OVERRIDE,
    ),
}


def impact(
    call: Call,
    verb: Annotated[str, typer.Argument(metavar="VERB", help="The command whose consequences are asked.")],
    words: Annotated[list[str] | None, typer.Argument(metavar="ARGS", help="Its arguments.")] = None,
    **details: Any,
) -> int:
    """Show exactly what a write would do, and write nothing."""
    known = given(details)
    arguments: list[Any] = list(words or ())
    _check(verb, arguments, known)
    if verb == "justify":
        arguments.append(known.pop("because", ()))
    with call.read() as memory:
        return acknowledge(call, memory, memory.impact(verb, *arguments, **known), dry_run=True)


def _check(verb: str, words: list[Any], known: Mapping[str, Any]) -> None:
    """Hold the verb to its words and options. Raises InvalidInput."""
    if verb not in WORDS:
        raise InvalidInput(f"no impact can be shown of {verb[:40]!r}", hint=f"use one of: {', '.join(WORDS)}")
    if len(words) != len(WORDS[verb]):
        raise InvalidInput(
            f"{verb} takes {len(WORDS[verb])} words, not {len(words)}",
            hint=f"write: graphmem impact {verb} {' '.join(WORDS[verb])}",
        )
    foreign = sorted(known.keys() - {p.name for p in OPTIONS.get(verb, ())})
    if foreign:
        raise InvalidInput(f"{verb} has no option {foreign[0]}", hint=f"see: graphmem {verb} --help")


def acknowledge(call: Call, memory: Memory, done: Written, *, dry_run: bool = False) -> int:
    """Tell what a write did; one that changed nothing ends with NOTHING, unless admission wanted it so."""
    held = memory.held_all([*done.fell[: show.LISTED], *done.rose[: show.LISTED]])
    call.out.answer(call.command, shapes.written_json(done, dry_run=dry_run), show.written(done, held, dry_run=dry_run))
    return FINE if done.changed or done.outcome == Outcome.SKIPPED else NOTHING


_ONE = options.DRY_RUN
REMEMBER = options.union(
    options.ROLE,
    options.KEY,
    options.STATEMENT,
    options.BECAUSE,
    options.INFORMANT,
    options.PURPOSE,
    options.SOURCE,
)
COMMANDS = (
    Command(
        "remember",
        remember,
        "graphmem remember 'The pool holds 8 connections.' --key pool#size --value 8 --source config/pool.toml",
        options.union(REMEMBER, options.ACK, options.OVERRIDE),
    ),
    Command(
        "justify",
        justify,
        "graphmem justify r-5b1c --because r-0a4d --because r-77e2 --informant test-report",
        options.union(OPTIONS["justify"], options.DRY_RUN),
    ),
    Command("retract", retract, "graphmem retract r-5b1c --dry-run", options.union(options.ASSERTED_BY, _ONE)),
    Command("reassert", reassert, "graphmem reassert r-5b1c", options.union(options.ASSERTED_BY, _ONE)),
    Command(
        "confirm",
        confirm,
        "graphmem confirm r-5b1c --source config/pool.toml --revision r18",
        options.union(options.SOURCE, _ONE),
    ),
    Command(
        "supersede",
        supersede,
        "graphmem supersede r-5b1c 'The pool holds 16 connections.' --value 16 --how change",
        options.union(OPTIONS["supersede"], options.DRY_RUN),
    ),
    Command("withdraw", withdraw, "graphmem withdraw j-90f3", _ONE),
    Command("reject", reject, "graphmem reject r-5b1c", _ONE),
    Command("unreject", unreject, "graphmem unreject r-5b1c", _ONE),
    Command(
        "impact",
        impact,
        "graphmem impact retract r-5b1c",
        options.union(OPTIONS["justify"], OPTIONS["supersede"]),
    ),
)
