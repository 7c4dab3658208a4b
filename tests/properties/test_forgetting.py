"""Random scripts with deletions, over memory and SQLite at once. After each deletion nothing that a store tells holds a
word of what should be gone, everything else still says its own, and no live justification names a tombstone.

The model follows texts, not labels: each record says a word of its own, and was made of the records that it was first
concluded from.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphmem.adapters.store_memory import MemoryStore
from graphmem.adapters.store_sqlite import SqliteStore
from graphmem.core.erasure import is_tombstone
from graphmem.core.errors import GraphmemError
from graphmem.core.labels import shape
from graphmem.core.views import LATEST, Caps, Held, LinkState
from graphmem.memory import Memory
from tests.memories import KEY, TENANT, memory_over, view

DEEP = settings.get_current_profile_name() == "deep"
numbers = st.integers(0, 8)
operations = st.tuples(
    st.sampled_from(
        ["remember", "remember", "conclude", "conclude", "justify", "supersede", "retract", "reject", "forget"]
    ),
    numbers,
    st.lists(numbers, min_size=1, max_size=3),
)


@dataclass
class Model:
    """What each record says and was made of, and what should be gone."""

    words: dict[str, str] = field(default_factory=dict)
    made_of: dict[str, tuple[str, ...]] = field(default_factory=dict)
    erased: set[str] = field(default_factory=set)
    scrubbed: set[str] = field(default_factory=set)

    def forget(self, name: str) -> None:
        """Take a record, and the text of what was made of it so far; what is concluded from a record without text later
        can't have its text from there."""
        if name not in self.erased:
            self.erased.add(name)
            self.scrubbed |= {other for other in self.words if self.reaches(other, name)}
            self.scrubbed -= self.erased

    def reaches(self, name: str, root: str) -> bool:
        """Whether what a record was made of leads to another. Nothing is made of what comes after it."""
        return any(below == root or self.reaches(below, root) for below in self.made_of.get(name, ()))


class Script:
    """Two memories under one script."""

    def __init__(self, memories: list[Memory]) -> None:
        self.memories = memories
        self.model = Model()

    def run(self, verb: str, subject: int, others: list[int]) -> None:
        known = list(self.model.words)
        name = known[subject % len(known)] if known else ""
        because = sorted({known[n % len(known)] for n in others} - {name}) if known else []
        told = [self.on(memory, verb, name, because) for memory in self.memories]
        assert told[0] == told[1], "two stores answer differently"
        made = told[0]
        if made is None:
            return
        if verb in ("remember", "conclude", "supersede"):
            self.model.words[made] = self.word()
            self.model.made_of[made] = tuple(because) if verb == "conclude" else ()
        if verb == "forget":
            self.model.forget(name)
            for memory in self.memories:
                self.check(memory)

    def word(self) -> str:
        return f"word{len(self.model.words):03d}x"

    def on(self, memory: Memory, verb: str, name: str, because: list[str]) -> str | None:
        """Do one thing and give the record that it is about, or None for what is refused."""
        word = self.word()
        said = {"value": word, "source": "notes", "mentions": [f"thing {word}"]}
        try:
            if verb == "remember":
                return memory.remember(f"{word} is said", key=f"topic{len(self.model.words)}#state", **said).id
            if verb == "conclude":
                return memory.remember(f"{word} follows", role="summary", because=because, **said).id
            if verb == "supersede":
                return memory.supersede(name, f"{word} instead", **said).id
            if verb == "justify":
                return memory.justify(name, because).id
            if verb == "forget":
                done = memory.forget(name, reason="asked")
                assert done.remains == ()
                return f"{done.receipt} {done.erased} {done.scrubbed} {sorted(done.survived)} {dict(done.counts)}"
            return str(getattr(memory, verb)(name).id)
        except GraphmemError:
            return None

    def check(self, memory: Memory) -> None:
        model, told = self.model, "\n".join(self.everything(memory))
        for name, word in model.words.items():
            found = word in told  # apart, so that a failure doesn't print all that was told
            assert found == (name not in model.erased | model.scrubbed), (name, word)
        for fact in memory.store.dump(TENANT):
            if isinstance(fact, LinkState) and fact.live:
                assert model.erased.isdisjoint((fact.justification.consequent, *fact.justification.antecedents))
            if isinstance(fact, Held) and fact.record.id in model.words:
                assert is_tombstone(fact) == (fact.record.id in model.erased)

    def everything(self, memory: Memory) -> Iterator[str]:
        """All that a store tells, now and at every commit of the past."""
        store, ids = memory.store, list(self.model.words)
        yield from map(json.dumps, memory.export())
        for known in (*range(1, memory.status().commit + 1, 5), LATEST):
            seen = view(known_at=known)
            proof = store.proof(seen, ids, 1_000)
            yield f"{proof}{store.find(seen, ids)}{store.history(seen, ids)}{store.neighbourhood(seen, ids, Caps())}"

    def labels(self) -> list[object]:
        return [
            {n: shape(h.label) for n, h in m.store.proof(view(), list(self.model.words), 1_000).records.items()}
            for m in self.memories
        ]


@given(script=st.lists(operations, min_size=4, max_size=12))
@settings(max_examples=300 if DEEP else 15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_after_a_deletion_nothing_holds_the_content_and_everything_else_does(
    script: list[tuple[str, int, list[int]]],
) -> None:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        stores = [MemoryStore(KEY), SqliteStore(folder / "memory.db", identity_key=KEY)]
        made = Script([stack.enter_context(memory_over(store)) for store in stores])
        for operation in (("remember", 0, [0]), ("conclude", 1, [0]), *script, ("forget", 0, [0])):
            made.run(*operation)
        one, other = made.labels()
        assert one == other
