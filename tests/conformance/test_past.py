"""Answers about the past never change: what was answered at each commit of a random history is answered again at its
end, and after the memory was opened again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from random import Random
from typing import NamedTuple

import pytest

from graphmem.adapters.store_memory import MemoryStore
from graphmem.core.errors import Conflict, NotPermitted
from graphmem.core.intervals import Intervals
from graphmem.core.records import Assertion, Justification, Key
from graphmem.core.times import format_time
from graphmem.core.views import LATEST, Caps, Found, Neighbourhood, View, Wanted
from graphmem.memory import Memory
from graphmem.ports.store import Store
from tests.memories import DAY, KEY, TENANT, FakeClock, memory_over, view

FACT = Key("pump-7", "state")
WORDS = ["leak", "valve", "noise", "heat"]
SEEDS = [1, 2, 3]


ON_ONE = ("retract", "reassert", "reject", "unreject")


def one_step(memory: Memory, chance: Random, number: int, names: list[str]) -> None:
    """One write of a random kind; refusals are part of life."""
    verb = chance.choice(["remember", "remember", "remember", "conclude", "justify", "supersede", *ON_ONE])
    head = memory.store.load(TENANT, Wanted(keys=(FACT,))).heads.get(FACT)
    if verb == "supersede" and head is not None:
        details = {"how": chance.choice(["change", "correct"]), "valid_from": format_time(DAY * chance.randrange(6))}
        names.append(memory.supersede(head.record, f"now {number}", value=number, **details).id)
    elif verb == "conclude" and len(names) > 1:
        because = chance.sample(names, 2)
        names.append(memory.remember(f"{number} summed up", role="summary", because=because, key=FACT, value=number).id)
    elif verb == "justify" and len(names) > 1:
        consequent, antecedent = chance.sample(names, 2)
        memory.justify(consequent, [antecedent])
    elif verb in ON_ONE and names:
        getattr(memory, verb)(chance.choice(names))
    else:
        text = f"{chance.choice(WORDS)} {chance.choice(WORDS)} number {number}"
        window = {"valid_from": format_time(DAY * chance.randrange(4))} if chance.random() < 0.5 else {}
        about = {"key": FACT, "value": number} if chance.random() < 0.5 else {}
        names.append(memory.remember(text, mentions=[chance.choice(WORDS)], **about, **window).id)


class Told(NamedTuple):
    """What the reads told of one instant at one known time: records by how they stood, hits of words without order,
    which follows the weight that the words have now."""

    commit: int
    exact: Mapping[str, tuple[str, ...]]
    lexical: set[str]
    absent: tuple[str, ...]
    found: dict[str, Standing]
    near: Neighbourhood
    held: dict[str, tuple[object, ...]]
    justifications: Mapping[str, Justification]
    beliefs: list[tuple[object, ...]]
    keyed: tuple[str, ...]


class Standing(NamedTuple):
    """A found record without its body, which only a new generation may change."""

    own: Intervals
    level: int
    rank: int
    support: str
    commit: int
    assertion: Assertion | None


def answers(store: Store, known_at: int, names: list[str]) -> list[Told]:
    return [told_at(store, view(at, known_at), names) for at in (0, DAY, 3 * DAY, 9 * DAY)]


def told_at(store: Store, asked: View, names: list[str]) -> Told:
    hits = store.search(asked, [*WORDS, *names[:3]], ["leak", "summed", "number"], 100)
    near = store.neighbourhood(asked, names[:4], Caps(2))
    proof = store.proof(asked, names, 100)
    candidates = store.candidates(asked, [FACT]).get(FACT, ())
    return Told(
        commit=hits.commit,
        exact=hits.exact,
        lexical={name for name, _ in hits.lexical},
        absent=hits.absent,
        found={n: standing(f) for n, f in store.find(asked, names).items()},
        near=replace(near, records={n: standing(f) for n, f in near.records.items()}),  # type: ignore[misc]
        held={
            n: (h.record.own, h.record.claimed, h.label, h.live, h.withdrawn, h.block) for n, h in proof.records.items()
        },
        justifications=proof.justifications,
        beliefs=sorted((c.record.id, *c.order, c.justification) for c in candidates),
        keyed=store.keyed(asked, FACT),
    )


def standing(found: Found) -> Standing:
    return Standing(found.record.own, found.level, found.rank, found.support, found.commit, found.assertion)


def lived(store: Store, seed: int) -> tuple[list[str], list[tuple[int, list[str], list[Told]]]]:
    """A random history, with what was answered after each commit."""
    chance, clock = Random(seed), FakeClock()
    memory = memory_over(store, clock)
    names: list[str] = []
    told: list[tuple[int, list[str], list[Told]]] = []
    for number in range(45):
        clock.time += DAY // 8
        try:
            one_step(memory, chance, number, names)
        except (Conflict, NotPermitted):
            continue
        commit = store.status(TENANT).commit
        told.append((commit, list(names), answers(store, LATEST, names)))
    return names, told


@pytest.mark.parametrize("seed", SEEDS)
def test_what_was_answered_at_a_commit_is_answered_again_at_the_end(store: Store, seed: int) -> None:
    _, told = lived(store, seed)
    assert len(told) > 25
    for commit, names, before in told:
        assert answers(store, commit, names) == before, commit


@pytest.mark.parametrize("seed", SEEDS)
def test_the_past_reads_the_same_when_the_memory_is_opened_again(
    store: Store, reopened: Callable[[], Store], seed: int
) -> None:
    _, told = lived(store, seed)
    again = reopened()
    for commit, names, before in told[::4]:
        assert answers(again, commit, names) == before, commit


def test_a_later_change_of_validity_does_not_change_why_something_was_out_then(store: Store) -> None:
    memory = memory_over(store)
    seen = memory.remember("the pump leaks").id
    told = memory.remember("so it needs a seal", role="summary", because=[seen], key="pump#need").id
    memory.retract(seen)
    asked = {"at": "1970-01-05", "known_at": 3}
    before = memory.why(told, **asked)
    memory.supersede(told, "it needs a new pump", role="observation", valid_from="1970-01-02")
    assert memory.why(told, **asked).refutation == before.refutation
    assert before.refutation is not None
    assert before.refutation.reason == "cascade"
    now = memory.why(told, at="1970-01-05").refutation
    assert now is not None
    assert now.reason == "not-valid-at"


def test_the_same_writes_are_answered_as_the_in_memory_store_answers(store: Store) -> None:
    names, told = lived(store, 4)
    others, expected = lived(MemoryStore(KEY), 4)
    assert names == others
    assert [commit for commit, *_ in told] == [commit for commit, *_ in expected]
    for (_, _, mine), (_, _, theirs) in zip(told, expected, strict=True):
        assert list(map(comparable, mine)) == list(map(comparable, theirs))


def comparable(told: Told) -> object:
    """What any two stores agree on; which of several supports is the present one may differ."""
    return (
        told[:4],
        {name: found.level for name, found in told.found.items()},
        (told.near.records.keys(), told.near.entities, told.near.edges),
        told.justifications,
        [belief[:5] for belief in told.beliefs],
        told.keyed,
    )
