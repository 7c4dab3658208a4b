"""How far long work is, for people. Lives here: bars on standard error at a terminal. Lives elsewhere: the work."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from graphmem.entrances.cli.blocks import printable
from graphmem.entrances.cli.output import Form, Output

if TYPE_CHECKING:
    from rich.progress import Progress

    from graphmem.ports.server import OnProgress
    from graphmem.ports.server import Progress as Download
    from graphmem.services.copying import OnFact
    from graphmem.services.maintaining import OnJob

OnListed = Callable[[int], None]
OnFile = Callable[[str], None]
OnLine = Callable[[int], None]


def wanted(out: Output) -> bool:
    """Whether a person watches: standard error is a terminal and no program asked."""
    return out.form is not Form.JSON and sys.stderr.isatty()


@contextmanager
def files(out: Output) -> Iterator[tuple[OnListed | None, OnFile | None]]:
    """Callbacks for the number of files and for each file, or none where nobody watches."""
    if not wanted(out):
        yield None, None
        return
    with _bar(out) as bar:
        task = bar.add_task("reading", total=None, what="")
        yield (
            lambda count: bar.update(task, total=count),
            lambda path: bar.update(task, advance=1, what=printable(path)),
        )


@contextmanager
def lines(out: Output) -> Iterator[OnLine | None]:
    """A callback for the number of the line just read, or none where nobody watches."""
    if not wanted(out):
        yield None
        return
    with _bar(out) as bar:
        task = bar.add_task("importing", total=None, what="")
        yield lambda number: bar.update(task, completed=number, what=f"line {number}")


@contextmanager
def facts(out: Output) -> Iterator[OnFact | None]:
    """A callback for the step of a copy and how far it is, or none where nobody watches."""
    if not wanted(out):
        yield None
        return
    with _bar(out) as bar:
        task = bar.add_task("copying", total=None, what="")
        yield lambda step, done, total: bar.update(task, description=step, completed=done, total=total)


@contextmanager
def jobs(out: Output) -> Iterator[OnJob | None]:
    """A callback for what a worker has done so far, or none where nobody watches."""
    if not wanted(out):
        yield None
        return
    with _bar(out) as bar:
        task = bar.add_task("maintaining", total=None, what="")
        yield lambda tally: bar.update(
            task, completed=tally.done, what=f"{tally.windows} windows, {tally.retried} to be tried again"
        )


@contextmanager
def starting(out: Output) -> Iterator[OnProgress | None]:
    """A callback for how far the download before a first start is, or none where nobody watches."""
    if not wanted(out):
        yield None
        return
    with _bar(out) as bar:
        task = bar.add_task("starting", total=None, what="")

        def show(now: Download) -> None:
            whole = f"of {now.total_bytes >> 20} " if now.total_bytes else ""
            what = f"{now.bytes >> 20} {whole}MB"
            step = "starting" if now.files and now.files == now.total_files else "downloading"
            bar.update(task, description=step, completed=now.files, total=now.total_files or None, what=what)

        yield show


def _bar(out: Output) -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[what]}", markup=False),
        console=Console(stderr=True, color_system="auto" if out.colour else None),
        transient=True,
    )
