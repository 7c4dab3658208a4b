"""What a retraction costs, by how much it affects and by how much there is. Lives here: synthetic SQLite memories, and
the time of `Memory.retract` and `Memory.reassert` on them as a caller sees it, durable commit included.

The shape. A premise carries a tree of summaries, ten under each record. In the plain shape a summary rests on its
parent alone, and all of the tree falls with the premise. In the mixed shape a summary rests on its parent and on an
observation that stays IN, and every eleventh record of the tree is a leaf that also has another justification, which
holds: it doesn't fall, but must find that other support. Affected are the records whose label changes, the premise
among them: those that fall and those that change their support.

The rest of the memory is like it: half of its records are mixed trees of ten, half are observations that nothing rests
on. Every figure is the median over first retractions of different premises, each followed by its reassertion.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import median
from typing import TypeVar

from benchmarks.harness import Arguments, Promise, arguments, finish, show
from graphmem import Memory
from graphmem import open as open_memory
from graphmem.core.changes import Draft
from graphmem.core.provenance import Method, Provenance
from graphmem.core.records import Record, Role
from graphmem.core.verbs import conclude, remember
from graphmem.core.views import Held, LinkState, Wanted

FAN_OUT = 10
BATCH = 20_000  # records of one commit while building
SETS = {10: 80, 100: 40, 1_000: 20, 10_000: 3}  # how many premises of each shape are retracted, by affected records
SHARE = 4  # a set is only prepared so often that all of one kind take at most this part of the memory
SHAPES = ("plain", "mixed")
SIZES = (10_000, 100_000, 1_000_000)
QUICK_SIZES = SIZES[:2]
T = TypeVar("T")
WORDS = "the pool closes every connection that a worker left open after its last request was answered".split()
SENTENCES = [" ".join(WORDS[n:] + WORDS[:n]) for n in range(len(WORDS))]


@dataclass(frozen=True, slots=True)
class Tree:
    """A premise, and how many records fall with it."""

    premise: str
    falling: int


@dataclass
class Built:
    """A memory of one size, with the premises to retract by shape and by how much they affect."""

    path: Path
    records: int = 0
    seconds: float = 0.0
    premises: dict[tuple[str, int], list[Tree]] = field(default_factory=dict)


def provenance(name: str) -> Provenance:
    return Provenance("document", f"notes/{name}.md", "bench", Method.ASSERTED, 1)


class Planter:
    """Plans records into drafts and commits a draft when it is full; counts what it has planned."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.count = 0
        self.draft = self.fresh()

    def fresh(self) -> Draft:
        snapshot = self.memory.store.load(self.memory.session.tenant, Wanted())
        return Draft(snapshot, at=self.memory.clock.now(), writer="bench", verb="remember")

    def commit(self) -> None:
        self.memory.store.apply(self.draft.finish())
        self.draft = self.fresh()

    def room_for(self, records: int) -> None:
        if len(self.draft.records) + records > BATCH:
            self.commit()

    def record(self, role: Role) -> Record:
        self.count += 1
        text = f"note {self.count}: {SENTENCES[self.count % len(SENTENCES)]}"
        return Record("", self.memory.session.tenant, role, text)

    def observation(self) -> str:
        return remember(self.draft, self.record(Role.OBSERVATION), provenance(f"day-{self.count // 100}"))

    def summary(self, *reasons: tuple[str, ...]) -> str:
        traced = provenance("summaries")
        first, *others = reasons
        record = self.record(Role.SUMMARY)
        name, _ = conclude(self.draft, record, first, "bench", traced)
        for because in others:
            conclude(self.draft, self.draft.held[name].record, because, "bench", traced)
        return name

    def tree(self, affected: int, *, mixed: bool) -> Tree:
        """Plan a premise whose retraction changes the label of exactly that many records."""
        self.room_for(affected + 1)
        nodes = [self.observation()]
        stays = (self.observation(),) if mixed else ()
        for place in range(1, affected):
            parent = nodes[(place - 1) // FAN_OUT]
            if mixed and place % (FAN_OUT + 1) == FAN_OUT - 1:
                self.summary((parent,), stays)
            else:
                nodes.append(self.summary((parent, *stays)))
        return Tree(nodes[0], len(nodes))


def build(path: Path, size: int) -> Built:
    """A memory of about `size` records, made by the product's own verbs in big commits."""
    built = Built(path)
    started = time.perf_counter()
    with open_memory(str(path), writer="bench") as memory:
        planter = Planter(memory)
        for affected, repeats in SETS.items():
            for shape in SHAPES:
                fitting = min(repeats, size // (SHARE * affected))
                trees = [planter.tree(affected, mixed=shape == "mixed") for _ in range(fitting)]
                built.premises[shape, affected] = trees
        while planter.count < size:
            planter.tree(FAN_OUT, mixed=True)
            for _ in range(FAN_OUT):
                planter.observation()
        planter.commit()
        built.records = planter.count
    built.seconds = time.perf_counter() - started
    return built


@dataclass(frozen=True, slots=True)
class Row:
    """Median seconds for one size, shape and number of affected records."""

    size: int
    shape: str
    affected: int
    retract: float
    reassert: float


def timed(action: Callable[[], T]) -> tuple[float, T]:
    """How many seconds an action takes, and what it gives."""
    started = time.perf_counter()
    result = action()
    return time.perf_counter() - started, result


def measure(built: Built, size: int) -> Iterator[Row]:
    """Retract and reassert every prepared premise; each pair leaves the labels as they were."""
    with open_memory(str(built.path), writer="bench") as memory:
        for (shape, affected), premises in built.premises.items():
            taken, given = [], []
            for tree in premises:
                seconds, written = timed(partial(memory.retract, tree.premise))
                if len(written.fell) != tree.falling:
                    raise AssertionError(f"{len(written.fell)} records fell, not {tree.falling}")
                taken.append(seconds)
                given.append(timed(partial(memory.reassert, tree.premise))[0])
            if premises:
                yield Row(size, shape, affected, median(taken), median(given))


def naive_seconds(built: Built) -> float:
    """One label of every record from nothing by the plain rule, over facts already in memory."""
    with open_memory(str(built.path), writer="bench") as memory:
        premises: set[str] = set()
        reasons: dict[str, list[tuple[str, ...]]] = {}
        for fact in memory.store.dump(memory.session.tenant):
            match fact:
                case Held(live=live, record=record) if live:
                    premises.add(record.id)
                case LinkState(justification=link):
                    reasons.setdefault(link.consequent, []).append(link.antecedents)
    return timed(partial(fixpoint, premises, reasons))[0]


def fixpoint(premises: set[str], reasons: Mapping[str, list[tuple[str, ...]]]) -> set[str]:
    """Every record that holds: the premises, and again and again what has a reason that holds."""
    found = set(premises)
    while True:
        more = {r for r, sets in reasons.items() if r not in found and any(map(found.issuperset, sets))}
        if not more:
            return found
        found |= more


def promises(rows: list[Row], largest: int) -> list[Promise]:
    """The promised figures at the largest size, from the plain shape; the mixed one is told beside it."""
    at = {(r.shape, r.size, r.affected): r.retract for r in rows}
    smallest = min(r.size for r in rows)
    ratios = [at[s, largest, f] / seconds for (s, size, f), seconds in at.items() if size == smallest]
    note = "" if largest == max(SIZES) else f"quick: the largest memory has {largest:,} records"
    return [
        Promise("sqlite_retract_10_ms", max(at[s, largest, 10] for s in SHAPES) * 1e3, 1.0, note=note),
        Promise("sqlite_us_per_record_1k", at["plain", largest, 1_000] * 1e6 / 1_000, 8.0, note=note),
        Promise("sqlite_us_per_record_1k_mixed", at["mixed", largest, 1_000] * 1e6 / 1_000, note=note),
        Promise("sqlite_flat_ratio", max(ratios), 1.5, "<", note=note),
    ]


def main(asked: Arguments) -> None:
    sizes = QUICK_SIZES if asked.quick else SIZES
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(dir=asked.data) as folder:
        for size in sizes:
            built = build(Path(folder) / f"{size}.db", size)
            rate, weight = built.records / built.seconds, built.path.stat().st_size / built.records
            print(f"built {built.records:,} records: {rate:,.0f} records/s, {weight:,.0f} bytes each")
            rows += measure(built, size)
            if size == min(sizes):
                print(f"a full recompute of its labels by the plain rule: {naive_seconds(built) * 1e3:.1f} ms")
    show(
        "retract and reassert, medians",
        ("shape", "records", "affected", "retract ms", "reassert ms", "us per affected"),
        [(r.shape, r.size, r.affected, r.retract * 1e3, r.reassert * 1e3, r.retract * 1e6 / r.affected) for r in rows],
    )
    finish(promises(rows, max(sizes)), asked.json)


if __name__ == "__main__":
    main(arguments(__doc__ or ""))
