"""What a retraction costs, by how much falls and by how much there is. Lives here: synthetic SQLite memories, and the time of
`Memory.retract` and `Memory.reassert` on them as a caller sees it, durable commit included.

The shape. A premise carries a tree of summaries, ten under each record, so that retracting the premise turns exactly the
asked number of records OUT (itself included). In the plain shape a summary rests on its parent alone. In the mixed shape
it rests on its parent and on an observation that stays IN, and beside every ten of them stands one more summary that also
has another justification, which holds: it changes its support and stays IN. Promises are measured on the mixed shape.

The rest of the memory is like it: half of its records are mixed trees of ten, half are observations that nothing rests on.
Every figure is the median over retractions of different premises; each is followed by its reassertion.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from benchmarks.harness import Arguments, Promise, arguments, finish, show
from graphmem import Memory
from graphmem import open as open_memory
from graphmem.core.changes import Draft
from graphmem.core.provenance import Method, Provenance
from graphmem.core.records import Record, Role
from graphmem.core.verbs import conclude, remember
from graphmem.core.views import Wanted

FAN_OUT = 10
BATCH = 20_000  # records of one commit while building
SETS = {10: 30, 100: 20, 1_000: 8, 10_000: 2}  # how many premises are retracted, by what falls with each
SIZES = (10_000, 100_000, 1_000_000)
QUICK_SIZES = SIZES[:2]
ROUNDS = 2  # retractions of each premise; the first one, on cold pages, counts too
WORDS = "the pool closes every connection that a worker left open after its last request was answered".split()


@dataclass
class Built:
    """A memory of one size, with the premises to retract by shape and by what falls."""

    path: Path
    records: int = 0
    seconds: float = 0.0
    premises: dict[tuple[str, int], list[str]] = field(default_factory=dict)


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
        words = (WORDS[(self.count * k) % len(WORDS)] for k in range(1, 13))
        return Record("", self.memory.session.tenant, role, f"note {self.count}: {' '.join(words)}")

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

    def tree(self, falling: int, *, mixed: bool) -> str:
        """Plan a premise under which exactly `falling` records fall, itself counted; returns its id."""
        self.room_for(falling + falling // FAN_OUT + 2)
        nodes = [self.observation()]
        stays = (self.observation(),) if mixed else ()
        for place in range(1, falling):
            parent = nodes[(place - 1) // FAN_OUT]
            nodes.append(self.summary((parent, *stays)))
            if mixed and place % FAN_OUT == 0:
                self.summary((parent,), stays)
        return nodes[0]


def build(path: Path, size: int) -> Built:
    """A memory of about `size` records, made by the product's own verbs in big commits."""
    built = Built(path)
    started = time.perf_counter()
    with open_memory(str(path), writer="bench") as memory:
        planter = Planter(memory)
        for falling, repeats in SETS.items():
            for shape in ("plain", "mixed"):
                fitting = min(repeats, size // (8 * falling))
                trees = [planter.tree(falling, mixed=shape == "mixed") for _ in range(fitting)]
                built.premises[shape, falling] = trees
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
    """Median seconds for one size, shape and number of falling records."""

    size: int
    shape: str
    falling: int
    retract: float
    reassert: float


def timed(action: Callable[[], object]) -> float:
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def measure(built: Built, size: int) -> Iterator[Row]:
    """Retract and reassert every prepared premise; each pair leaves the labels as they were."""
    with open_memory(str(built.path), writer="bench") as memory:
        for (shape, falling), premises in built.premises.items():
            taken, given = [], []
            for premise in [p for _ in range(ROUNDS) for p in premises]:
                started = time.perf_counter()
                written = memory.retract(premise)
                taken.append(time.perf_counter() - started)
                if len(written.fell) != falling:
                    raise AssertionError(f"{len(written.fell)} records fell, not {falling}")
                given.append(timed(lambda premise=premise: memory.reassert(premise)))  # type: ignore[misc]
            if premises:
                yield Row(size, shape, falling, median(taken), median(given))


def naive_seconds(built: Built) -> float:
    """One label of every record from nothing by the plain rule, over facts already in memory."""
    with open_memory(str(built.path), writer="bench") as memory:
        tenant = memory.session.tenant
        held = {}
        reasons: dict[str, list[tuple[str, ...]]] = {}
        for fact in memory.store.dump(tenant):
            record = getattr(fact, "record", None)
            link = getattr(fact, "justification", None)
            if record is not None:
                held[record.id] = bool(fact.live)  # type: ignore[union-attr]
            elif link is not None:
                reasons.setdefault(link.consequent, []).append(link.antecedents)
    return timed(lambda: fixpoint({r for r, live in held.items() if live}, reasons))


def fixpoint(premises: set[str], reasons: dict[str, list[tuple[str, ...]]]) -> set[str]:
    """Every record that holds: the premises, and again and again what has a reason that holds."""
    found = set(premises)
    while True:
        more = {r for r, all_of in reasons.items() if r not in found and any(found.issuperset(a) for a in all_of)}
        if not more:
            return found
        found |= more


def promises(rows: list[Row], largest: int) -> list[Promise]:
    """The three promised figures, from the mixed shape at the largest size."""
    at = {(r.size, r.falling): r.retract for r in rows if r.shape == "mixed"}
    smallest = min(r.size for r in rows)
    ratios = [at[largest, f] / at[smallest, f] for f in SETS if (smallest, f) in at]
    note = "" if largest == max(SIZES) else f"quick: the largest memory has {largest:,} records"
    return [
        Promise("sqlite_retract_10_ms", at[largest, 10] * 1e3, 1.0, note=note),
        Promise("sqlite_us_per_record_1k", at[largest, 1_000] * 1e6 / 1_000, 8.0, note=note),
        Promise("sqlite_flat_ratio", max(ratios), 1.5, "<", note=note),
    ]


def main(asked: Arguments) -> None:
    sizes = QUICK_SIZES if asked.quick else SIZES
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(dir=asked.data) as folder:
        for size in sizes:
            built = build(Path(folder) / f"{size}.db", size)
            weight = built.path.stat().st_size / built.records
            print(f"{built.records:,} records: {built.records / built.seconds:,.0f} records/s, {weight:,.0f} bytes each")
            rows += measure(built, size)
            if size == min(sizes):
                print(f"a full recompute of its labels by the plain rule: {naive_seconds(built) * 1e3:.1f} ms")
    show(
        "retract and reassert, medians",
        ("shape", "records", "falling", "retract ms", "reassert ms", "us per fallen record"),
        [
            (r.shape, r.size, r.falling, r.retract * 1e3, r.reassert * 1e3, r.retract * 1e6 / r.falling)
            for r in rows
        ],
    )
    finish(promises(rows, max(sizes)), asked.json)


if __name__ == "__main__":
    main(arguments(__doc__ or ""))
