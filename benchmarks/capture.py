"""What it costs to keep something. Lives here: a foreground `remember` on SQLite with extraction in the background,
the same with extraction inline, bulk import, and how much a memory of a million records slows a write down. Lives
elsewhere: the stores side by side (benchmarks.stores), what admission costs (benchmarks.admission).

Extraction is a stand-in of EXTRACTION_MS for each record, about what a small model takes: waiting for it inline is what
the foreground is spared. The background thread works at it all the while.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.cascade import timed
from benchmarks.harness import Promise, arguments, finish, show
from benchmarks.stores import high
from graphmem import Memory
from graphmem import open as open_memory
from graphmem.core.jobs import Job
from graphmem.core.views import Wanted
from graphmem.core.windows import Window
from graphmem.services.committing import Session
from graphmem.services.maintaining import Installing

EXTRACTION_MS = 300
WARM_UP = 50
WRITES, QUICK_WRITES = 2_000, 500
INLINE, QUICK_INLINE = 20, 5
BULK, QUICK_BULK = 50_000, 10_000
LARGE, QUICK_LARGE = 1_000_000, 40_000
GOALS = {"committed_p50_ms": 0.6, "committed_p95_ms": 3.0, "slowdown_at_1m": 1.3}
BULK_GOAL = 5_000.0


def slowly(session: Session, job: Job, window: Window, /) -> Installing:
    """Extraction that takes its time and finds nothing."""
    time.sleep(EXTRACTION_MS / 1e3)
    return Installing(Wanted(), lambda draft: None)


def said(number: int) -> str:
    return f"Service {number} listens on port {8_000 + number % 1_000} since it moved to rack {number % 17}."


def written(memory: Memory, count: int, first: int, ack: str = "committed") -> list[float]:
    """Milliseconds of each of so many writes, in order of time."""
    taken = []
    for number in range(first, first + count):
        seconds, done = timed(lambda n=number: memory.remember(said(n), source=f"chat/{n % 100}", ack=ack))
        if done.ack != ack:
            raise AssertionError(f"the write got as far as {done.ack}, not {ack}")
        taken.append(seconds * 1e3)
    return sorted(taken)


def lines(count: int, first: int) -> Iterator[str]:
    for number in range(first, first + count):
        yield json.dumps(
            {
                "type": "record",
                "role": "observation",
                "text": said(number),
                "source": {"locator": f"log/{number % 100}"},
            }
        )


def imported(memory: Memory, count: int, first: int) -> float:
    """Records a second of a bulk import, which is over when the last record is found."""
    seconds, report = timed(lambda: memory.import_lines(lines(count, first)))
    found = memory.recall(f"service {first + count - 1}", limit=1)
    if report.records != count or not found.items:
        raise AssertionError(f"{report.records} of {count} records were kept, {len(found.items)} found")
    return count / seconds


@dataclass(frozen=True, slots=True)
class Sizes:
    writes: int
    inline: int
    bulk: int
    large: int


def main() -> None:
    given = arguments(__doc__ or "")
    sizes = (
        Sizes(QUICK_WRITES, QUICK_INLINE, QUICK_BULK, QUICK_LARGE)
        if given.quick
        else Sizes(WRITES, INLINE, BULK, LARGE)
    )
    with tempfile.TemporaryDirectory() as folder:
        with open_memory(str(Path(folder) / "small.db"), handlers={"extract": slowly}, maintain="thread") as memory:
            written(memory, WARM_UP, 0)
            small = written(memory, sizes.writes, WARM_UP)
        with open_memory(str(Path(folder) / "inline.db"), handlers={"extract": slowly}) as memory:
            inline = written(memory, sizes.inline, 0, "indexed")
        with open_memory(str(Path(folder) / "large.db"), handlers={}) as memory:
            rate = imported(memory, sizes.bulk, 0)
            before = written(memory, sizes.writes, sizes.bulk)
            first = sizes.bulk + sizes.writes
            if sizes.large > first:
                memory.import_lines(lines(sizes.large - first, first))
            written(memory, WARM_UP, sizes.large)
            after = written(memory, sizes.writes, sizes.large + WARM_UP)
    show(
        "milliseconds of a write",
        ("where", "p50", "p95"),
        [
            ("committed, extraction in the background", median(small), high(small)),
            ("indexed, extraction inline", median(inline), high(inline)),
            (f"committed, after {sizes.bulk:,} records", median(before), high(before)),
            (f"committed, after {sizes.large:,} records", median(after), high(after)),
        ],
    )
    figures = {
        "committed_p50_ms": median(small),
        "committed_p95_ms": high(small),
        "slowdown_at_1m": median(after) / median(before),
    }
    size = "" if sizes.large == LARGE else f"at {sizes.large:,} records only"
    finish(
        [
            *(Promise(n, f, GOALS[n], "<", size if n == "slowdown_at_1m" else "") for n, f in figures.items()),
            Promise("inline_p50_ms", median(inline), note=f"with {EXTRACTION_MS} ms of extraction"),
            Promise("bulk_records_per_s", rate, BULK_GOAL, ">="),
        ],
        given.json,
    )


if __name__ == "__main__":
    main()
