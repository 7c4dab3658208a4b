"""The commands of the queue: maintain, jobs list, jobs retry. Lives here: them, their words and their JSON. Lives
elsewhere: what a job is (core.jobs), the work (services.maintaining)."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from types import FrameType
from typing import Annotated, Any

import typer

from graphmem.core.jobs import Job, JobState
from graphmem.core.times import format_time
from graphmem.entrances.cli import options, progress, shapes, show
from graphmem.entrances.cli.blocks import Block, Part, line
from graphmem.entrances.cli.call import Call, Command, given
from graphmem.entrances.cli.failures import FINE, NOTHING
from graphmem.services.maintaining import Tally

NAME = "jobs"
ABOUT = "See what is left to be done, and try again what was given up."
LIMIT = 100
STATE_STYLES = {JobState.DEAD: "bad", JobState.LEASED: "good"}


def maintain(call: Call, **details: Any) -> int:
    """Do the work that writes have left."""
    watch = bool(given(details).get("watch"))
    with _until_interrupted(watch) as stop, call.read() as memory, progress.jobs(call.out) as on_job:
        tally = memory.maintain(watch=watch, stop=stop, on_job=on_job)
    call.out.answer(call.command, tally_json(tally), _tally(tally))
    return FINE


@contextmanager
def _until_interrupted(watch: bool) -> Iterator[Event]:
    """The end of a watch: Ctrl-C lets the window at hand be finished, a second one doesn't."""
    stop = Event()
    if not watch:
        yield stop
        return

    def interrupted(number: int, _: FrameType | None) -> None:
        signal.signal(number, before)
        stop.set()

    before = signal.signal(signal.SIGINT, interrupted)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


def list_(call: Call, **details: Any) -> int:
    """List the jobs that aren't done."""
    known = given(details)
    limit = known.pop("limit", LIMIT)
    with call.read() as memory:
        found = memory.jobs(limit=limit + 1, **known)
    page, partial = found[:limit], len(found) > limit
    after = page[-1].id if partial else None
    result = {"jobs": [job_json(job) for job in page], "after": after, "partial": partial}
    call.out.answer(call.command, result, _jobs(page, after))
    return FINE if page else NOTHING


def retry(
    call: Call,
    ids: Annotated[list[str] | None, typer.Argument(metavar="JOB", help="Dead jobs; default: every one.")] = None,
) -> int:
    """Let dead jobs be tried anew."""
    with call.read() as memory:
        count = memory.retry_jobs(ids or None)
    said = "1 job waits again" if count == 1 else f"{count} jobs wait again"
    call.out.answer(call.command, {"retried": count}, [line(said)])
    return FINE if count else NOTHING


def tally_json(tally: Tally) -> shapes.Json:
    """What a worker did."""
    return {
        "done": tally.done,
        "retried": tally.retried,
        "dead": tally.dead,
        "lost": tally.lost,
        "windows": tally.windows,
        "causes": dict(tally.causes),
        "left": dict(tally.left),
    }


def job_json(job: Job) -> shapes.Json:
    """A job; `due_at` is when its lease ends, where it is leased."""
    return {
        "id": job.id,
        "kind": job.kind,
        "record": job.record,
        "state": job.state.value,
        "coverage": {"done": job.position, "of": job.length},
        "attempts": job.attempts,
        "due_at": format_time(job.due_at),
        "cause": job.cause or None,
    }


def _tally(tally: Tally) -> Iterator[Block]:
    yield line(Part(f"{tally.done} done", "head"), f", {tally.retried} to be tried again, {tally.dead} given up")
    yield from show.counted("causes", tally.causes)
    yield from show.counted("left", tally.left)


def _jobs(page: tuple[Job, ...], after: str | None) -> Iterator[Block]:
    for job in page:
        yield line(
            Part(job.id, "id"),
            " ",
            Part(job.state.value, STATE_STYLES.get(job.state, "warn")),
            f" {job.position} of {job.length} characters, attempts {job.attempts}, {_when(job)}",
            Part(f" {job.cause}" if job.cause else "", "bad"),
        )
    if not page:
        yield line(Part("nothing is left to do", "good"))
    if after:
        yield line("more: ", Part(f"graphmem jobs list --after {after}", "dim"))


def _when(job: Job) -> str:
    return f"{'until' if job.state is JobState.LEASED else 'due'} {format_time(job.due_at)}"


MAINTAIN = Command(
    "maintain",
    maintain,
    "graphmem maintain --watch",
    (options.switch("watch", "Go on with what comes, until Ctrl-C."),),
)
COMMANDS = (
    Command(
        f"{NAME} list",
        list_,
        "graphmem jobs list --state dead",
        (
            options.text("state", "Only those that stand so.", metavar="waiting|leased|deferred|dead"),
            options.number("limit", f"Jobs to list; default {LIMIT}."),
            options.text("after", "Go on after this job.", metavar="JOB"),
        ),
    ),
    Command(f"{NAME} retry", retry, "graphmem jobs retry extract:r-5b1c0d3e"),
)
