"""The commands of the conflict queue: conflicts list, show, resolve. Lives here: them, their words and their JSON.
Lives elsewhere: what a conflict is (core.conflicts)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from graphmem.core.belief import Candidate
from graphmem.core.conflicts import Dispute, Overlap, Task
from graphmem.core.times import format_time
from graphmem.entrances.cli import options, shapes, show, writes
from graphmem.entrances.cli.authority import PAGE, more
from graphmem.entrances.cli.blocks import Block, Line, Part, line
from graphmem.entrances.cli.call import Call, Command, given
from graphmem.entrances.cli.failures import FINE, NOTHING
from graphmem.services.disputing import Page

NAME = "conflicts"
ABOUT = "See and decide what sources disagree about."
KEY = Annotated[str, typer.Argument(metavar="KEY", help="ENTITY#ATTRIBUTE or ENTITY#ATTRIBUTE@SCOPE.")]


def list_(call: Call, **details: Any) -> int:
    """List the keys about which no rule decides, or the claims to be verified."""
    known = given(details)
    claims = known.pop("claims", False)
    with call.read(policies=known.pop("policies", None)) as memory:
        if claims:
            tasks = memory.tasks(**{name: value for name, value in known.items() if name != "settled"})
            result = {"claims": [_task_json(t) for t in tasks.found], **shapes.page_json(tasks)}
            call.out.answer(call.command, result, _tasks(tasks))
            return FINE if tasks.found else NOTHING
        page = memory.conflicts(**known)
    result = {"conflicts": [dispute_json(d) for d in page.found], **shapes.page_json(page)}
    call.out.answer(call.command, result, _disputes(page))
    return FINE if page.found else NOTHING


def show_(call: Call, key: KEY, **details: Any) -> int:
    """Show both sides of a conflict, their sources, and what failed to decide."""
    known = given(details)
    with call.read(policies=known.pop("policies", None)) as memory:
        found = memory.conflict(key, **known)
    shown = dispute_json(found) if found else None
    blocks = dispute(found) if found else [line(Part("no conflict", "good"), f" about {key}")]
    call.out.answer(call.command, {"key": key, "conflict": shown}, blocks)
    return FINE if found else NOTHING


def resolve(call: Call, key: KEY, **details: Any) -> int:
    """Decide a conflict in your own name; both sides stay readable."""
    known = given(details)
    with call.read() as memory:
        done = memory.resolve_conflict(key, reason=known.pop("reason", ""), **known)
        return writes.acknowledge(call, memory, done, dry_run=known.get("dry_run", False))


def dispute_json(found: Dispute) -> shapes.Json:
    """A conflict with all of its sides, the one that the key answers with first."""
    return {
        "key": str(found.key),
        "overlap": found.overlap.value,
        "open": not found.settled_by,
        "settled_by": found.settled_by or None,
        "component": found.component,
        "sides": [_side_json(side) for side in found.sides],
    }


def _side_json(side: Candidate) -> shapes.Json:
    sources = [
        {"locator": v.locator, "kind": v.kind, "observed_at": format_time(v.observed_at), "authority": v.authority}
        for v in side.voices
    ]
    return {"candidate": shapes.candidate_json(side), "sources": sources}


def _task_json(task: Task) -> shapes.Json:
    return {"claim": _side_json(task.claim), "belief": shapes.belief_json(task.belief)}


def _disputes(page: Page[Dispute]) -> Iterator[Block]:
    yield line(Part(f"conflicts: {len(page.found)}", "head"), f", keys looked at: {page.looked_at} of {page.count}")
    for found in page.found:
        yield from dispute(found)
    yield from more(page)


def dispute(found: Dispute) -> Iterator[Line]:
    """A conflict with its sides."""
    where = "" if found.overlap is Overlap.KEY else " (a scope against everywhere)"
    yield line(Part(str(found.key), "head"), where, ": ", Part(verdict(found), "good" if found.settled_by else "warn"))
    for side in found.sides[: show.LISTED]:
        yield line(Part(show.said_by(side), "warn"), f" for {side.record.key}", indent=2)
        yield from show.candidate(side, indent=2)
        for voice in side.voices[: show.LISTED]:
            yield line(Part(f"from {voice.locator} ({voice.kind}), {format_time(voice.observed_at)}", "dim"), indent=4)
    yield from show.unlisted(len(found.sides))


def verdict(found: Dispute) -> str:
    """What settled a conflict, or what failed to."""
    if found.settled_by:
        return f"settled by {found.settled_by}"
    if found.component == "authority":
        return "open: what holds everywhere has more authority than this scope's own"
    return f"open: authority failed to decide; for now it answers by {found.component}"


def _tasks(page: Page[Task]) -> Iterator[Block]:
    yield line(
        Part(f"{len(page.found)} claims to verify", "head"), f" on {page.looked_at} of {page.count} claimed keys"
    )
    for task in page.found:
        believed = show.said_by(task.belief.winner) if task.belief.winner else "nothing"
        said = Part(show.said_by(task.claim), "warn")
        yield line(Part(str(task.belief.key), "head"), ": claimed ", said, f", believed {believed}")
        yield from show.candidate(task.claim)
    yield from more(page)


_LIST = (
    *PAGE,
    options.switch("settled", "Those too that authority or a person has settled.", flag="--all"),
    options.switch("claims", "Claims to be verified instead: what they say isn't believed."),
)
_RESOLVE = (
    options.text("value", "The value that is right, as JSON or plain text.", metavar="VALUE"),
    options.text("keep", "The record whose value is right.", metavar="ID"),
    options.text("reason", "Why; it becomes the text of the decision.", metavar="TEXT"),
)
COMMANDS = (
    Command(f"{NAME} list", list_, "graphmem conflicts list --limit 20", options.union(_LIST, options.CLOCKS)),
    Command(f"{NAME} show", show_, "graphmem conflicts show 'pool#size'", options.CLOCKS),
    Command(
        f"{NAME} resolve",
        resolve,
        "graphmem conflicts resolve 'pool#size' --keep r-5b1c --reason 'Read on the machine itself.'",
        options.union(_RESOLVE, options.DRY_RUN),
    ),
)
