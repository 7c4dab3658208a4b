"""A killed process loses nothing that it acknowledged and leaves nothing half done. A writer in a process of its own
says each acknowledged write on a pipe; the test kills it (SIGKILL) after a random number of them and a random wait, so
at a random point of a later write, and looks at what the file holds.
"""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import graphmem
from graphmem.core.intervals import Intervals
from graphmem.core.labels import holds
from graphmem.core.records import GENERATION_OPEN, PREMISE_LEVEL, Mode
from graphmem.core.views import Held, LinkState
from graphmem.memory import Memory
from tests.memories import KEY
from tests.oracles import GROUNDING, Facts, naive

ROOT = Path(__file__).resolve().parents[2]
KILLS = {"ingest": 20, "retract": 20, "remember": 10}  # fifty in all
MOST_LINES = 12
MOST_TURNS = 200_000  # of an empty loop before a kill: some milliseconds, as long as a few writes
CHANCE = random.Random(17)

OPEN = "import sys, graphmem; m = graphmem.open(sys.argv[1], writer='crash')\n"
# Each prints what is acknowledged, at once, and goes on until it is killed.
WRITERS = {
    "remember": OPEN + "for n in range(10**9): print(m.remember(f'note {n}').id, flush=True)",
    "retract": OPEN
    + """
premise = sys.argv[2]
while True:
    for verb in (m.retract, m.reassert):
        written = verb(premise)
        if written.changed:  # the first one isn't when the last kill came after a retraction
            print(written.verb, written.commit, flush=True)
""",
    "ingest": OPEN
    + """
from pathlib import Path
tree = Path(sys.argv[2])
for n in range(10**9):
    text = f"def first():\\n    return second()\\n\\ndef second():\\n    return {n}\\n"
    (tree / f"module{n % 3}.py").write_text(text)
    print(n, m.ingest(tree, repository="tree", revision=f"r{n}").generation, flush=True)
""",
}


@contextmanager
def killed_after(lines: int, kind: str, *arguments: object) -> Iterator[list[str]]:
    """Run a writer, kill it once it has said that many lines, and give every line that it said."""
    command = [sys.executable, "-c", WRITERS[kind], *map(str, arguments)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        said = [writer.stdout.readline().strip() for _ in range(lines)]
        for _ in range(CHANCE.randrange(MOST_TURNS)):
            pass
        writer.kill()
        said += [line.strip() for line in writer.stdout if line.endswith("\n")]
    yield said


def facts_of(memory: Memory) -> tuple[Facts, dict[str, Held]]:
    """The facts of a memory as plain values, and its records."""
    facts, records = Facts(), {}
    for fact in memory.store.dump(memory.session.tenant):
        if isinstance(fact, Held):
            name = fact.record.id
            records[name] = fact
            facts.own[name] = fact.record.own
            facts.premise[name] = int(PREMISE_LEVEL[fact.record.role]) if fact.live else 0
            if fact.block:
                facts.blocked.add(name)
        elif isinstance(fact, LinkState) and fact.live:
            j = fact.justification
            facts.links[j.id] = (j.consequent, j.antecedents, j.mode is Mode.TIMELESS)
    return facts, records


def check_sound(path: Path) -> dict[str, Held]:
    """The file opens and is whole, and its labels are the least fixpoint of its facts; returns its records."""
    with graphmem.open(str(path), create=False, writer="after") as memory:
        facts, records = facts_of(memory)
    for level in (1, GROUNDING):
        expected: dict[str, Intervals] = naive(facts, level)
        assert {name: holds(held.label, level) for name, held in records.items()} == expected
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()
    return records


def lengths(kind: str) -> list[int]:
    """After how many acknowledgements to kill, once for each kill."""
    return [CHANCE.randint(1, MOST_LINES) for _ in range(KILLS[kind])]


def test_every_acknowledged_record_survives_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    graphmem.open(str(path), identity_key=KEY).close()
    acknowledged: set[str] = set()
    for lines in lengths("remember"):
        with killed_after(lines, "remember", path) as said:
            acknowledged.update(said)
        assert acknowledged <= check_sound(path).keys()


def premise_with_conclusions(path: Path) -> str:
    """A memory in which much rests on one premise, some of it in circles and some of it also on another; its id."""
    with graphmem.open(str(path), identity_key=KEY, writer="crash") as memory:
        premise = memory.remember("the pool has eight places").id
        other = memory.remember("the pool was measured").id
        above = [premise]
        for n in range(30):
            because = [above[n // 3], *([other] if n % 2 else [])]
            above.append(memory.remember(f"conclusion {n}", role="summary", because=because).id)
            if n % 5 == 0:
                memory.justify(above[-1], [other])
        memory.justify(above[1], [above[-1]])
    return premise


def test_a_kill_in_a_cascade_leaves_the_state_before_or_after(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    premise = premise_with_conclusions(path)
    for lines in lengths("retract"):
        with killed_after(lines, "retract", path, premise) as said:
            verb, commit = said[-1].split()
        held = bool(check_sound(path)[premise].live)
        with graphmem.open(str(path), create=False, writer="after") as memory:
            later = memory.status().commit - int(commit)
        # The write after the last acknowledged one may have been committed too, unheard.
        assert (later, held) in ((0, verb == "reassert"), (1, verb == "retract"))


def test_a_killed_ingest_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    path, tree = tmp_path / "memory.db", tmp_path / "tree"
    tree.mkdir()
    graphmem.open(str(path), identity_key=KEY).close()
    for lines in lengths("ingest"):
        with killed_after(lines, "ingest", path, tree) as said:
            number, generation = map(int, said[-1].split())
        living = [h.record.text for h in check_sound(path).values() if h.record.death == GENERATION_OPEN]
        with graphmem.open(str(path), create=False, writer="after") as memory:
            (head,) = memory.status().heads
        assert head.ordinal in (generation, generation + 1)
        assert head.revision in (f"r{number}", f"r{number + 1}")
        # All of that generation is there: every module's two functions, and the one that was written for it.
        functions = [text.strip() for text in living]
        assert f"def second():\n    return {head.revision.removeprefix('r')}" in functions
        assert sum("def first" in f for f in functions) == sum("def second" in f for f in functions)
