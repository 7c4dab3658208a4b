"""Random scripts of every verb on small cyclic graphs, over memory and SQLite at once, checked after each commit
against the naive least fixpoint and clingo (see scripts.py for what is checked)."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from graphmem.adapters.store_memory import MemoryStore
from graphmem.adapters.store_sqlite import SqliteStore
from graphmem.core.intervals import ALWAYS, normalise
from graphmem.core.records import Role
from graphmem.ports.store import Store
from tests.memories import KEY
from tests.properties.scripts import Cast, Operation, Script

DEEP = settings.get_current_profile_name() == "deep"

windows = st.one_of(
    st.just(ALWAYS),
    st.tuples(st.integers(0, 8), st.integers(1, 4)).map(lambda w: ((w[0], w[0] + w[1]),)),
    st.just(normalise([(1, 3), (6, 8)])),
)
casts = st.builds(Cast, st.sampled_from([Role.OBSERVATION, *Role]), windows)
numbers = st.integers(0, 6)
others = st.lists(numbers, min_size=1, max_size=3).map(tuple)

remembering = st.builds(Operation, st.just("remember"), numbers, source=st.integers(1, 2))
supporting = st.builds(
    Operation,
    st.sampled_from(["justify", "justify", "conclude"]),
    numbers,
    others,
    timeless=st.sampled_from([False, False, False, False, True]),
)
retracting = st.builds(Operation, st.just("retract"), numbers, source=st.integers(0, 2))
on_one = st.builds(Operation, st.sampled_from(["withdraw", "reassert", "reject", "unreject", "delete"]), numbers)
superseding = st.builds(Operation, st.just("supersede"), how=st.sampled_from(["change", "correct"]), own=windows)
operations = st.one_of(remembering, supporting, supporting, retracting, on_one, on_one, superseding)


class OverMemory(RuleBasedStateMachine):
    """Scripts over the in-memory store alone."""

    def __init__(self) -> None:
        super().__init__()
        self.open = ExitStack()

    def stores(self) -> dict[str, Store]:
        return {"memory": MemoryStore(KEY)}

    @initialize(cast=st.lists(casts, min_size=3, max_size=6), links=st.lists(supporting, max_size=6))
    def begin(self, cast: list[Cast], links: list[Operation]) -> None:
        self.script = Script(self.stores(), cast)
        self.script.commit(*(Operation("remember", n, source=1) for n in range(len(cast))))
        self.script.commit(*links)

    @rule(operation=operations)
    def one(self, operation: Operation) -> None:
        self.script.commit(operation)

    @rule(batch=st.lists(operations, min_size=2, max_size=4))
    def several_in_one_commit(self, batch: list[Operation]) -> None:
        self.script.commit(*batch)

    @rule(number=numbers)
    def retract_and_reassert(self, number: int) -> None:
        self.script.there_and_back(number)

    def teardown(self) -> None:
        self.open.close()


class OverBoth(OverMemory):
    """The same scripts over memory and SQLite; at the end the file is opened again and asked about the past."""

    def stores(self) -> dict[str, Store]:
        self.file = Path(self.open.enter_context(TemporaryDirectory())) / "memory.db"
        return {"memory": MemoryStore(KEY), "sqlite": SqliteStore(self.file, identity_key=KEY)}

    def teardown(self) -> None:
        script = getattr(self, "script", None)
        if script is not None:
            script.stores["sqlite"].close()
            again = SqliteStore(self.file)
            self.open.callback(again.close)
            script.check_the_past([script.stores["memory"], again])
        super().teardown()


TestScripts = OverBoth.TestCase
TestScripts.settings = settings(
    max_examples=1_000 if DEEP else 60,
    stateful_step_count=40 if DEEP else 15,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
