"""The commands about consent: consent list, give, withdraw. Lives here: them, their words and their JSON. Lives
elsewhere: what a consent is (services.consenting)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from graphmem.core.times import format_time
from graphmem.entrances.cli import options, shapes, show, writes
from graphmem.entrances.cli.blocks import Block, Part, line
from graphmem.entrances.cli.call import Call, Command, given
from graphmem.entrances.cli.failures import FINE, NOTHING
from graphmem.entrances.cli.forgetting import ask, deletion, deletion_json
from graphmem.services.consenting import Consent, Withdrawal

NAME = "consent"
ABOUT = "See, record and withdraw what people agreed to."
SUBJECT = Annotated[str, typer.Argument(metavar="SUBJECT", help="The person, as --subject names them.")]


def list_(call: Call, **details: Any) -> int:
    """List what people agreed to, and what they withdrew."""
    with call.read() as memory:
        found = memory.consents(**given(details))
    call.out.answer(call.command, {"consents": [_json(c) for c in found]}, map(_told, found))
    return FINE if found else NOTHING


def _json(consent: Consent) -> shapes.Json:
    return {
        "subject": consent.subject,
        "purpose": consent.purpose,
        "given": consent.given,
        "since": format_time(consent.since),
        "record": consent.record,
    }


def _told(consent: Consent) -> Block:
    word = Part("given", "good") if consent.given else Part("withdrawn", "bad")
    return line(
        Part(consent.subject, "head"),
        f" {consent.purpose}: ",
        word,
        f" since {format_time(consent.since)}, ",
        show.short(consent.record),
    )


def give(
    call: Call,
    subject: SUBJECT,
    purpose: Annotated[str, typer.Argument(metavar="PURPOSE", help="For what.")],
    **details: Any,
) -> int:
    """Record that a person agreed to be remembered for a purpose."""
    with call.open() as memory:
        return writes.acknowledge(call, memory, memory.consent_give(subject, purpose, **given(details)))


def withdraw(
    call: Call,
    subject: SUBJECT,
    purpose: Annotated[str, typer.Argument(metavar="PURPOSE", help="For what; default: each that stands.")] = "",
    **details: Any,
) -> int:
    """Withdraw a consent and erase what was kept under it."""
    known = given(details)
    sure, dry_run = known.pop("yes", False), known.pop("dry_run", False)
    with call.read() as memory:
        foreseen = memory.consent_withdraw(subject, purpose, **known, dry_run=True)
        if dry_run:
            return _tell(call, foreseen, dry_run=True)
        for deleted in () if sure else (w.forgotten for w in foreseen if w.forgotten):
            ask(call, deleted)
        return _tell(call, memory.consent_withdraw(subject, purpose, **known), dry_run=False)


def _tell(call: Call, done: tuple[Withdrawal, ...], *, dry_run: bool) -> int:
    withdrawn = [
        {
            "purpose": w.purpose,
            "written": shapes.written_json(w.written, dry_run=dry_run),
            "deletion": deletion_json(w.forgotten, dry_run=dry_run) if w.forgotten else None,
        }
        for w in done
    ]
    call.out.answer(call.command, {"withdrawn": withdrawn}, _withdrawn(done, dry_run=dry_run))
    return FINE


def _withdrawn(done: tuple[Withdrawal, ...], *, dry_run: bool) -> Iterator[Block]:
    for w in done:
        yield line(Part("withdrawn", "warn"), f": consent to {w.purpose}", "; nothing was written" if dry_run else "")
        if w.forgotten is None:
            yield line("nothing was kept under it", indent=2)
        else:
            yield from deletion(w.forgotten, dry_run=dry_run)


_REASON: options.Group = (options.text("reason", "Why, or how it was said.", metavar="TEXT"),)
COMMANDS = (
    Command(
        f"{NAME} list",
        list_,
        "graphmem consent list --subject user-42",
        (options.text("subject", "Only those of this person.", metavar="NAME"),),
    ),
    Command(f"{NAME} give", give, "graphmem consent give user-42 preferences --reason 'Ticked the box.'", _REASON),
    Command(
        f"{NAME} withdraw",
        withdraw,
        "graphmem consent withdraw user-42 preferences --dry-run",
        options.union(_REASON, (options.switch("yes", "Don't ask."),), options.DRY_RUN),
    ),
)
