"""Minimal premise sets, against every subset of the premises of small random networks."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from random import Random

import pytest

from graphmem.core.intervals import ALWAYS, Intervals, contains
from graphmem.core.labelling import Standing
from graphmem.core.premises import premise_sets
from graphmem.core.records import Assertion, Justification, Mode, Role
from graphmem.core.views import Held, Proof
from tests.memories import TENANT, provenance, record
from tests.oracles import Facts, naive

WINDOWS: list[Intervals] = [ALWAYS, ((0, 10),), ((5, 20),), ((0, 4), (8, 30))]
AT = 9


def network(seed: int) -> tuple[Proof, Facts]:
    """Six premises and five conclusions with justifications of both modes, circles among them."""
    chance = Random(seed)
    names = [f"r-{n}" for n in range(11)]
    facts = Facts(
        own={name: chance.choice(WINDOWS) for name in names},
        premise=dict.fromkeys(names[:6], 2),
        links={
            f"j-{n}": (
                chance.choice(names[6:]),
                tuple(sorted(chance.sample(names, chance.choice([1, 2, 3])))),
                chance.random() < 0.3,
            )
            for n in range(14)
        },
    )
    facts.links = {name: link for name, link in facts.links.items() if link[0] not in link[1]}
    held = {}
    for name, own in facts.own.items():
        premise = name in facts.premise
        said = (Assertion(f"a-{name}", name, provenance()),) if premise else ()
        role = Role.OBSERVATION if premise else Role.SUMMARY
        held[name] = Held(record(name, role, own, id=name), Standing(own, 2 if premise else 0), 1, said)
    links = {
        name: Justification(name, TENANT, to, given, "", provenance(), Mode.TIMELESS if timeless else Mode.INTERSECT)
        for name, (to, given, timeless) in facts.links.items()
    }
    return Proof(held, links, False), facts


def minimal_by_brute_force(facts: Facts, record_id: str) -> set[tuple[str, ...]]:
    found: set[tuple[str, ...]] = set()
    premises = sorted(facts.premise)
    for size in range(1, len(premises) + 1):
        for subset in combinations(premises, size):
            if any(set(known) <= set(subset) for known in found):
                continue
            holds = naive(replace(facts, premise=dict.fromkeys(subset, 2)), 1)
            if contains(holds[record_id], AT):
                found.add(subset)
    return found


@pytest.mark.parametrize("seed", range(25))
def test_the_sets_are_all_the_minimal_ones_and_no_others(seed: int) -> None:
    proof, facts = network(seed)
    for name in proof.records:
        found = premise_sets(proof, name, AT, 1_000)
        assert set(found.sets) == minimal_by_brute_force(facts, name)
        assert len(found.sets) == len(set(found.sets))
        assert not found.partial


@pytest.mark.parametrize("seed", range(10))
def test_a_limit_gives_that_many_of_them_and_says_that_there_are_more(seed: int) -> None:
    proof, facts = network(seed)
    for name in proof.records:
        every = minimal_by_brute_force(facts, name)
        for limit in (1, 2):
            found = premise_sets(proof, name, AT, limit)
            assert set(found.sets) <= every
            assert len(found.sets) == min(limit, len(every))
            assert found.partial == (len(every) > limit)


def test_work_is_bounded_and_what_it_cut_is_partial() -> None:
    proof, _ = network(0)
    several = next(n for n in proof.records if len(premise_sets(proof, n, AT, 10).sets) > 1)
    found = premise_sets(proof, several, AT, 10, tries=1)
    assert found.partial
    assert len(found.sets) == 1
