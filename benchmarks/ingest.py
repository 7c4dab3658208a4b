"""How fast real input becomes memory. Lives here: ingesting a source tree (default: the networkx package beside this
Python, or the standard library where that isn't installed) and importing JSON lines of plain observations, each into a
new SQLite memory.

Records per second are source records of the tree by wall time, reading and parsing included. The store's share is the
part of the tree's wall time that is spent inside calls of the store.
"""

from __future__ import annotations

import json
import resource
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.harness import Arguments, Promise, arguments, finish, show
from graphmem import open as open_memory

OBSERVATIONS = 20_000
QUICK_OBSERVATIONS = 5_000
SENTENCE = "the pool closes every connection that a worker left open after its last request was answered"
KIB_PER_MIB = 1_024


class TimedStore:
    """A store with a watch: `seconds` is the time spent inside its methods."""

    def __init__(self, store: Any) -> None:
        self.store = store
        self.seconds = 0.0

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.store, name)
        return partial(self._timed, found) if callable(found) else found

    def _timed(self, method: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        started = time.perf_counter()
        try:
            return method(*arguments, **named)
        finally:
            self.seconds += time.perf_counter() - started


def default_tree() -> Path:
    """A package of some hundred Python files that is there anyway."""
    installed = Path(sysconfig.get_path("purelib")) / "networkx"
    return installed if installed.is_dir() else Path(sysconfig.get_path("stdlib")) / "asyncio"


def ingest(tree: Path, file: Path) -> dict[str, float]:
    """Ingest a tree into a new memory; returns what it took and gave."""
    with open_memory(str(file), writer="bench") as memory:
        watched = TimedStore(memory.store)
        memory.session = type(memory.session)(
            watched,
            memory.clock,
            memory.session.tenant,
            memory.session.writer,
        )
        started = time.perf_counter()
        report = memory.ingest(tree)
        seconds = time.perf_counter() - started
    return {
        "files": report.files,
        "records": report.born,
        "entities": report.entities,
        "edges": report.edges,
        "seconds": seconds,
        "store seconds": watched.seconds,
    }


def import_observations(count: int, file: Path) -> float:
    """Seconds to import plain observations as JSON lines."""
    lines = [
        json.dumps({"type": "record", "ref": f"n{n}", "role": "observation", "text": f"note {n}: {SENTENCE}"})
        for n in range(count)
    ]
    with open_memory(str(file), writer="bench") as memory:
        started = time.perf_counter()
        memory.import_lines(lines)
        return time.perf_counter() - started


def peak_mib() -> float:
    """The most memory that this process has held so far."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / KIB_PER_MIB
    return peak / KIB_PER_MIB if sys.platform == "darwin" else peak


def main(asked: Arguments) -> None:
    tree = asked.data or default_tree()
    count = QUICK_OBSERVATIONS if asked.quick else OBSERVATIONS
    with tempfile.TemporaryDirectory() as folder:
        found = ingest(tree, Path(folder) / "tree.db")
        peak = peak_mib()
        weight = (Path(folder) / "tree.db").stat().st_size / KIB_PER_MIB
        lines = import_observations(count, Path(folder) / "lines.db")
    seconds = found["seconds"]
    show(
        f"ingest of {tree.name}",
        ("files", "records", "entities", "edges", "s", "files/s", "edges/s", "KiB on disk", "peak MiB"),
        [
            (
                *(str(int(found[name])) for name in ("files", "records", "entities", "edges")),
                seconds,
                found["files"] / seconds,
                found["edges"] / seconds,
                weight,
                peak,
            )
        ],
    )
    show("import of JSON lines", ("lines", "s", "records/s"), [(str(count), lines, count / lines)])
    finish(
        [
            Promise("records_per_s", found["records"] / seconds, note=f"source records of {tree.name}"),
            Promise("store_share", found["store seconds"] / seconds, note="of the same wall time"),
            Promise("import_records_per_s", count / lines, note="JSON lines, one observation each"),
        ],
        asked.json,
    )


if __name__ == "__main__":
    main(arguments(__doc__ or ""))
