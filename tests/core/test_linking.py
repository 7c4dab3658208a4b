"""Edges between a record and what it speaks of: stated names become things, found ones only lead to what is there."""

from __future__ import annotations

import pytest

from graphmem.core.analyzer import exact_terms
from graphmem.core.changes import Draft
from graphmem.core.linking import EXTRACTOR, link, names_of
from graphmem.core.provenance import Method
from graphmem.core.records import Edge, Key, Record
from graphmem.core.views import Snapshot
from tests.memories import KEY, TENANT, entity, provenance, record

POOL = entity("pool.py")


def linked(made: Record, *mentions: str, **names: tuple[str, ...]) -> tuple[Draft, tuple[str, ...]]:
    snapshot = Snapshot(TENANT, 0, KEY, names={"pool.py": (POOL.id,), **names})
    draft = Draft(snapshot, at=1, writer="ann", verb="test")
    return draft, link(draft, made, provenance(), mentions, exact_terms(made.text))


def edges(draft: Draft) -> dict[str, Edge]:
    """The edges of a draft by the name or id that they lead to."""
    return {draft.entities[e.target].name if e.target in draft.entities else e.target: e for e in draft.edges.values()}


def test_the_names_to_look_up_are_the_keys_entity_what_is_stated_and_identifiers_once_each() -> None:
    made = record("see pool.py and Pool.release, or pump", key=Key("pump", "state"))
    found = exact_terms(made.text)
    assert names_of(made, ["valve", "pool.py"], found) == ("pump", "valve", "pool.py", "Pool.release")


def test_a_key_makes_its_entity_and_an_edge_about_it() -> None:
    draft, _ = linked(record("it leaks", id="r-1", key=Key("pump", "state")))
    assert [(e.name, e.kind, e.tenant) for e in draft.entities.values()] == [("pump", "thing", TENANT)]
    made = edges(draft)["pump"]
    assert (made.type, made.source, made.evidence) == ("about", "r-1", (("r-1",),))


def test_a_stated_mention_makes_its_entity() -> None:
    draft, _ = linked(record("it leaks", id="r-1"), "valve")
    assert edges(draft)["valve"].type == "mentions"


def test_a_name_that_is_known_leads_to_what_bears_it() -> None:
    draft, _ = linked(record("x", id="r-1", key=Key("pool.py", "owner")))
    assert (draft.entities, edges(draft)[POOL.id].type) == ({}, "about")


@pytest.mark.parametrize(("text", "found"), [("see pool.py", {POOL.id}), ("see lake.py", set())])
def test_an_identifier_in_the_text_only_leads_to_what_is_there(text: str, found: set[str]) -> None:
    draft, _ = linked(record(text, id="r-1"))
    assert (edges(draft).keys(), draft.entities) == (found, {})


def test_a_name_that_several_bear_joins_none_of_them_and_is_told() -> None:
    draft, ambiguous = linked(record("see lake.py", id="r-1"), "lake.py", **{"lake.py": ("e-1", "e-2")})
    assert (ambiguous, draft.edges, draft.entities) == (("lake.py",), {}, {})


def test_an_edge_says_whether_it_was_stated_or_read_off() -> None:
    draft, _ = linked(record("see pool.py", id="r-1", key=Key("pump", "state")), "valve")
    methods = {name: edge.provenance.method for name, edge in edges(draft).items()}
    assert methods == {"pump": Method.ASSERTED, "valve": Method.ASSERTED, POOL.id: Method.SYNTACTIC}
    assert {edge.provenance.extractor for edge in draft.edges.values()} == {EXTRACTOR}


def test_an_edge_has_the_record_as_its_evidence_and_the_records_provenance() -> None:
    draft, _ = linked(record("it leaks", id="r-1"), "valve")
    (made,) = draft.edges.values()
    assert (made.evidence, made.provenance.locator, made.tenant) == ((("r-1",),), "src", TENANT)


def test_a_record_that_names_nothing_has_no_edges() -> None:
    draft, _ = linked(record("it leaks again", id="r-1"))
    assert (draft.edges, draft.entities) == ({}, {})
