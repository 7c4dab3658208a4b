"""How many sources a record rests on: those who said it first, each once."""

from __future__ import annotations

from dataclasses import replace

from graphmem.core.corroboration import root_sources
from graphmem.core.intervals import Intervals
from graphmem.core.labelling import Standing
from graphmem.core.labels import PREMISE, Label, Segment
from graphmem.core.records import Assertion, Justification, Mode, Role
from graphmem.core.views import Held, Proof
from tests.memories import TENANT, provenance, record

EARLY: Intervals = ((0, 10),)
LATE: Intervals = ((5, 20),)


def label(own: Intervals) -> Label:
    return tuple(Segment(a, b, 2, 0, PREMISE) for a, b in own)


def said(name: str, *locators: str, own: Intervals = EARLY, role: Role = Role.OBSERVATION) -> Held:
    """A record that the locators assert."""
    live = tuple(Assertion(f"a-{name}-{where}", name, provenance(where)) for where in locators)
    return Held(record(name, role, id=name, own=own), Standing(own, 2), 1, live, label=label(own))


def concluded(name: str, own: Intervals = EARLY, role: Role = Role.SUMMARY) -> Held:
    return said(name, own=own, role=role)


def link(name: str, consequent: str, *antecedents: str, mode: Mode = Mode.INTERSECT) -> Justification:
    return Justification(name, TENANT, consequent, antecedents, "rule", provenance("rules.md"), mode)


def network(*held: Held, links: tuple[Justification, ...] = ()) -> Proof:
    return Proof({h.record.id: h for h in held}, {j.id: j for j in links}, False)


def test_a_premise_rests_on_each_source_that_asserts_it() -> None:
    assert root_sources(network(said("p", "b.md", "a.md")), "p", 0) == ("a.md", "b.md")


def test_ten_summaries_of_one_document_rest_on_one_source() -> None:
    names = [f"s{n}" for n in range(10)]
    links = (*(link(f"j{n}", n, "p") for n in names), link("j", "all", *names))
    proof = network(said("p", "a.md"), *map(concluded, names), concluded("all"), links=links)
    assert root_sources(proof, "all", 0) == ("a.md",)


def test_two_ways_to_a_conclusion_bring_the_sources_of_both() -> None:
    links = (link("j1", "s", "p"), link("j2", "s", "q"))
    proof = network(said("p", "a.md"), said("q", "b.md"), concluded("s"), links=links)
    assert root_sources(proof, "s", 0) == ("a.md", "b.md")


def test_a_way_that_does_not_hold_brings_none() -> None:
    links = (link("j1", "s", "p"), link("j2", "s", "q", "gone"))
    gone = replace(said("gone", "c.md"), label=())
    proof = network(said("p", "a.md"), said("q", "b.md"), gone, concluded("s"), links=links)
    assert root_sources(proof, "s", 0) == ("a.md",)


def test_claims_and_hypotheses_are_no_sources() -> None:
    links = (link("j1", "s", "claim"), link("j2", "s", "guess"))
    proof = network(
        said("claim", "mail", role=Role.CLAIM), said("guess", "agent", role=Role.INFERENCE), concluded("s"), links=links
    )
    assert root_sources(proof, "s", 0) == ()


def test_an_echo_adds_no_source_to_what_it_repeats() -> None:
    proof = network(said("p", "a.md"), concluded("echo", role=Role.CLAIM), links=(link("j", "echo", "p"),))
    assert root_sources(proof, "echo", 0) == ("a.md",)


def test_a_circle_ends() -> None:
    links = (link("j1", "s", "t"), link("j2", "t", "s"), link("j3", "s", "p"))
    proof = network(said("p", "a.md"), concluded("s"), concluded("t"), links=links)
    assert root_sources(proof, "t", 0) == ("a.md",)


def test_what_has_ended_is_no_source_but_of_what_is_timeless() -> None:
    def after(mode: Mode) -> tuple[str, ...]:
        proof = network(said("p", "a.md"), concluded("s", own=LATE), links=(link("j", "s", "p", mode=mode),))
        return root_sources(proof, "s", 15)

    assert after(Mode.INTERSECT) == ()
    assert after(Mode.TIMELESS) == ("a.md",)


def test_what_is_out_rests_on_nothing() -> None:
    assert root_sources(network(said("p", "a.md")), "p", 10) == ()
    assert root_sources(network(), "p", 0) == ()
