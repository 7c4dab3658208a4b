"""A killed worker loses no acknowledged capture and leaves a sound queue: its lease ends, another takes the job over
where it stopped, and in the end all is as if nobody had been killed. A process captures and works and is killed
(SIGKILL) after a random number of lines that it said and a random wait.

A few kills make an everyday run, the promised hundred (on Neo4j twenty) a deep one (pytest --hypothesis-profile=deep).
"""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

from graphmem.core.jobs import LEASE_US
from graphmem.core.records import Role
from graphmem.core.views import Held
from graphmem.ports.store import Store
from tests.conformance.fixtures import backend, place, reopened, store
from tests.conformance.stores import Place
from tests.handlers import FACT, note_facts
from tests.memories import TENANT, FakeClock, memory_over

__all__ = ["backend", "place", "reopened", "store"]

ROOT = Path(__file__).resolve().parents[2]
DEEP = settings.get_current_profile_name() == "deep"
KILLS = {"sqlite": 100 if DEEP else 6, "neo4j": 20 if DEEP else 3}
MOST_LINES = 12
MOST_TURNS = 400_000  # of an empty loop before a kill: some ten milliseconds, as long as a few commits
CHANCE = random.Random(29)

# Says each capture that is acknowledged, and each window that is begun; texts have three windows with a fact in each.
WORKER = """
import sys, graphmem
from tests.handlers import after
from tests.memories import TENANT
filler = "Nothing of note was said. " * 200
say = lambda *words: print(*words, flush=True)
m = graphmem.open(sys.argv[1], tenant=TENANT, handlers={"extract": after(lambda job: say("window", job.record))})
for n in range(10**9):
    text = "\\n".join(f"FACT: run {sys.argv[2]} text {n} fact {k}.\\n{filler}" for k in range(3))
    say("kept", m.remember(text).id)
    m.maintain()
"""


@pytest.fixture
def url(backend: str, place: Place) -> str:
    """How another process names the memory of the store under test."""
    if backend == "memory":
        pytest.skip("this store is in one process")
    if backend == "sqlite":
        return str(place.folder / "memory.db")
    server = place.neo4j()
    return server.url.replace("://", f"://{server.user}:{server.password}@")


def killed(url: str, run: int) -> list[str]:
    """Run a worker, kill it, and give the captures that it acknowledged."""
    command = [sys.executable, "-c", WORKER, url, str(run)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdout is not None
        said = [worker.stdout.readline().strip() for _ in range(CHANCE.randint(1, MOST_LINES))]
        for _ in range(CHANCE.randrange(MOST_TURNS)):
            pass
        worker.kill()
        said += [line.strip() for line in worker.stdout if line.endswith("\n")]
    assert said[0].startswith("kept")
    return [line.split()[1] for line in said if line.startswith("kept")]


@pytest.mark.timeout(600)
def test_killed_workers_lose_nothing_and_their_jobs_are_taken_over(
    backend: str, url: str, store: Store, reopened: Callable[[], Store]
) -> None:
    acknowledged = [name for run in range(KILLS[backend]) for name in killed(url, run)]
    later = FakeClock(time.time_ns() // 1_000 + 2 * LEASE_US)
    memory = memory_over(reopened(), later, handlers={"extract": note_facts})
    assert memory.held_all(acknowledged).keys() == set(acknowledged)
    tally = memory.maintain()
    assert (tally.retried, tally.dead, tally.lost, dict(tally.left)) == (0, 0, 0, {})
    records = [fact.record for fact in memory.store.dump(TENANT) if isinstance(fact, Held)]
    said = [found for r in records if r.role is not Role.SUMMARY for found in FACT.findall(r.text)]
    assert sorted(r.text for r in records if r.role is Role.SUMMARY) == sorted(said)
    assert len(said) >= 3 * len(acknowledged)
