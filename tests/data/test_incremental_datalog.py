"""Reachability on three cyclic graphs through 260 retractions and re-assertions of edges, each a commit of its own."""

from __future__ import annotations

from typing import Any

import pytest

from graphmem.core.changes import Draft
from graphmem.core.labels import shape
from graphmem.core.records import Role
from graphmem.core.verbs import justify, reassert, remember, retract
from graphmem.core.views import Wanted
from graphmem.ports.store import Store
from tests.data.truth import needs_truth, read_truth
from tests.memories import commit, draft_on, provenance, record, view

pytestmark = needs_truth
CASES = {case["name"]: case for case in read_truth("incremental-datalog/reachability_retract.json").get("cases", [])}


class Reach:
    """A graph's edges as observations, and for each node a conclusion that it is reached, justified by every way in."""

    def __init__(self, store: Store, case: dict[str, Any]) -> None:
        self.store = store
        self.edges: dict[tuple[int, int], str] = {}
        self.nodes: dict[int, str] = {}
        commit(store, lambda draft: self.build(draft, case))
        self.names = {name: node for node, name in self.nodes.items()}

    def build(self, draft: Draft, case: dict[str, Any]) -> None:
        source = provenance()
        start = remember(draft, record("the start is reached"), source)
        self.edges = {(a, b): remember(draft, record(f"edge {a} to {b}"), source) for a, b in case["edges"]}
        for node in range(case["nodes"]):
            self.nodes[node] = remember(draft, record(f"node {node} is reached", Role.INFERENCE), source)
            retract(draft, self.nodes[node])
        justify(draft, self.nodes[case["source"]], [start], "start", source)
        for (a, b), edge in self.edges.items():
            justify(draft, self.nodes[b], [self.nodes[a], edge], "reach", source)

    def run(self, verb: str, edge: tuple[int, int]) -> None:
        name = self.edges[edge]
        act = retract if verb == "retract" else reassert
        commit(self.store, lambda draft: act(draft, name), records=[name])

    def reached(self) -> set[int]:
        return {self.names[name] for name in self.store.find(view(), self.nodes.values())}


def test_the_three_cases_hold_260_steps() -> None:
    assert sum(len(case["ops"]) for case in CASES.values()) == 260


@pytest.mark.parametrize("name", CASES)
def test_the_reached_nodes_are_right_after_every_step(store: Store, name: str) -> None:
    reach = Reach(store, CASES[name])
    for number, (verb, (a, b), size, whole) in enumerate(CASES[name]["ops"]):
        reach.run(verb, (a, b))
        found = reach.reached()
        assert len(found) == size, (number, verb, a, b)
        if whole is not None:
            assert found == set(whole), (number, verb, a, b)


@pytest.mark.parametrize("name", CASES)
def test_a_preview_of_each_retraction_names_what_then_falls(store: Store, name: str) -> None:
    reach = Reach(store, CASES[name])
    for verb, (a, b), *_ in CASES[name]["ops"][:20]:
        before = reach.reached()
        draft = draft_on(store, Wanted((reach.edges[a, b],)))
        (retract if verb == "retract" else reassert)(draft, reach.edges[a, b])
        moved = store.preview(draft.finish()).moved
        told = {reach.names[c.record] for c in moved if c.record in reach.names and shape(c.before) != shape(c.after)}
        reach.run(verb, (a, b))
        assert told == before ^ reach.reached()
