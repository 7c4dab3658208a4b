"""A deletion is whole or didn't happen, wherever its process is killed (SIGKILL): a record goes with the text of the
summary made of it and with its receipt, and at the next opening no byte of it is left. The counts are those of
test_queue_crash.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest

from graphmem.core.records import BlockKind
from graphmem.ports.store import Store
from tests.conformance.fixtures import backend, place, reopened, store
from tests.conformance.stores import Place
from tests.memories import memory_over
from tests.stores.test_queue_crash import CHANCE, KILLS, MOST_TURNS, ROOT, url

__all__ = ["backend", "place", "reopened", "store", "url"]

MOST_LINES = 8

# Says what is kept before it forgets it, and that it has forgotten it.
WORKER = """
import sys, graphmem
from tests.memories import TENANT
say = lambda *words: print(*words, flush=True)
m = graphmem.open(sys.argv[1], tenant=TENANT)
for n in range(10**9):
    mark = f"zqx{sys.argv[2]}x{n}end"
    one, two = (m.remember(f"The pump said {said}.", source=f"notes/{said}").id for said in (mark, f"more {n}"))
    both = m.remember(f"It said {mark} and more.", role="summary", because=[one, two]).id
    say("kept", mark, one, both)
    m.forget(one, reason="asked")
    say("forgot", mark, one, both)
"""


def killed(url: str, run: int) -> list[list[str]]:
    """Run a worker, kill it, and give the lines that it said."""
    command = [sys.executable, "-c", WORKER, url, str(run)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdout is not None
        said = [worker.stdout.readline() for _ in range(CHANCE.randint(1, MOST_LINES))]
        for _ in range(CHANCE.randrange(MOST_TURNS)):
            pass
        worker.kill()
        said += [line for line in worker.stdout if line.endswith("\n")]
    return [line.split() for line in said]


@pytest.mark.timeout(600)
def test_a_killed_deletion_is_whole_or_none(
    backend: str, place: Place, url: str, store: Store, reopened: Callable[[], Store]
) -> None:
    said = [line for run in range(KILLS[backend]) for line in killed(url, run)]
    forgotten = {mark for word, mark, *_ in said if word == "forgot"}
    memory = memory_over(reopened())
    receipts = {held.record.id for held in memory.receipts()}
    gone = set()
    for mark, one, both in {(m, o, b) for _, m, o, b in said}:
        held = memory.held_all([one, both])
        block = held[one].block
        if block is None:
            assert mark in held[one].record.text
            assert mark in held[both].record.text
        else:
            gone.add(mark)
            assert (block.kind, block.by in receipts) == (BlockKind.DELETED, True)
            assert (held[one].record.text, held[both].record.text) == ("", "")
    assert forgotten <= gone
    kept = "".join(str(line) for line in memory.export())
    assert not any(mark in kept for mark in gone)
    if backend == "sqlite":
        everything = b"".join(path.read_bytes() for path in place.folder.glob("memory.db*"))
        assert not any(mark.encode() in everything for mark in gone)
