"""Proofs and refutations: each reason in its declared order, shared parts once, and no way round a circle."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graphmem.core.explain import OUT_REASONS, Step, prove, refute
from graphmem.core.intervals import ALWAYS, Intervals
from graphmem.core.labelling import Standing
from graphmem.core.labels import PREMISE, Label, Level, Segment
from graphmem.core.records import Assertion, Block, BlockKind, Justification, Mode, Role
from graphmem.core.views import Held, Proof
from tests.memories import TENANT, provenance, record

SAID = provenance("a.md")


def segment(support: object = PREMISE, rank: int = 0, own: Intervals = ALWAYS, level: int = Level.GROUNDED) -> Label:
    return tuple(Segment(a, b, level, rank, support) for a, b in own)


def premise(name: str, label: Label | None = None, own: Intervals = ALWAYS) -> Held:
    """A record that is asserted; IN over its own times unless another label is given."""
    said = (Assertion(f"a-{name}", name, SAID),)
    return Held(
        record(name, id=name, own=own), Standing(own, 2), 1, said, label=segment(own=own) if label is None else label
    )


def derived(name: str, label: Label = (), own: Intervals = ALWAYS) -> Held:
    return Held(record(name, Role.SUMMARY, id=name, own=own), Standing(own, 0), 1, label=label)


def withdrawn(name: str) -> Held:
    return Held(record(name, id=name), Standing(ALWAYS, 0), 2, (), ((Assertion(f"a-{name}", name, SAID), 2),))


def link(name: str, consequent: str, *antecedents: str, mode: Mode = Mode.INTERSECT) -> Justification:
    return Justification(name, TENANT, consequent, antecedents, f"rule {name}", SAID, mode)


def network(*held: Held, links: tuple[Justification, ...] = ()) -> Proof:
    return Proof({h.record.id: h for h in held}, {j.id: j for j in links}, False)


def reason_of(proof: Proof, name: str, at: int = 0) -> tuple[str, str]:
    found = refute(proof, name, at)
    assert found is not None
    return found.reason, found.detail


# Proofs.


def test_a_premise_proves_itself() -> None:
    assert prove(network(premise("p")), "p", 0) == Step("p", 2, 0, None, ())


def test_a_proof_goes_down_to_premises_by_falling_rank() -> None:
    links = (link("j1", "a", "p"), link("j2", "b", "a", "p"))
    proof = network(premise("p"), derived("a", segment("j1", 1)), derived("b", segment("j2", 2)), links=links)
    below_a = Step("p", 2, 0, None, ())
    assert prove(proof, "b", 0) == Step("b", 2, 2, links[1], (Step("a", 2, 1, links[0], (below_a,)), below_a))


def test_a_shared_part_is_given_once() -> None:
    links = (link("j1", "a", "p"), link("j2", "b", "a"), link("j3", "c", "a"), link("j4", "d", "b", "c"))
    ranks = {"a": ("j1", 1), "b": ("j2", 2), "c": ("j3", 2), "d": ("j4", 3)}
    proof = network(premise("p"), *(derived(n, segment(*r)) for n, r in ranks.items()), links=links)
    found = prove(proof, "d", 0)
    assert found is not None
    (first,), (second,) = (step.antecedents for step in found.antecedents)
    assert (first.repeated, len(first.antecedents)) == (False, 1)
    assert (second.record, second.repeated, second.antecedents) == ("a", True, ())


def test_a_proof_is_of_its_instant() -> None:
    links = (link("j1", "a", "p"), link("j2", "a", "q"))
    label = (*segment("j1", 1, ((0, 5),)), *segment("j2", 1, ((5, 9),)))
    proof = network(premise("p", own=((0, 5),)), premise("q", own=((5, 9),)), derived("a", label), links=links)
    rests_on = [step.antecedents[0].record for at in (4, 5) if (step := prove(proof, "a", at))]
    assert rests_on == ["p", "q"]
    assert prove(proof, "a", 9) is None


def test_a_timeless_conclusion_rests_on_the_firmest_time_of_what_once_held() -> None:
    label = (*segment(own=((0, 2),), level=Level.IN), *segment(own=((3, 4),)))
    made = link("j", "a", "p", mode=Mode.TIMELESS)
    proof = network(premise("p", label), derived("a", segment("j", 1)), links=(made,))
    found = prove(proof, "a", 99)
    assert found is not None
    assert [(s.record, s.level) for s in found.antecedents] == [("p", Level.GROUNDED)]


def test_below_a_timeless_conclusion_the_proof_is_of_the_time_that_it_rests_on() -> None:
    once = ((3, 4),)
    links = (link("j1", "a", "p"), link("j2", "b", "a", mode=Mode.TIMELESS))
    proof = network(
        premise("p", own=once), derived("a", segment("j1", 1, once)), derived("b", segment("j2", 2)), links=links
    )
    found = prove(proof, "b", 99)
    assert found is not None
    (below,) = found.antecedents
    assert [(s.record, s.justification) for s in below.antecedents] == [("p", None)]


def test_what_is_out_or_unknown_has_no_proof() -> None:
    assert prove(network(withdrawn("p")), "p", 0) is None
    assert prove(network(), "p", 0) is None


# Refutations.


def test_reasons_are_declared_in_the_order_in_which_they_apply() -> None:
    declared = "deleted rejected quarantined withdrawn corrected-by not-valid-at cascade only-circular never-supported"
    assert " ".join(OUT_REASONS) == declared


def blocked(held: Held, kind: BlockKind) -> Held:
    return replace(held, block=Block(held.record.id, kind, f"by {kind}"), label=())


LATER = ((10, 20),)
GONE = replace(withdrawn("x"), record=record("x", id="x", own=LATER))
# Each record has its own reason and, one after the other, every later one.
OUT = {
    "deleted": (blocked(GONE, BlockKind.DELETED), "by deleted"),
    "rejected": (blocked(GONE, BlockKind.REJECTED), "by rejected"),
    "quarantined": (blocked(GONE, BlockKind.QUARANTINED), "by quarantined"),
    "withdrawn": (blocked(GONE, BlockKind.CORRECTED), "a.md"),
    "corrected-by": (blocked(premise("x", (), LATER), BlockKind.CORRECTED), "by corrected"),
    "not-valid-at": (derived("x", (), LATER), "0"),
    "cascade": (derived("x"), ""),
}


@pytest.mark.parametrize("reason", OUT)
def test_the_first_reason_that_applies_is_given(reason: str) -> None:
    held, detail = OUT[reason]
    proof = network(held, withdrawn("p"), links=(link("j", "x", "p"),))
    assert reason_of(proof, "x") == (reason, detail)


def test_a_premise_outside_its_window_is_not_valid_then() -> None:
    proof = network(premise("p", own=((0, 5),)))
    assert refute(proof, "p", 4) is None
    found = refute(proof, "p", 5, {5: "the sixth"})
    assert found is not None
    assert (found.reason, found.detail) == ("not-valid-at", "the sixth")


def test_nothing_behind_a_record_means_never_supported() -> None:
    assert reason_of(network(derived("x")), "x") == ("never-supported", "")


def test_a_cascade_names_each_justification_and_what_fails_it() -> None:
    links = (link("j1", "x", "p", "q"), link("j2", "x", "y"), link("j3", "y", "p"))
    proof = network(derived("x"), derived("y"), withdrawn("p"), premise("q"), links=links)
    found = refute(proof, "x", 0)
    assert found is not None
    assert [(f.justification, f.informant, [w.record for w in f.failing]) for f in found.failures] == [
        ("j1", "rule j1", ["p"]),
        ("j2", "rule j2", ["y"]),
    ]
    (below,) = found.failures[1].failing
    assert (below.reason, [w.reason for w in below.failures[0].failing]) == ("cascade", ["withdrawn"])


def test_a_circle_and_nothing_else_is_only_circular() -> None:
    links = (link("j1", "a", "c"), link("j2", "b", "a"), link("j3", "c", "b"))
    proof = network(*(derived(n) for n in "abc"), links=links)
    found = refute(proof, "a", 0)
    assert found is not None
    assert found.reason == "only-circular"
    assert [reason_of(proof, n)[0] for n in "abc"] == ["only-circular"] * 3


def test_a_circle_with_a_broken_way_in_is_a_cascade() -> None:
    links = (link("j1", "a", "b"), link("j2", "b", "a"), link("j3", "a", "p"))
    proof = network(derived("a"), derived("b"), withdrawn("p"), links=links)
    assert [reason_of(proof, n)[0] for n in "ab"] == ["cascade", "cascade"]


def test_a_circle_is_shown_once_round() -> None:
    links = (link("j1", "a", "b"), link("j2", "b", "a"))
    found = refute(network(derived("a"), derived("b"), links=links), "a", 0)
    assert found is not None
    (b,) = found.failures[0].failing
    (again,) = b.failures[0].failing
    assert (again.record, again.repeated, again.failures) == ("a", True, ())


def test_a_timeless_justification_fails_only_by_what_never_holds() -> None:
    made = link("j", "x", "p", "q", mode=Mode.TIMELESS)
    proof = network(derived("x"), premise("p", own=((0, 1),)), withdrawn("q"), links=(made,))
    found = refute(proof, "x", 50)
    assert found is not None
    assert [w.record for w in found.failures[0].failing] == ["q"]


def test_what_holds_or_is_unknown_has_no_refutation() -> None:
    assert refute(network(premise("p")), "p", 0) is None
    assert refute(network(), "p", 0) is None
