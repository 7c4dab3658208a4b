"""The commands forget and receipt list, show, verify. Lives here: them, their words, their JSON, and the question that
is asked before anything is erased. Lives elsewhere: what forgetting means (core.forgetting)."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import typer

from graphmem.core.errors import NotPermitted
from graphmem.core.forgetting import OUTSIDE
from graphmem.core.times import format_time
from graphmem.core.views import Held
from graphmem.entrances.cli import options, shapes, show
from graphmem.entrances.cli.blocks import Block, Part, line
from graphmem.entrances.cli.call import Call, Command, given
from graphmem.entrances.cli.failures import FINE, NOTHING
from graphmem.entrances.cli.output import Form
from graphmem.services.forgetting import Forgotten, told

NAME = "receipt"
ABOUT = "See and verify what was forgotten."
ID = Annotated[str, typer.Argument(metavar="ID", help="A receipt's id, or the beginning of it.")]


def forget(
    call: Call,
    ids: Annotated[list[str] | None, typer.Argument(metavar="ID...", help="Records to erase.")] = None,
    **details: Any,
) -> int:
    """Erase records for good, and what was made of them."""
    known = {"reason": "", **given(details)}
    sure, dry_run = known.pop("yes", False), known.pop("dry_run", False)
    with call.read() as memory:
        if not sure:
            foreseen = memory.forget(ids or (), **known, dry_run=True)
            if dry_run or not foreseen.written.changed:
                return _tell(call, foreseen, dry_run=dry_run)
            ask(call, foreseen)
        return _tell(call, memory.forget(ids or (), **known, dry_run=dry_run), dry_run=dry_run)


def ask(call: Call, foreseen: Forgotten) -> None:
    """Ask at a terminal whether to go on. Raises NotPermitted where nobody can answer, and for a no."""
    if call.out.form is not Form.PEOPLE or not sys.stdin.isatty():
        raise NotPermitted(
            f"{len(foreseen.erased)} records would be erased for good", hint="look with --dry-run, then say --yes"
        )
    call.out.say(deletion(foreseen, dry_run=True))
    if not typer.confirm("Erase them for good?"):
        raise NotPermitted("nothing was forgotten", hint="say yes to erase")


def _tell(call: Call, done: Forgotten, *, dry_run: bool) -> int:
    call.out.answer(call.command, deletion_json(done, dry_run=dry_run), deletion(done, dry_run=dry_run))
    return FINE if done.written.changed and not done.remains else NOTHING


def deletion_json(done: Forgotten, *, dry_run: bool) -> shapes.Json:
    """What a deletion took, or would take."""
    return {
        "receipt": done.receipt,
        "erased": list(done.erased),
        "scrubbed": list(done.scrubbed),
        "survived": {name: list(supports) for name, supports in done.survived.items()},
        "counts": dict(done.counts),
        "remains": list(done.remains),
        "outside": list(OUTSIDE),
        "written": shapes.written_json(done.written, dry_run=dry_run),
    }


def deletion(done: Forgotten, *, dry_run: bool) -> Iterator[Block]:
    """A deletion in words."""
    if not done.written.changed:
        yield line(Part("forgotten already", "warn"), ": receipt ", Part(done.receipt, "id"))
        return
    if dry_run:
        yield line(Part("dry run", "warn"), "; nothing was written")
    else:
        yield line("forgotten in commit ", str(done.written.commit), ": receipt ", Part(done.receipt, "id"))
    fell = tuple(name for name in done.written.fell if name not in {*done.erased, *done.scrubbed})
    for word, style, names in (
        ("erased", "bad", done.erased),
        ("lost its text", "warn", done.scrubbed),
        ("fell", "warn", fell),
        ("still holds", "good", tuple(done.survived)),
    ):
        for name in names[: show.LISTED]:
            yield line(Part(word, style), " ", show.short(name), indent=2)
        yield from show.unlisted(len(names))
    yield from _counted(done.counts)
    for remaining in done.remains:
        yield line(Part("remains", "bad"), f": {remaining}", indent=2)
    yield line(Part(f"not reached: {', '.join(OUTSIDE)}", "dim"), indent=2)


def _counted(counts: Mapping[str, int]) -> Iterator[Block]:
    yield line(Part(", ".join(f"{name}: {count}" for name, count in counts.items() if count), "dim"), indent=2)


def list_(call: Call) -> int:
    """List the receipts of everything that was forgotten."""
    with call.read() as memory:
        found = memory.receipts()
    call.out.answer(call.command, {"receipts": [_receipt_json(held) for held in found]}, map(_short, found))
    return FINE if found else NOTHING


def show_(call: Call, name: ID) -> int:
    """Show what one deletion took, left, and couldn't reach."""
    with call.read() as memory:
        held = memory.receipt(name)
    call.out.answer(call.command, _receipt_json(held), _receipt(held))
    return FINE


def verify(call: Call, name: ID) -> int:
    """Look through the whole memory for anything that a receipt says is gone."""
    with call.read() as memory:
        found = memory.verify_receipt(name)
    result = {"receipt": found.receipt, "records": found.records, "remains": list(found.remains)}
    verdict = Part("something remains", "bad") if found.remains else Part("ok", "good")
    blocks = [line(verdict, f": {found.records} records looked at"), *(line(r, indent=2) for r in found.remains)]
    call.out.answer(call.command, result, blocks)
    return NOTHING if found.remains else FINE


def _looks(held: Held) -> list[shapes.Json]:
    """What each look after a deletion found, oldest first."""
    said = (dict(a.provenance.conditions) for a in held.live)
    return [{"at": looked["looked-at"], "found": looked["found"]} for looked in said if "looked-at" in looked]


def _receipt_json(held: Held) -> shapes.Json:
    return {
        "receipt": held.record.id,
        "at": format_time(held.record.observed_at),
        **told(held),
        "looks": _looks(held),
    }


def _short(held: Held) -> Block:
    when = format_time(held.record.observed_at)
    return line(Part(held.record.id, "id"), f" {when}: ", held.record.text)


def _receipt(held: Held) -> Iterator[Block]:
    said = told(held)
    yield _short(held)
    for word in ("erased", "scrubbed", "survived"):
        for name in list(said[word])[: show.LISTED]:
            yield line(f"{word} ", show.short(name), indent=2)
        yield from show.unlisted(len(said[word]))
    yield from _counted(said["counts"])
    for look in _looks(held):
        yield line(f"looked at {look['at']}: found {look['found']}", indent=2)
    yield line(Part(f"not reached: {', '.join(said['outside'])}", "dim"), indent=2)


_CHOICE = (
    options.text("subject", "Everything about this person or thing.", metavar="NAME"),
    options.text("source", "Everything from this source.", metavar="LOCATOR"),
    options.text("query", "Every record that now says all of these words.", metavar="WORDS"),
    options.text("reason", "Why; it stays on the receipt.", metavar="TEXT"),
    options.switch("yes", "Don't ask."),
)
COMMANDS = (
    Command(
        "forget",
        forget,
        "graphmem forget --subject user-42 --reason 'The person asked for it.' --dry-run",
        options.union(_CHOICE, options.DRY_RUN),
    ),
)
RECEIPT_COMMANDS = (
    Command(f"{NAME} list", list_, "graphmem receipt list"),
    Command(f"{NAME} show", show_, "graphmem receipt show r-5b1c"),
    Command(f"{NAME} verify", verify, "graphmem receipt verify r-5b1c"),
)
