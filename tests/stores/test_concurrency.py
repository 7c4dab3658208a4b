"""Several processes and threads on one memory. No write is lost, nobody hears that the file is locked, readers see
whole commits only, and of those that want the same thing one wins while the others hear of it or start over. Work is
bounded by counts; processes start together because they wait for a line on their standard input.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

import graphmem
from tests.memories import KEY

ROOT = Path(__file__).resolve().parents[2]
WRITERS, WRITES = 2, 400
SAME_FACT = 20

START = "import sys, graphmem; path, me = sys.argv[1:3]; sys.stdin.readline()\n"
OPEN = "import sys, graphmem; path, me = sys.argv[1:3]; m = graphmem.open(path, writer=me); sys.stdin.readline()\n"

OPENER = START + "graphmem.open(path, writer=me).close()"
WRITER = OPEN + f"for n in range({WRITES}): print(m.remember(f'{{me}} says {{n}}', source=me).id)"
ONE_FACT = OPEN + "print(m.remember('the pool has eight places', source=f'note-{me}').id)"
INGESTER = (
    OPEN
    + """
from graphmem.core.errors import Conflict
try:
    print('generation', m.ingest(sys.argv[3], repository='tree', revision=me).generation)
except Conflict as error:
    print('conflict', error.retryable)
"""
)
# Looks at a pair that one commit writes together: a supersession ends the old record where the new one begins.
READER = (
    OPEN
    + """
from graphmem.core.views import View
while True:
    line = sys.stdin.readline()
    found = m.believe('pool#size', at='2030-01-01')
    print(len(found.contested), found.value, flush=True)
    if line.strip() == 'stop':
        break
"""
)


def start(script: str, *arguments: object) -> subprocess.Popen[str]:
    """A process that has come to the point where it waits for a line."""
    command = [sys.executable, "-c", script, *map(str, arguments)]
    return subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def run_together(processes: Sequence[subprocess.Popen[str]]) -> list[list[str]]:
    """Let the processes go at once; returns the lines of each. A process that fails fails the test."""
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    said = [process.communicate()[0].split("\n")[:-1] for process in processes]
    assert [process.returncode for process in processes] == [0] * len(processes)
    return said


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "memory.db"
    graphmem.open(str(found), identity_key=KEY).close()
    return found


def test_processes_that_make_one_memory_at_once_all_get_it(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    run_together([start(OPENER, path, n) for n in range(6)])
    with graphmem.open(str(path), create=False) as memory:
        assert memory.status().counts["record"] == 0


def test_two_processes_writing_at_once_lose_nothing(path: Path) -> None:
    said = run_together([start(WRITER, path, f"writer-{n}") for n in range(WRITERS)])
    assert [len(lines) for lines in said] == [WRITES] * WRITERS
    with graphmem.open(str(path), create=False) as memory:
        ids = [name for lines in said for name in lines]
        assert len(memory.held_all(ids)) == WRITERS * WRITES == len(set(ids))
        assert memory.status().counts["commits"] == WRITERS * WRITES


def test_a_reader_meanwhile_sees_whole_commits_only(path: Path) -> None:
    with graphmem.open(str(path), writer="ann") as memory, start(READER, path, "reader") as reader:
        assert reader.stdin is not None and reader.stdout is not None
        reader.stdin.write("go\n")
        current = memory.remember("it has size 0", key="pool#size", value=0, observed_at="2026-01-01").id
        for size in range(1, 60):
            reader.stdin.write("look\n")
            reader.stdin.flush()
            current = memory.supersede(current, f"it has size {size}", value=size, how="correct").id
            contested, value = reader.stdout.readline().split()
            # Between the two records of a commit there would be none, or two that disagree.
            assert (contested, value) in (("0", str(size - 1)), ("0", str(size)))
        reader.communicate("stop\n")


def test_threads_share_one_memory(path: Path) -> None:
    threads, each = 8, 25
    with graphmem.open(str(path), writer="ann") as memory, ThreadPoolExecutor(threads) as pool:
        together = Barrier(threads)

        def work(thread: int) -> list[str]:
            together.wait()
            return [memory.remember(f"thread {thread} says {n}").id for n in range(each) if memory.status()]

        ids = [name for names in pool.map(work, range(threads)) for name in names]
        assert len(memory.held_all(ids)) == threads * each == len(set(ids))


def test_many_threads_that_assert_one_fact_make_one_record_with_every_assertion(path: Path) -> None:
    with graphmem.open(str(path), writer="ann") as memory, ThreadPoolExecutor(SAME_FACT) as pool:
        together = Barrier(SAME_FACT)

        def work(thread: int) -> str:
            together.wait()
            return memory.remember("the pool has eight places", source=f"note-{thread}").id

        (fact,) = set(pool.map(work, range(SAME_FACT)))
        found = {a.provenance.locator for a in memory.held(fact).live}
        assert found == {f"note-{n}" for n in range(SAME_FACT)}


def test_many_processes_that_assert_one_fact_make_one_record_with_every_assertion(path: Path) -> None:
    said = run_together([start(ONE_FACT, path, n) for n in range(SAME_FACT)])
    (fact,) = {line for lines in said for line in lines}
    with graphmem.open(str(path), create=False) as memory:
        found = {(a.provenance.writer, a.provenance.locator) for a in memory.held(fact).live}
        assert found == {(str(n), f"note-{n}") for n in range(SAME_FACT)}
        assert memory.status().counts["record"] == 1


def test_two_ingests_of_one_repository_at_once_never_share_a_generation(path: Path, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    for n in range(30):
        (tree / f"module{n}.py").write_text(f"def work{n}():\n    return {n}\n", encoding="utf-8")
    said = run_together([start(INGESTER, path, f"r{n}", tree) for n in range(2)])
    outcomes = sorted(line for lines in said for line in lines)
    assert outcomes in (["conflict True", "generation 1"], ["generation 1", "generation 2"])
    with graphmem.open(str(path), create=False) as memory:
        entries = memory.store.entries(memory.session.tenant, "tree")
        assert [g.ordinal for g in entries.generations] == list(range(1, len(entries.generations) + 1))
        assert memory.status().roles == {"source": 30}
