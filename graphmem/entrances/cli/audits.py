"""The commands that ask about the past: diff, history, audit. Lives elsewhere: the answers (Memory), their words
(show_audit), their drawings (core.reports) and PROV (prov_json). Asking never makes a memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphmem.core.errors import InvalidInput
from graphmem.core.reports import Drawing, audit_drawing, dot, mermaid
from graphmem.entrances.cli import audit_shapes, options, show_audit
from graphmem.entrances.cli.call import Call, Command, commit_or_time, given
from graphmem.entrances.cli.failures import FINE, NOTHING
from graphmem.entrances.cli.prov_json import prov_document

if TYPE_CHECKING:
    from graphmem.memory import Memory
    from graphmem.services.auditing import Audit

DRAWINGS = {"mermaid": mermaid, "dot": dot}


def diff(
    call: Call,
    since: Annotated[str, typer.Argument(metavar="K1", help="The earlier known time: a commit number or a time.")],
    until: Annotated[str | None, typer.Argument(metavar="K2", help="The later one; default: now.")] = None,
    **details: Any,
) -> int:
    """Say which labels and beliefs changed between two known times."""
    known = given(details)
    with call.read(policies=known.pop("policies", None)) as memory:
        found = memory.diff(commit_or_time(since), None if until is None else commit_or_time(until), **known)
    call.out.answer(call.command, audit_shapes.diff_json(found), show_audit.diff(found))
    return FINE if found.moved or found.turns else NOTHING


def history(
    call: Call,
    subject: Annotated[str, typer.Argument(metavar="KEY|ID", help="A key, or a record's id.")],
    **details: Any,
) -> int:
    """Tell everything that happened to a key or a record."""
    known = given(details)
    with call.read(policies=known.pop("policies", None)) as memory:
        found = memory.history(subject, **known)
    call.out.answer(call.command, audit_shapes.story_json(found), show_audit.story(found))
    return FINE if found.events else NOTHING


def audit(call: Call, **details: Any) -> int:
    """List what came from somewhere, and count what rests on it."""
    known = given(details)
    form = known.pop("format", "")
    if form not in ("", "prov", *DRAWINGS):
        raise InvalidInput(f"no format is called {form[:40]!r}", hint="use mermaid, dot or prov")
    with call.read(policies=known.pop("policies", None)) as memory:
        found = memory.audit(**known)
        text = _prov(memory, found) if form == "prov" else drawn(form, audit_drawing(found.found.entries))
    call.out.report(call.command, audit_shapes.audit_json(found), show_audit.audit(found), form, text)
    return FINE if found.found.entries else NOTHING


def drawn(form: str, drawing: Drawing) -> str:
    """A drawing in the language that was asked for; nothing when none was. Raises InvalidInput."""
    if form and form not in DRAWINGS:
        raise InvalidInput(f"no format is called {form[:40]!r}", hint=f"use one of: {', '.join(DRAWINGS)}")
    return DRAWINGS[form](drawing) if form else ""


def _prov(memory: Memory, found: Audit) -> str:
    """The page of an audit as PROV-JSON."""
    history = memory.lives({name for entry in found.found.entries for name in entry.names})
    return str(prov_document(found.found.entries, history).serialize(indent=1)) + "\n"


_PAGE: options.Group = (
    options.number("limit", "Entries of one page; default 100."),
    options.text("after", "Go on after a page: what it gave as next.", metavar="PLACE"),
)
_WHENCE: options.Group = (
    options.text("source", "The beginning of a source's locator.", metavar="LOCATOR"),
    options.text("subject", "The person that it is about.", metavar="NAME"),
    options.text("by", "Who wrote it.", metavar="NAME"),
    options.text("recorded_from", "Recorded at or after this time.", metavar="TIME"),
    options.text("recorded_to", "Recorded before this time.", metavar="TIME"),
    options.text("format", "A form for reports: a drawing, or W3C PROV-JSON.", metavar="mermaid|dot|prov"),
)
_AT = tuple(p for p in options.CLOCKS if p.name != "known_at")
_EVENTS: options.Group = (options.number("limit", "Events shown; default 1000."),)
COMMANDS = (
    Command("diff", diff, "graphmem diff 12 2026-06-01 --json", options.union(_AT, _PAGE)),
    Command("history", history, "graphmem history pool#size", options.union(options.CLOCKS, _EVENTS)),
    Command(
        "audit", audit, "graphmem audit --source crm/ --format prov", options.union(_WHENCE, options.CLOCKS, _PAGE)
    ),
)
