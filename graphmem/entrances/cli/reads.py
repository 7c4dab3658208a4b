"""The commands that ask: recall, believe, why, why-not, status. Lives elsewhere: the answers (Memory) and their words
(show, show_recall, show_proof). Asking never makes a memory."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from graphmem.core.envelope import envelope_json
from graphmem.core.errors import InvalidInput
from graphmem.core.reports import Drawing, proof_drawing, refutation_drawing
from graphmem.entrances.cli import options, shapes, show, show_proof, show_recall
from graphmem.entrances.cli.audits import drawn
from graphmem.entrances.cli.call import Call, Command, given, json_or_text
from graphmem.entrances.cli.failures import FINE, NOTHING
from graphmem.services.explaining import Why, WhyNotValue


def recall(
    call: Call,
    query: Annotated[list[str] | None, typer.Argument(metavar="QUERY", help="The question, in any words.")] = None,
    **details: Any,
) -> int:
    """Find connected evidence for a question."""
    known = given(details)
    with call.read(policies=known.pop("policies", None)) as memory:
        found = memory.recall(" ".join(query or ()), **known)
    call.out.answer(call.command, envelope_json(found), show_recall.envelope(found))
    return FINE if found.items else NOTHING


def believe(
    call: Call,
    key: Annotated[str, typer.Argument(metavar="KEY", help="ENTITY#ATTRIBUTE or ENTITY#ATTRIBUTE@SCOPE.")],
    **details: Any,
) -> int:
    """Give the one record that answers for a key."""
    known = given(details)
    with call.read(policies=known.pop("policies", None)) as memory:
        found = memory.believe(key, **known)
    call.out.answer(call.command, shapes.belief_json(found), show.belief(found))
    return FINE if found.winner else NOTHING


def why(call: Call, record: Annotated[str, typer.Argument(metavar="ID", help="A record's id.")], **details: Any) -> int:
    """Prove a record down to its premises, or say why it is out."""
    known = given(details)
    form = known.pop("format", "")
    with call.read(policies=known.pop("policies", None)) as memory:
        found = memory.why(record, **known)
    call.out.report(call.command, shapes.why_json(found), show_proof.why(found), form, drawn(form, _drawing(found)))
    return FINE if found.proof else NOTHING


def _drawing(found: Why) -> Drawing:
    records = {name: held.record for name, held in found.records.items()}
    if found.proof is not None:
        return proof_drawing(found.proof, records)
    return refutation_drawing(found.refutation, records) if found.refutation else Drawing({}, ())


def why_not(
    call: Call,
    record: Annotated[str, typer.Argument(metavar="ID|KEY", help="A record's id, or a key; KEY=VALUE works too.")],
    value: Annotated[str | None, typer.Argument(metavar="VALUE", help="The value that isn't believed.")] = None,
    **details: Any,
) -> int:
    """Say why a record is out, or a value isn't believed."""
    known = given(details)
    asked, said = _key_and_value(record, value)
    with call.read(policies=known.pop("policies", None)) as memory:
        found = memory.why_not(asked, None if said is None else json_or_text(said), **known)
    if isinstance(found, WhyNotValue):
        call.out.answer(call.command, shapes.why_not_value_json(found), show_proof.why_not_value(found))
        winner = found.belief.winner
        return NOTHING if winner and winner.record.value == found.value else FINE
    call.out.answer(call.command, shapes.why_json(found), show_proof.why(found))
    return FINE if found.refutation else NOTHING


def _key_and_value(said: str, value: str | None) -> tuple[str, str | None]:
    """Tell ID, KEY VALUE and KEY=VALUE apart. Raises InvalidInput for a key alone."""
    key, equals, rest = said.partition("=")
    if "#" not in key or value is not None:
        return said, value
    if not equals:
        raise InvalidInput(f"{said[:80]!r} is a key without a value", hint="write: graphmem why-not KEY VALUE")
    return key, rest


def show_(call: Call, record: Annotated[str, typer.Argument(metavar="ID", help="A record's id.")]) -> int:
    """Show a record whole, with everybody who put it forward."""
    with call.read() as memory:
        held, now = memory.held(record), memory.clock.now()
    call.out.answer(call.command, shapes.held_json(held, now), show.held(held, now))
    return FINE


def status(call: Call) -> int:
    """Count what a memory holds, and say where it is."""
    with call.read() as memory:
        found = memory.status()
    call.out.answer(call.command, shapes.status_json(found), show.status(found))
    return FINE


_PROOF = options.union(options.CLOCKS, options.PROOF)
_DEFAULT: options.Group = (options.text("default", "The value where nothing is believed.", metavar="VALUE"),)
COMMANDS = (
    Command(
        "recall",
        recall,
        "graphmem recall 'what calls ConnectionPool.release?' --revision r18",
        options.union(options.RECALL, options.CLOCKS),
    ),
    Command(
        "believe",
        believe,
        "graphmem believe 'vendor:northwind#legal-name' --known-at 12",
        options.union(options.CLOCKS, _DEFAULT),
    ),
    Command("why", why, "graphmem why r-5b1c --alternatives 3", options.union(_PROOF, options.WHY)),
    Command("why-not", why_not, "graphmem why-not 'pool#size' 8", _PROOF),
    Command("show", show_, "graphmem show r-5b1c"),
    Command("status", status, "graphmem status --json"),
)
