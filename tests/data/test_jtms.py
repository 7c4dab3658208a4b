"""The two JTMS traces of Building Problem Solvers, step by step through the verbs: what is IN, on which justification
it rests and which assumptions lie under it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from graphmem.core.explain import Step
from graphmem.memory import Memory
from graphmem.ports.store import Store
from tests.data.truth import needs_truth, read_truth
from tests.memories import memory_over, shapes

pytestmark = needs_truth
TRACES = {trace["name"]: trace for trace in read_truth("jtms/bps_traces.json").get("traces", [])}


class Network:
    """A trace's network in a memory: each node an inference, asserted only where a step says so."""

    def __init__(self, store: Store, trace: dict[str, Any]) -> None:
        self.memory: Memory = memory_over(store)
        self.ids = {node: self.memory.remember(f"node {node}", role="inference").id for node in trace["nodes"]}
        for node in self.ids.values():
            self.memory.retract(node)
        for informant, consequent, antecedents in trace["justifications"]:
            self.memory.justify(self.ids[consequent], [self.ids[a] for a in antecedents], informant=informant)
        self.names = {name: node for node, name in self.ids.items()}

    def run(self, step: dict[str, Any]) -> None:
        verb = {"assert": self.memory.reassert, "retract": self.memory.retract}.get(step["op"])
        if verb is not None:
            verb(self.ids[step["node"]])

    def held(self) -> set[str]:
        return {self.names[name] for name, shape in shapes(self.memory.store, self.names).items() if shape}

    def proof(self, node: str) -> Step:
        found = self.memory.why(self.ids[node]).proof
        assert found is not None
        return found

    def assumptions(self, node: str) -> set[str]:
        """The premises that one proof of the node ends in."""
        return {self.names[step.record] for step in steps(self.proof(node)) if step.justification is None}


def steps(proof: Step) -> Iterator[Step]:
    yield proof
    for below in proof.antecedents:
        yield from steps(below)


@pytest.mark.parametrize("trace", TRACES)
def test_after_every_step_exactly_the_stated_nodes_are_in(store: Store, trace: str) -> None:
    network = Network(store, TRACES[trace])
    for step in TRACES[trace]["steps"]:
        network.run(step)
        assert network.held() == set(step["in"]), step


@pytest.mark.parametrize("trace", TRACES)
def test_after_every_step_each_node_rests_on_the_stated_justification(store: Store, trace: str) -> None:
    network = Network(store, TRACES[trace])
    for step in TRACES[trace]["steps"]:
        network.run(step)
        for node, informant in step.get("support", {}).items():
            link = network.proof(node).justification
            assert link is not None
            assert link.informant == informant, (step, node)


@pytest.mark.parametrize("trace", TRACES)
def test_after_every_step_each_proof_ends_in_the_stated_assumptions(store: Store, trace: str) -> None:
    network = Network(store, TRACES[trace])
    for step in TRACES[trace]["steps"]:
        network.run(step)
        for node, assumptions in step.get("assumptions", {}).items():
            assert network.assumptions(node) == set(assumptions), (step, node)


def test_a_contradiction_is_in_exactly_when_the_trace_says_so(store: Store) -> None:
    trace = TRACES["bps-ex3"]
    network = Network(store, trace)
    for step in trace["steps"]:
        network.run(step)
        assert ("CONTRADICTION" in network.held()) == step["contradiction"]
