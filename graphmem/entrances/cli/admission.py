"""The commands about admission: admission check, admission show. Lives here: them, their words and their JSON. Lives
elsewhere: the checks (core.admission), the configuration (core.admission_policy), the file (wiring)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from graphmem.core.admission import CHECKS, Verdict
from graphmem.core.admission_policy import Policy
from graphmem.entrances.cli import options, shapes, writes
from graphmem.entrances.cli.blocks import Block, Part, line
from graphmem.entrances.cli.call import Call, Command, given, text_or_input
from graphmem.entrances.cli.failures import FINE, REFUSED

NAME = "admission"
ABOUT = "Show what would be kept, and by which rules."
STYLES = {"stored": "good", "refused": "bad"}


def check(
    call: Call,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The text, or - to read it from standard input.")],
    **details: Any,
) -> int:
    """Show what would become of a text, and which check decides; nothing is written."""
    from graphmem.wiring import open_memory

    known = given(details)
    file = known.pop("file", None)
    with open_memory("memory:", tenant=call.tenant, writer=call.writer, admission=file) as memory:
        verdict = memory.admission_check(text_or_input(text), **known)
    call.out.answer(call.command, verdict_json(verdict), _verdict(verdict))
    return REFUSED if verdict.outcome == "refused" else FINE


def verdict_json(verdict: Verdict) -> shapes.Json:
    """A verdict, without a word of the text."""
    return {
        "outcome": verdict.outcome.value,
        "code": verdict.code,
        "check": verdict.check,
        "detail": verdict.detail,
        "removed": list(verdict.removed),
    }


def _verdict(verdict: Verdict) -> Iterator[Block]:
    style = STYLES.get(verdict.outcome, "warn")
    yield line(Part(verdict.outcome, style), f" ({verdict.code}), decided by the check ", Part(verdict.check, "head"))
    if verdict.detail:
        yield line(verdict.detail, indent=2)
    for kind in verdict.removed:
        yield line(f"credential removed: {kind}", indent=2)


def show(call: Call, **details: Any) -> int:
    """Show the configuration in force for a tenant, and the checks in their order."""
    from graphmem.wiring import open_memory, read_admission

    read = read_admission(details.get("file"))
    with open_memory("memory:", tenant=call.tenant, admission=read) as memory:
        tenant, policy = memory.session.tenant, memory.session.admission
    result = {
        "file": read.name or None,
        "tenant": tenant,
        "policy": policy.model_dump(mode="json"),
        "checks": [name for name, _ in CHECKS],
    }
    call.out.answer(call.command, result, _shown(read.name, tenant, policy))
    return FINE


def _shown(name: str, tenant: str, policy: Policy) -> Iterator[Block]:
    yield line(Part(name or "no configuration, the default", "head"), f", for tenant {tenant}")
    yield line("checks, the first that has a verdict decides: " + ", ".join(name for name, _ in CHECKS))
    for field, value in policy.model_dump(mode="json").items():
        yield line(Part(field, "head"), f": {value if value not in ([], {}) else '-'}", indent=2)


_FILE = options.text("file", "The configuration; default: the file in GRAPHMEM_ADMISSION.", metavar="FILE")
COMMANDS = (
    Command(
        f"{NAME} check",
        check,
        "graphmem admission check 'No meetings before 10:00.' --purpose conversation",
        options.union(writes.REMEMBER, (_FILE,)),
    ),
    Command(f"{NAME} show", show, "graphmem admission show --file admission.toml", (_FILE,)),
)
