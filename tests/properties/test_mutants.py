"""The stateful scripts catch the three ways of getting truth maintenance wrong: no rank test (a circle keeps itself
alive), no rescue of a record that is a premise besides being derived, and counting references."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from graphmem.adapters.store_memory import MemoryStore
from graphmem.adapters.store_memory import facts as memory_facts
from graphmem.core import labelling
from graphmem.core.labelling import Edit, Link, Network, Outcome, Standing, offer_of, premise_offer
from graphmem.core.labels import Label, Segment, shape, tidy
from graphmem.core.records import Role
from tests.memories import KEY
from tests.properties.scripts import Cast, Operation, Script
from tests.properties.test_stateful import OverMemory

# Drawn the same way each time; a failure needs no smaller example here.
SAME_EACH_TIME = settings(
    derandomize=True,
    database=None,
    max_examples=150,
    stateful_step_count=15,
    phases=[Phase.generate],
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
)


def run_the_scripts() -> None:
    run_state_machine_as_test(OverMemory, settings=SAME_EACH_TIME)


def without_the_rank_test(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(labelling, "saves", lambda offered, lost: offered.level >= lost.level)


def without_the_rescue_of_premises(monkeypatch: pytest.MonkeyPatch) -> None:
    """An assertion counts when it is made; it is forgotten when the record loses a justification later."""
    work = labelling._Work
    whole = work.saved

    def saved(self: labelling._Work[str], lost: Segment, standing: Standing, links: list[Link[str]]) -> list[Segment]:
        return whole(self, lost, Standing(standing.own, 0), links)

    rise = work.rise

    def forgetful(self: labelling._Work[str], fallen: Iterable[str]) -> None:
        lost = set(fallen) - self.edit.standings.keys()
        self.known.update({n: Standing(self.known[n].own, 0, self.known[n].blocked) for n in lost})
        rise(self, fallen)

    monkeypatch.setattr(work, "saved", saved)
    monkeypatch.setattr(work, "rise", forgetful)


def by_counting_references(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_facts, "relabel", counting)


def counting(network: Network[str], edit: Edit[str]) -> Outcome[str]:
    """A record holds while anything that holds supports it: a fixpoint, but from the old labels, so not the least."""
    now: dict[str, Label] = {}
    before: dict[str, Label] = {}
    pending = [*edit.standings, *(link.consequent for link in (*edit.added, *edit.withdrawn))]
    ended = {link.id for link in edit.withdrawn}

    def label(node: str) -> Label:
        if node not in now:
            now[node] = before[node] = () if node in edit.created else network.labels([node]).get(node, ())
        return now[node]

    def links(found: Callable[..., Iterable[Link[str]]], *more: object) -> list[Link[str]]:
        return [link for link in found(*more) if link.id not in ended]

    while pending:
        node = pending.pop(0)
        standing = edit.standings.get(node) or network.standings([node])[node]
        above = links(network.incoming, [node], ()) + [k for k in edit.added if k.consequent == node]
        labels = {a: label(a) for k in above for a in k.antecedents}
        given = premise_offer(standing)
        for link in above if not standing.blocked else ():
            given += offer_of(link, labels, standing.own)
        was, now[node] = label(node), strongest(given)
        if shape(was) != shape(now[node]):
            below = links(network.outgoing, [node]) + [k for k in edit.added if node in k.antecedents]
            pending += [k.consequent for k in below]
    return {n: (before[n], after) for n, after in now.items() if after != before[n]}


def strongest(given: list[Segment]) -> Label:
    cuts = sorted({cut for s in given for cut in (s.start, s.end)})
    kept = []
    for start, end in pairwise(cuts):
        over = [s for s in given if s.start <= start and end <= s.end]
        if over:
            best = max(over, key=lambda s: (s.level, -s.rank))
            kept.append(best._replace(start=start, end=end))
    return tidy(kept)


MUTANTS = [without_the_rank_test, without_the_rescue_of_premises, by_counting_references]
Mutate = Callable[[pytest.MonkeyPatch], None]

SEEN, TOLD, TOLD_TOO, GUESS = (Cast(r) for r in (Role.OBSERVATION, Role.SUMMARY, Role.SUMMARY, Role.INFERENCE))
# Two summaries that rest on each other lose the observation that one of them rested on.
CIRCLE = (
    Operation("remember", 0),
    Operation("conclude", 1, (0,)),
    Operation("conclude", 2, (1,)),
    Operation("justify", 1, (2,)),
    Operation("retract", 0),
)
# A hypothesis that was also concluded loses what it was concluded from.
RESCUE = (Operation("remember", 0), Operation("conclude", 3, (0,)), Operation("remember", 3), Operation("retract", 0))
SMALL = {without_the_rank_test: CIRCLE, without_the_rescue_of_premises: RESCUE, by_counting_references: CIRCLE}


def run_the_small_script(operations: tuple[Operation, ...]) -> None:
    script = Script({"memory": MemoryStore(KEY)}, [SEEN, TOLD, TOLD_TOO, GUESS])
    for operation in operations:
        script.commit(operation)


def test_the_scripts_pass_as_things_are() -> None:
    run_the_scripts()
    for operations in (CIRCLE, RESCUE):
        run_the_small_script(operations)


@pytest.mark.parametrize("mutate", MUTANTS)
def test_the_scripts_catch_a_broken_rule(mutate: Mutate, monkeypatch: pytest.MonkeyPatch) -> None:
    mutate(monkeypatch)
    with pytest.raises(AssertionError):
        run_the_scripts()


@pytest.mark.parametrize("mutate", MUTANTS)
def test_a_broken_rule_gives_a_label_that_the_naive_fixpoint_does_not(
    mutate: Mutate, monkeypatch: pytest.MonkeyPatch
) -> None:
    mutate(monkeypatch)
    with pytest.raises(AssertionError, match="least fixpoint"):
        run_the_small_script(SMALL[mutate])
