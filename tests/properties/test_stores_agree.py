"""Memory, SQLite and Neo4j give the same answers to the same script. Each script runs through the Python API as a
tenant of its own, so that no store is wiped between them and all three count the same commits.

Held equal: the acknowledgement of every write (dry runs too, and the error of each that is refused), and at the end
records, labels, beliefs, reasons and counts, beliefs and reasons as of an earlier commit too. Which of several proofs a
store gives is its own; that it has one, and how firm, is not. Whether the common answer is right is for test_stateful
and the conformance suite.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import settings

from graphmem.adapters.store_memory import MemoryStore
from graphmem.adapters.store_sqlite import SqliteStore
from graphmem.core.envelope import record_json
from graphmem.core.errors import GraphmemError
from graphmem.core.explain import prove, refute
from graphmem.core.labels import shape
from graphmem.core.times import parse_time
from graphmem.core.views import LATEST, Held, Wanted
from graphmem.memory import Memory
from graphmem.ports.store import Store
from graphmem.services.committing import Written
from tests.conformance.emptied import neo4j_store
from tests.memories import KEY, FakeClock, memory_over, view
from tests.servers.neo4j import Neo4j

pytestmark = pytest.mark.neo4j

DEEP = settings.get_current_profile_name() == "deep"
SCRIPTS = 2_000 if DEEP else 300
BATCHES = 10  # in which they run, each a test of its own
DAY = 86_400_000_000  # microseconds
START = 20_000 * DAY  # of the scripts' clock, which goes on by an hour with each operation
KEY_OF_ALL = "pool#size"
NOBODY = ("r-00000000000000000000",)
ROLES = ("observation", "observation", "source", "claim", "inference")
PROOF_RECORDS = 1_000  # more than a script has
INSTANTS = ("2024-10-05", "2024-10-12", "2024-10-25")
WINDOWS: tuple[dict[str, Any], ...] = (
    {},
    {},
    {"valid_from": "2024-10-03"},
    {"valid_from": "2024-10-08", "valid_to": "2024-10-20"},
    {"valid_to": "2024-10-15"},
)
VERBS = (
    "remember remember conclude conclude justify justify retract reassert reject unreject withdraw supersede"
).split()


@dataclass(frozen=True)
class Run:
    """One script on one store, and the ids that it has made so far."""

    memory: Memory
    records: list[str] = field(default_factory=list)
    heads: list[str] = field(default_factory=list)
    fallen: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)

    def do(self, verb: str, seed: int) -> object:
        """Do one operation; the same seed says the same on every store. Errors are answers too."""
        try:
            return getattr(self, f"on_{verb}")(random.Random(seed))
        except GraphmemError as error:
            return type(error).__name__, str(error)

    def made(self, written: Written, names: list[str]) -> Written:
        if written.id not in names:
            names.append(written.id)
        return written

    def on_remember(self, chance: random.Random) -> Written:
        number = chance.randrange(4)
        said: dict[str, Any] = {"key": KEY_OF_ALL, "value": number} if chance.random() < 0.7 else {}
        written = self.memory.remember(
            f"statement {number}",
            role=chance.choice(ROLES),
            source=chance.choice(("log", "mail")),
            authority=chance.randrange(3),
            **said,
            **chance.choice(WINDOWS),
        )
        if said:
            self.made(written, self.heads)
        return self.made(written, self.records)

    def on_conclude(self, chance: random.Random) -> Written:
        written = self.memory.remember(
            f"conclusion {chance.randrange(4)}",
            role=chance.choice(("summary", "inference")),
            because=self.some(chance),
            informant=chance.choice(("rule", "other rule")),
            **chance.choice(WINDOWS),
        )
        return self.made(written, self.records)

    def on_justify(self, chance: random.Random) -> Written:
        mode = "timeless" if chance.random() < 0.2 else "intersect"
        dry = chance.random() < 0.2
        about = self.one(chance)
        because = [name for name in self.some(chance) if name != about]
        written = self.memory.justify(about, because, mode=mode, dry_run=dry)
        return written if dry else self.made(written, self.links)

    def on_supersede(self, chance: random.Random) -> Written:
        number, how = chance.randrange(4), chance.choice(("change", "correct"))
        written = self.memory.supersede(
            self.one(chance, self.heads), f"newer statement {number}", how=how, value=number, **chance.choice(WINDOWS)
        )
        return self.made(written, self.records)

    def on_withdraw(self, chance: random.Random) -> Written:
        return self.memory.withdraw(self.one(chance, self.links))

    def on_retract(self, chance: random.Random) -> Written:
        source = chance.choice(("", "", "log"))
        written = self.memory.retract(self.one(chance), source=source, dry_run=chance.random() < 0.2)
        return self.made(written, self.fallen)

    def on_reassert(self, chance: random.Random) -> Written:
        return self.memory.reassert(self.one(chance, self.fallen))

    def on_reject(self, chance: random.Random) -> Written:
        return self.made(self.memory.reject(self.one(chance)), self.fallen)

    def on_unreject(self, chance: random.Random) -> Written:
        return self.memory.unreject(self.one(chance, self.fallen))

    def one(self, chance: random.Random, names: Sequence[str] = ()) -> str:
        """One of the names, else of the records, else one that nothing has."""
        return chance.choice(names or self.records or NOBODY)

    def some(self, chance: random.Random) -> list[str]:
        return sorted({self.one(chance) for _ in range(chance.randint(1, 3))})

    # What is asked at the end.

    def answers(self, middle: int) -> Iterator[tuple[str, object]]:
        """Every answer by name, now and as of an earlier commit."""
        yield "counts", dict(self.memory.status().counts)
        for held in self.memory.store.dump(self.memory.session.tenant):
            if isinstance(held, Held):
                yield f"label {held.record.id}", (shape(held.label), record_json(held.record))
        for known in (None, middle):
            for at in INSTANTS:
                yield f"belief {at} {known}", self.belief(at, known)
            yield from self.reasons(known)

    def belief(self, at: str, known: int | None) -> object:
        """The value with everything that was compared for it, but for which justification a speaker has."""
        found = self.memory.believe(KEY_OF_ALL, at=at, known_at=known)
        speakers = (*([found.winner] if found.winner else ()), *found.contested)
        return found.value, found.is_default, [replace(s, justification=str(bool(s.justification))) for s in speakers]

    def reasons(self, known: int | None) -> Iterator[tuple[str, object]]:
        """How firmly each record holds at each instant; for one that is out, the whole refutation."""
        reader = view(known_at=LATEST if known is None else known, tenant=self.memory.session.tenant)
        proof = self.memory.store.proof(reader, self.records, PROOF_RECORDS)
        for name in sorted(proof.records):
            for at in map(parse_time, INSTANTS):
                held = prove(proof, name, at)
                yield f"why {name} {at} {known}", held.level if held else refute(proof, name, at)


def run_everywhere(runs: Mapping[str, Run], clock: FakeClock, seed: int) -> None:
    """Run one script on every store at once, and compare after each operation and at the end."""
    chance = random.Random(seed)
    begun = runs["memory"].memory.store.load("", Wanted()).commit
    length = chance.randint(6, 11)
    for step in range(length):
        clock.time += DAY // 24
        verb = "remember" if step < 2 else chance.choice(VERBS)
        number = chance.getrandbits(32)
        agree(f"script {seed}, step {step}: {verb}", {name: run.do(verb, number) for name, run in runs.items()})
    middle = (begun + runs["memory"].memory.status().commit) // 2
    said = {name: dict(run.answers(middle)) for name, run in runs.items()}
    for question in said["memory"]:
        agree(f"script {seed}: {question}", {name: found.get(question) for name, found in said.items()})
    assert len({frozenset(found) for found in said.values()}) == 1


def agree(about: str, found: Mapping[str, object]) -> None:
    first = found["memory"]
    assert all(one == first for one in found.values()), f"{about}: {found}"


@pytest.fixture(scope="module")
def stores(neo4j: Neo4j, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Store]]:
    folder = tmp_path_factory.mktemp("agree")
    with ExitStack() as stack:
        made: dict[str, Store] = {
            "memory": MemoryStore(KEY),
            "sqlite": SqliteStore(folder / "memory.db", identity_key=KEY),
            "neo4j": neo4j_store(neo4j, str(folder), KEY),
        }
        for store in made.values():
            stack.callback(store.close)
        yield made


@pytest.mark.parametrize("batch", range(BATCHES))
def test_the_same_script_gives_the_same_answers_on_every_store(stores: dict[str, Store], batch: int) -> None:
    for seed in range(batch, SCRIPTS, BATCHES):
        clock = FakeClock(START)
        runs = {name: Run(memory_over(store, clock, tenant=f"script {seed}")) for name, store in stores.items()}
        run_everywhere(runs, clock, seed)
