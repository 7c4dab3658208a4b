"""The stores side by side on the same work, as a caller sees it. Lives here: a SQLite and a Neo4j memory made by the
product's own verbs, warmed up, and the time of what is asked of both. Lives elsewhere: how cascades cost more as there
is more to fall or more in the memory (benchmarks.cascade).

The memory. Notes, each about one thing and mentioning another, so two edges with their provenance and evidence for
each, in commits of some thousand: that is the bulk load. Beside them premises with trees of summaries, ten under each
record.

The work. One durable `remember` at a time; `believe`; one hop from fifty notes; three hops capped at two hundred nodes;
`retract` of premises with 10 to 10,000 records under them, each retracted for the first time.

Neo4j is the managed local server in a folder of this run, or GRAPHMEM_TEST_NEO4J=bolt://user:password@host:port, whose
database must be empty.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from pathlib import Path
from statistics import median
from urllib.parse import quote

from benchmarks.cascade import FAN_OUT, SENTENCES, provenance, timed
from benchmarks.harness import Arguments, Promise, arguments, finish, show
from graphmem import Memory
from graphmem import open as open_memory
from graphmem.core.changes import Draft
from graphmem.core.records import Edge, Entity, Key, Record, Role, entity_id, named_edge
from graphmem.core.verbs import conclude, remember
from graphmem.core.views import Caps, View, Wanted
from graphmem.wiring import local_neo4j

NOTHING = Wanted()
GIVEN = "GRAPHMEM_TEST_NEO4J"
PART = 1_000  # notes of one commit of the bulk load, as an import has them
SHARED = 10  # notes about one thing
HOP = Caps(depth=1, nodes=400)
HOP_SEEDS = 50
NEAR = Caps(depth=3, nodes=200)
NEAR_SEEDS = 3
FLAT = 100  # records of a cascade that is measured in a memory of some thousand and again in the full one
GOALS = {
    "neo4j_cascade_100_ms": 15.0,
    "neo4j_cascade_1000_ms": 40.0,
    "neo4j_neighbourhood_200_ms": 15.0,
    "neo4j_cascade_flat_ratio": 1.5,
}
FLOORS = {"neo4j_bulk_records_per_s": 3_000.0}


@dataclass(frozen=True, slots=True)
class Size:
    """How much is loaded, for how many seconds each work is done before it is measured, how often a small one is
    measured, and how many premises are retracted by what falls with each."""

    notes: int
    warm_up_s: float
    repeats: int
    trees: dict[int, int]


FULL = Size(30_000, 25.0, 200, {10: 60, 100: 30, 1_000: 10, 10_000: 3})
QUICK = Size(4_000, 1.0, 40, {10: 20, 100: 10, 1_000: 3})


def thing(tenant: str, number: int) -> Entity:
    name = f"thing-{number}"
    return Entity(entity_id(tenant, "thing", "", name), tenant, "thing", name, name)


class Bench:
    """One store under measurement."""

    def __init__(self, memory: Memory, size: Size) -> None:
        self.memory = memory
        self.size = size
        self.tenant = memory.session.tenant
        self.notes: list[str] = []
        self.planted = 0
        self.figures: dict[str, float] = {}

    def run(self) -> dict[str, float]:
        alone = self.cascade(FLAT, [self.plant(FLAT) for _ in range(1 + self.size.trees[FLAT])])
        self.bulk()
        trees = {n: [self.plant(n) for _ in range(1 + many)] for n, many in self.size.trees.items()}
        writes = self.small(lambda n: self.memory.remember(f"a single note {n}", key=f"single-{n}#state", value=n))
        beliefs = self.small(lambda n: self.memory.believe(self.key_of(n)))
        self.figures |= {
            "write_p50_ms": median(writes),
            "write_p95_ms": high(writes),
            "belief_p95_ms": high(beliefs),
            "hop_50_ms": median(self.small(lambda n: self.near(n, HOP_SEEDS, HOP))),
            "neighbourhood_200_ms": median(self.small(lambda n: self.near(n, NEAR_SEEDS, NEAR))),
        }
        for affected, premises in trees.items():
            self.figures[f"cascade_{affected}_ms"] = self.cascade(affected, premises)
        self.figures["cascade_flat_ratio"] = self.figures[f"cascade_{FLAT}_ms"] / alone
        return self.figures

    def bulk(self) -> None:
        """Commits warm up until their time is over; what comes after them is counted."""
        done = PART * self.warm_up(lambda n: self.load(range(n * PART, (n + 1) * PART)), 2 * self.size.warm_up_s)
        started = time.perf_counter()
        for start in range(done, done + self.size.notes, PART):
            self.load(range(start, start + PART))
        self.figures["bulk_records_per_s"] = self.size.notes / (time.perf_counter() - started)

    def draft(self, wanted: Wanted = NOTHING) -> Draft:
        snapshot = self.memory.store.load(self.tenant, wanted)
        return Draft(snapshot, at=self.memory.clock.now(), writer="bench", verb="remember")

    def load(self, numbers: range) -> None:
        """Commit some notes with what they are about and mention."""
        draft = self.draft()
        for number in numbers:
            traced = provenance(f"day-{number // 100}")
            about, mentioned = (thing(self.tenant, n) for n in (number // SHARED, number // SHARED // 2))
            text = f"note {number}: {SENTENCES[number % len(SENTENCES)]}"
            key = Key(about.name, f"state-{number}")
            made = Record("", self.tenant, Role.OBSERVATION, text, key=key, value=str(number))
            note = remember(draft, made, traced)
            for kind, entity in (("about", about), ("mentions", mentioned)):
                edge = named_edge(Edge("", self.tenant, kind, note, entity.id, ((note,),), traced))
                draft.entities[entity.id] = entity
                draft.edges[edge.id] = edge
            self.notes.append(note)
        self.memory.store.apply(draft.finish())

    def plant(self, affected: int) -> str:
        """Commit a tree of that many records, part by part; returns the premise that they all rest on."""
        nodes: list[str] = []
        for start in range(0, affected, PART):
            places = range(start, min(start + PART, affected))
            parents = {(place - 1) // FAN_OUT for place in places if place} & set(range(len(nodes)))
            draft = self.draft(Wanted(records=tuple(nodes[p] for p in sorted(parents))))
            for place in places:
                self.planted += 1
                role = Role.SUMMARY if place else Role.OBSERVATION
                made = Record("", self.tenant, role, f"planted {self.planted}: {SENTENCES[place % len(SENTENCES)]}")
                if place:
                    parent = nodes[(place - 1) // FAN_OUT]
                    nodes.append(conclude(draft, made, (parent,), "bench", provenance("summaries"))[0])
                else:
                    nodes.append(remember(draft, made, provenance("premises")))
            self.memory.store.apply(draft.finish())
        return nodes[0]

    def key_of(self, number: int) -> str:
        note = number * SHARED % len(self.notes)
        return f"thing-{note // SHARED}#state-{note}"

    def near(self, number: int, seeds: int, caps: Caps) -> None:
        start = number * seeds % (len(self.notes) - seeds)
        view = View(self.tenant, self.memory.clock.now())
        found = self.memory.store.neighbourhood(view, self.notes[start : start + seeds], caps)
        if not found.edges:
            raise AssertionError("nothing was near")

    def small(self, work: Callable[[int], object]) -> list[float]:
        """Milliseconds of each of many."""
        done = self.warm_up(work)
        return [timed(partial(work, number))[0] * 1e3 for number in range(done, done + self.size.repeats)]

    def warm_up(self, work: Callable[[int], object], seconds: float = 0.0) -> int:
        """Work until the time is up, by default the size's; returns how often."""
        end = time.perf_counter() + (seconds or self.size.warm_up_s)
        for number in count():
            if time.perf_counter() > end:
                return number
            work(number)
        raise AssertionError("a count ends nowhere")

    def cascade(self, affected: int, premises: list[str]) -> float:
        """The first premise comes and goes until the store is warm; each of the others is retracted once. Returns the
        median in milliseconds."""
        spare, *others = premises
        verbs = (self.memory.retract, self.memory.reassert)
        self.warm_up(lambda number: verbs[number % 2](spare))
        taken = []
        for premise in others:
            seconds, written = timed(partial(self.memory.retract, premise))
            if len(written.fell) != affected:
                raise AssertionError(f"{len(written.fell)} records fell, not {affected}")
            taken.append(seconds * 1e3)
        return median(taken)


def high(taken: list[float]) -> float:
    """What nineteen of twenty stay under."""
    return sorted(taken)[int(len(taken) * 0.95)]


@contextmanager
def neo4j_url(folder: Path) -> Iterator[str]:
    """The URL of an empty Neo4j: the one that was given, else a local one for this run."""
    if given := os.environ.get(GIVEN):
        yield given
        return
    server = local_neo4j(str(folder))
    try:
        url = server.start().url or ""
        yield url.replace("neo4j@", f"neo4j:{quote(server.password(), safe='')}@")
    finally:
        server.stop()


def measured(name: str, url: str, size: Size) -> dict[str, float]:
    with open_memory(url, writer="bench") as memory:
        if memory.status().counts["record"]:
            raise SystemExit(f"{name}: the memory isn't empty")
        return Bench(memory, size).run()


def main(asked: Arguments) -> None:
    size = QUICK if asked.quick else FULL
    at_once = replace(size, warm_up_s=min(1.0, size.warm_up_s))  # SQLite compiles nothing as it goes
    with tempfile.TemporaryDirectory(dir=asked.data) as folder, neo4j_url(Path(folder) / "neo4j") as server:
        urls = {"sqlite": str(Path(folder) / "memory.db"), "neo4j": server}
        found = {name: measured(name, url, size if name == "neo4j" else at_once) for name, url in urls.items()}
    show(
        f"the same work on both, {size.notes:,} notes with two edges each",
        ("figure", *found),
        [(figure, *(found[name][figure] for name in found)) for figure in found["sqlite"]],
    )
    figures = {f"{name}_{figure}": value for name, each in found.items() for figure, value in each.items()}
    finish([promise(name, value) for name, value in figures.items()], asked.json)


def promise(name: str, figure: float) -> Promise:
    if name in FLOORS:
        return Promise(name, figure, FLOORS[name], ">=")
    return Promise(name, figure, GOALS.get(name))


if __name__ == "__main__":
    main(arguments(__doc__ or ""))
