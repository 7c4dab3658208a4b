"""What truth maintenance costs, and what it saves against computing every label anew. Lives here: SQLite and Neo4j
memories of premises with trees of summaries, the time of `retract` and `reassert` by how much they affect, of `believe`
and of `why` for proofs ten justifications deep, and full recomputation in the same run. Lives elsewhere: how cascades
grow with the memory (benchmarks.cascade), the stores side by side (benchmarks.stores).

Full recomputation has its network in memory, as plain tuples, before the clock starts: it reads and writes no store.
One way is the naive rule, round after round over every record until no label changes. The other is networkx, which
makes a graph and finds what the remaining premises reach; a summary of a tree rests on one record, so that is exact.
Both are held against what fell. The speed-up is over the faster of the two.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from statistics import median

import networkx as nx

from benchmarks.cascade import FAN_OUT, Planter, Tree, provenance, timed
from benchmarks.harness import Arguments, Promise, arguments, finish, show
from benchmarks.stores import high, neo4j_url
from graphmem import Memory
from graphmem import open as open_memory
from graphmem.core.intervals import ALWAYS, NEVER, Intervals, intersect, normalise
from graphmem.core.records import Key, Role
from graphmem.core.verbs import conclude, remember

DEPTH = 10
CHAINS = 50
KEYS = 200
SAYING = 3  # records of one key
REPEATS, QUICK_REPEATS = 400, 60  # beliefs and proofs asked for
SETS = {10: 40, 100: 30, 1_000: 8, 10_000: 3}
SHARE = 8  # all trees of one kind take at most this part of the memory
WARM_UP = 20  # retractions and reassertions of a spare premise; Neo4j plans and compiles during the first
SIZES, QUICK_SIZES = (100_000, 1_000_000), (20_000,)
NEO4J_SIZES, QUICK_NEO4J_SIZES = (100_000,), (2_000,)
GOALS = {"cascade_100_speedup_vs_full": 1_000.0, "belief_p95_ms": 1.0, "why_depth10_p95_ms": 5.0}
AFFECTED = 100  # of the cascade that full recomputation is measured against


@dataclass
class Filled:
    """What a memory was filled with: its network, the premises to retract, what has a deep proof, and keys."""

    premises: list[str] = field(default_factory=list)
    reasons: dict[str, str] = field(default_factory=dict)  # of the trees: a summary and the one record it rests on
    trees: dict[int, list[Tree]] = field(default_factory=dict)
    chains: list[str] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)


class Filler(Planter):
    """Plants, and keeps the network of what it planted."""

    def __init__(self, memory: Memory) -> None:
        self.filled = Filled()
        super().__init__(memory)

    def commit(self) -> None:
        self.filled.premises += [name for name, r in self.draft.records.items() if r.role is Role.OBSERVATION]
        singles = (j for j in self.draft.justifications.values() if len(j.antecedents) == 1)
        self.filled.reasons |= {j.consequent: j.antecedents[0] for j in singles}
        super().commit()

    def fill(self, size: int) -> Filled:
        for number in range(KEYS):
            self.key(f"thing-{number}")
        self.filled.chains = [self.chain() for _ in range(CHAINS)]
        for affected, repeats in SETS.items():
            fitting = min(repeats, size // (SHARE * affected))
            self.filled.trees[affected] = [self.tree(affected, mixed=False) for _ in range(fitting)]
        while self.count < size:
            self.tree(FAN_OUT, mixed=False)
            for _ in range(FAN_OUT):
                self.observation()
        self.commit()
        return self.filled

    def key(self, name: str) -> None:
        self.room_for(SAYING)
        for said in range(SAYING):
            key = Key(name, "state")
            made = replace(self.record(Role.OBSERVATION), key=key, value=str(said))
            self.filled.keys += [str(key)] if not said else []
            remember(self.draft, made, provenance(f"day-{said}"))

    def chain(self) -> str:
        """A record whose proof is DEPTH justifications deep, each with an observation beside."""
        self.room_for(2 * DEPTH + 1)
        below = self.observation()
        for _ in range(DEPTH):
            because = (below, self.observation())
            below, _ = conclude(self.draft, self.record(Role.SUMMARY), because, "bench", provenance("chains"))
        return below


@dataclass(frozen=True, slots=True)
class Cascade:
    """Median milliseconds by how many records a retraction affects."""

    affected: int
    retract: float
    reassert: float


def cascades(memory: Memory, trees: Mapping[int, list[Tree]]) -> list[Cascade]:
    """Retract and reassert; the first premise of each kind is a spare to warm up with. Labels end as they began."""
    found = []
    for affected, (spare, *others) in ((a, t) for a, t in trees.items() if len(t) > 1):
        for _ in range(max(1, WARM_UP * AFFECTED // max(affected, AFFECTED))):
            memory.retract(spare.premise)
            memory.reassert(spare.premise)
        taken, given = [], []
        for tree in others:
            seconds, written = timed(partial(memory.retract, tree.premise))
            back, again = timed(partial(memory.reassert, tree.premise))
            if not len(written.fell) == len(again.rose) == tree.falling:
                raise AssertionError(f"{len(written.fell)} fell, {len(again.rose)} rose, not {tree.falling}")
            taken.append(seconds * 1e3)
            given.append(back * 1e3)
        found.append(Cascade(affected, median(taken), median(given)))
    return found


def asked(memory: Memory, filled: Filled, repeats: int) -> dict[str, list[float]]:
    """Milliseconds of beliefs and of deep proofs, after a round to warm up."""
    for name, key in zip(filled.chains, filled.keys, strict=False):
        memory.why(name)
        memory.believe(key)
    beliefs = [timed(partial(memory.believe, key)) for key in islice(cycle(filled.keys), repeats)]
    proofs = [timed(partial(memory.why, name)) for name in islice(cycle(filled.chains), repeats)]
    if any(b.winner is None or len(b.contested) != SAYING - 1 for _, b in beliefs):
        raise AssertionError("a key has no belief, or too few records speak to it")
    if any(why.proof is None or why.proof.rank != DEPTH for _, why in proofs):
        raise AssertionError("a proof isn't as deep as it was planted")
    return {"belief": [s * 1e3 for s, _ in beliefs], "why": [s * 1e3 for s, _ in proofs]}


def by_rule(premises: Iterable[str], reasons: Mapping[str, str]) -> set[str]:
    """What holds, by the naive rule: each round gives every record the label that the last one's labels give it."""
    standing = set(premises)
    holds: dict[str, Intervals] = {}
    while True:
        after = {name: _label(holds, name in standing, reasons.get(name)) for name in (*standing, *reasons)}
        if after == holds:
            return {name for name, label in holds.items() if label}
        holds = after


def _label(holds: Mapping[str, Intervals], premise: bool, reason: str | None) -> Intervals:
    given = [*(ALWAYS if premise else ()), *(holds.get(reason, NEVER) if reason else ())]
    return intersect(ALWAYS, normalise(given))


def by_networkx(premises: Iterable[str], reasons: Mapping[str, str]) -> set[str]:
    """What holds, as what the premises reach."""
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(premises)
    graph.add_edges_from((reason, name) for name, reason in reasons.items())
    return {name for layer in nx.bfs_layers(graph, list(premises)) for name in layer}


def recomputed(filled: Filled) -> dict[str, float]:
    """Milliseconds of computing every label anew after one retraction, by each way; both must find what fell."""
    tree = filled.trees[AFFECTED][0]
    rest = [name for name in filled.premises if name != tree.premise]
    everything = len(set(filled.premises) | filled.reasons.keys())
    found = {}
    for way, compute in {"networkx": by_networkx, "naive rule": by_rule}.items():
        seconds, holding = timed(partial(compute, rest, filled.reasons))
        if everything - len(holding) != tree.falling:
            raise AssertionError(f"{way}: {everything - len(holding)} fell, not {tree.falling}")
        found[way] = seconds * 1e3
    return found


def measure(url: str, name: str, size: int, repeats: int) -> dict[str, float]:
    """Fill a memory, show its tables, and give its figures."""
    with open_memory(url, writer="bench") as memory:
        filled = Filler(memory).fill(size)
        found = cascades(memory, filled.trees)
        times = asked(memory, filled, repeats)
    full = recomputed(filled)
    show(
        f"{name}, {size:,} records: milliseconds, and how many times that full recomputation takes",
        ("affected", "retract", "reassert", *full),
        [(f"{c.affected:,}", c.retract, c.reassert, *(ms / c.retract for ms in full.values())) for c in found],
    )
    show("milliseconds", ("question", "p50", "p95"), [(q, median(ms), high(ms)) for q, ms in times.items()])
    hundred = next(c for c in found if c.affected == AFFECTED)
    return {
        "cascade_100_ms": hundred.retract,
        "reassert_100_ms": hundred.reassert,
        "cascade_100_speedup_vs_full": min(full.values()) / hundred.retract,
        "belief_p95_ms": high(times["belief"]),
        "why_depth10_p95_ms": high(times["why"]),
    }


def main(wanted: Arguments) -> None:
    repeats = QUICK_REPEATS if wanted.quick else REPEATS
    sizes, server_sizes = (QUICK_SIZES, QUICK_NEO4J_SIZES) if wanted.quick else (SIZES, NEO4J_SIZES)
    with tempfile.TemporaryDirectory(dir=wanted.data) as folder:
        for size in sizes:
            figures = measure(str(Path(folder) / f"{size}.db"), "SQLite", size, repeats)
        with neo4j_url(Path(folder) / "neo4j") as server:
            for size in server_sizes:
                figures["neo4j_cascade_100_ms"] = measure(server, "Neo4j", size, repeats)["cascade_100_ms"]
    told = ("cascade_100_speedup_vs_full", "belief_p95_ms", "why_depth10_p95_ms", "reassert_100_ms")
    senses = {"cascade_100_speedup_vs_full": ">="}
    note = f"SQLite, {max(sizes):,} records"
    promises = [Promise(name, figures[name], GOALS.get(name), senses.get(name, "<="), note) for name in told]
    last = Promise("neo4j_cascade_100_ms", figures["neo4j_cascade_100_ms"], note=f"{max(server_sizes):,} records")
    finish([*promises, last], wanted.json)


if __name__ == "__main__":
    main(arguments(__doc__ or ""))
