"""What every store finds: names exactly, words by analysed terms, and what lies within the caps of some seeds."""

from __future__ import annotations

from itertools import pairwise

import pytest

from graphmem.core.analyzer import analyze_query
from graphmem.core.changes import ChangeSet
from graphmem.core.provenance import Method, Provenance
from graphmem.core.records import Edge, Entity, Key, named_edge
from graphmem.core.views import Caps
from graphmem.ports.store import Store
from tests.memories import TENANT, commit, entity, memory_over, provenance, view


def put(store: Store, *, entities: tuple[Entity, ...] = (), edges: tuple[Edge, ...] = ()) -> None:
    store.apply(ChangeSet(TENANT, 1, "ann", "test", entities=entities, edges=edges))


def edge_between(source: str, target: str, *places: tuple[str, ...], kind: str = "calls") -> Edge:
    return named_edge(Edge("", TENANT, kind, source, target, places, provenance()))


def by_words(store: Store, query: str) -> list[str]:
    return [name for name, _ in store.search(view(), [], analyze_query(query), 50).lexical]


# Words.

TEXTS = {
    "Deadlock in ConnectionPool.release when closed": (
        "connectionpool.release", "ConnectionPool", "connection pool", "release", "RELEASE",
    ),
    "call make_session_factory() first": ("make_session_factory", "session", "factory make"),
    "see #42 and src/net/http2.py": ("#42", "http2", "src/net/http2.py", "net"),
    "error E-1234 at 10:45": ("E-1234", "1234", "10:45"),
    "東京都の天気は晴れ": ("東京", "天気", "京都の"),
    "한국어 문장입니다": ("한국", "문장"),
    "تم إصلاح المضخة أمس": ("المضخة", "إصلاح"),
    "deployed 🚀 today 🇳🇱": ("🚀", "🇳🇱"),
    "naïve café résumé": ("naive", "CAFÉ", "resume"),
    "Größe der Straße": ("strasse", "GRÖSSE", "große"),
}  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_is_found_by_whole_identifiers_by_their_parts_and_in_every_script(store: Store, text: str) -> None:
    memory = memory_over(store)
    ids = {t: memory.remember(t).id for t in TEXTS}
    for query in TEXTS[text]:
        assert by_words(store, query) == [ids[text]], query


def test_a_word_that_no_text_has_finds_nothing(store: Store) -> None:
    memory_over(store).remember("the pump leaks")
    assert by_words(store, "valve") == []
    assert by_words(store, 'AND OR NOT "pump* NEAR(') == [*by_words(store, "pump")]


def test_the_headings_above_a_text_are_searched_too_and_count_less(store: Store) -> None:
    memory = memory_over(store)
    under = memory.remember("it has two seals", context="Pumps > Maintenance").id
    about = memory.remember("pumps have seals").id
    assert by_words(store, "maintenance") == [under]
    assert by_words(store, "pumps") == [about, under]


def test_rarer_words_rank_first_and_ties_go_by_id(store: Store) -> None:
    memory = memory_over(store)
    common = [memory.remember(f"pump number {n}").id for n in "abcd"]
    rare = memory.remember("valve number e").id
    hits = store.search(view(), [], ["pump", "valve"], 50)
    scores = [score for _, score in hits.lexical]
    assert [name for name, _ in hits.lexical] == [rare, *sorted(common)]
    assert scores == sorted(scores, reverse=True)


def test_a_search_gives_its_best_hits_up_to_the_limit(store: Store) -> None:
    memory = memory_over(store)
    for n in range(4):
        memory.remember(f"pump number {n}")
    full, cut = (store.search(view(), [], ["pump"], limit).lexical for limit in (9, 3))
    assert (len(full), cut) == (4, full[:3])


def test_a_term_is_absent_when_it_names_nothing_and_no_visible_text_has_it(store: Store) -> None:
    memory = memory_over(store)
    seen = memory.remember("the pump leaks at src/pool.py", context="Maintenance", mentions=["valve-3"]).id
    memory.remember("a zebra", policy="zoo")
    memory_over(store, tenant="rival").remember("a gnu")
    terms = ["src/pool.py", "Maintenance", "valve-3", seen, "zebra", "gnu", "src/lake.py"]
    assert store.search(view(), terms, [], 9).absent == ("gnu", "src/lake.py")
    assert store.search(view(policies=("open",)), terms, [], 9).absent == ("zebra", "gnu", "src/lake.py")
    memory.retract(seen)
    assert set(store.search(view(), terms, [], 9).absent) == set(terms) - {"zebra"}
    assert store.search(view(known_at=1), terms, [], 9).absent == ("zebra", "gnu", "src/lake.py")


# Names.


def test_exact_look_up_keeps_punctuation_and_ignores_case(store: Store) -> None:
    memory = memory_over(store)
    names = ["src/pool.py", "src.pool.py", "#42", "42", "pool.Pool.release", "Größe", "QX-1234", 'a"b']
    memory.remember("all of them", mentions=names)
    for name in names:
        hits = store.search(view(), [name, name.upper()], [], 9)
        (found,) = {node for nodes in hits.exact.values() for node in nodes}
        assert store.neighbourhood(view(), [found], Caps(0)).entities[found].name == name


def test_a_record_is_found_by_its_id(store: Store) -> None:
    name = memory_over(store).remember("seen").id
    assert store.search(view(), [name, "r-0000", ""], [], 9).exact == {name: (name,)}


def test_an_ambiguous_name_gives_every_node_that_bears_it(store: Store) -> None:
    seen = memory_over(store).remember("seen").id
    twins = (entity("release", kind="method", repository="a"), entity("release", kind="method", repository="b"))
    put(store, entities=twins, edges=tuple(edge_between(seen, twin.id, (seen,)) for twin in twins))
    assert store.search(view(), ["release"], [], 9).exact == {"release": tuple(sorted(t.id for t in twins))}


def test_an_entity_answers_to_its_symbol_qualified_name_and_aliases(store: Store) -> None:
    seen = memory_over(store).remember("seen").id
    made = Entity("e-1", TENANT, "file", "pool.py", "pkg:src/pool.py", "src.pool", "", ("src/pool.py",))
    put(store, entities=(made,), edges=(edge_between(seen, made.id, (seen,)),))
    for name in ("pool.py", "pkg:src/pool.py", "src.pool", "src/pool.py"):
        assert store.search(view(), [name], [], 9).exact == {name: ("e-1",)}


def test_an_entity_that_no_living_evidence_joins_is_not_found(store: Store) -> None:
    memory = memory_over(store)
    seen = memory.remember("it leaks", mentions=["valve"]).id
    put(store, entities=(entity("lonely"),))
    assert store.search(view(), ["valve", "lonely"], [], 9).exact.keys() == {"valve"}
    memory.retract(seen)
    assert store.search(view(), ["valve"], [], 9).exact == {}
    memory.reassert(seen)
    assert store.search(view(), ["valve"], [], 9).exact.keys() == {"valve"}


# Edges and their evidence.


def evidence_of(store: Store, *places: tuple[str, ...]) -> tuple[Entity, Entity]:
    ends = (entity("pump"), entity("valve"))
    put(store, entities=ends, edges=(edge_between(ends[0].id, ends[1].id, *places),))
    return ends


def joined(store: Store, ends: tuple[Entity, Entity], at: int = 0, known_at: int | None = None) -> bool:
    asked = view(at) if known_at is None else view(at, known_at)
    near = store.neighbourhood(asked, [ends[0].id], Caps(1))
    assert bool(near.edges) == (ends[1].id in near.entities)
    return bool(near.edges)


def test_an_edge_goes_with_its_evidence_and_returns_with_it(store: Store) -> None:
    memory = memory_over(store)
    a, b = (memory.remember(text).id for text in ("seen a", "seen b"))
    ends = evidence_of(store, (a, b))
    shown = [joined(store, ends)]
    for verb in (memory.retract, memory.reassert, memory.reject, memory.unreject):
        verb(b)
        shown.append(joined(store, ends))
    assert shown == [True, False, True, False, True]
    assert [joined(store, ends, known_at=k) for k in range(2, 8)] == [False, *shown]


def test_either_of_two_evidence_sets_admits_an_edge(store: Store) -> None:
    memory = memory_over(store)
    a, b, c = (memory.remember(text).id for text in ("seen a", "seen b", "seen c"))
    ends = evidence_of(store, (a, b), (c,))
    shown = []
    for name in (a, c):
        memory.retract(name)
        shown.append(joined(store, ends))
    memory.reassert(a)
    assert [*shown, joined(store, ends)] == [True, False, True]


def test_an_edge_falls_by_cascade_when_its_evidence_was_derived(store: Store) -> None:
    memory = memory_over(store)
    seen = memory.remember("seen").id
    told = memory.remember("told", role="summary", because=[seen]).id
    ends = evidence_of(store, (told,))
    memory.retract(seen)
    assert not joined(store, ends)


def test_an_edge_holds_while_its_evidence_holds(store: Store) -> None:
    memory = memory_over(store)
    a = memory.remember("seen a", valid_from="1970-01-01", valid_to="1970-01-03").id
    b = memory.remember("seen b", valid_from="1970-01-02", valid_to="1970-01-04").id
    ends = evidence_of(store, (a, b))
    day = 86_400_000_000
    assert [joined(store, ends, at) for at in (0, day - 1, day, 2 * day - 1, 2 * day)] == [
        False, False, True, True, False,
    ]  # fmt: skip


def test_an_edge_comes_back_as_it_was_put(store: Store) -> None:
    memory = memory_over(store)
    a, b, c = (memory.remember(text).id for text in ("seen a", "seen b", "seen c"))
    ends = (entity("pump"), entity("valve"))
    origin = Provenance("file", "a.py", "ann", Method.DYNAMIC, 3, revision="r17", conditions=(("python", "3.12"),))
    made = named_edge(
        Edge("", TENANT, "calls", ends[0].id, ends[1].id, (tuple(sorted((a, b))), (c,)), origin, level="certain")
    )
    put(store, entities=ends, edges=(made,))
    assert store.neighbourhood(view(), [ends[1].id], Caps(1)).edges == (made,)


# The neighbourhood.


def line_of(store: Store, length: int) -> list[str]:
    """Entities e0 - e1 - ... in a row, each edge with the same living evidence."""
    seen = memory_over(store).remember("a row").id
    row = tuple(entity(f"e{n}") for n in range(length))
    put(store, entities=row, edges=tuple(edge_between(a.id, b.id, (seen,)) for a, b in pairwise(row)))
    return [e.id for e in row]


@pytest.mark.parametrize("depth", [0, 1, 3])
def test_expansion_goes_as_deep_as_it_may_in_both_directions(store: Store, depth: int) -> None:
    row = line_of(store, 9)
    near = store.neighbourhood(view(), [row[4]], Caps(depth))
    assert near.entities.keys() == set(row[4 - depth : 5 + depth])
    assert len(near.edges) == 2 * depth
    assert near.stopped_by == ("depth",)


def test_expansion_that_reaches_everything_was_stopped_by_nothing(store: Store) -> None:
    row = line_of(store, 4)
    near = store.neighbourhood(view(), [row[0]], Caps(3))
    assert (near.entities.keys(), near.stopped_by) == (set(row), ())


def star_of(store: Store, arms: int) -> tuple[str, list[str]]:
    seen = memory_over(store).remember("a star").id
    hub, *tips = (entity(f"e{n}") for n in range(arms + 1))
    put(store, entities=(hub, *tips), edges=tuple(edge_between(hub.id, tip.id, (seen,)) for tip in tips))
    return hub.id, sorted(tip.id for tip in tips)


def test_the_cap_on_nodes_keeps_the_first_by_id_and_says_so(store: Store) -> None:
    hub, tips = star_of(store, 6)
    near = store.neighbourhood(view(), [hub], Caps(2, nodes=4))
    assert near.entities.keys() == {hub, *tips[:3]}
    assert {e.target for e in near.edges} == set(tips[:3])
    assert "nodes" in near.stopped_by
    assert store.neighbourhood(view(), [hub], Caps(2, nodes=7)).stopped_by == ()


def test_the_cap_on_edges_holds_and_says_so(store: Store) -> None:
    hub, _ = star_of(store, 6)
    near = store.neighbourhood(view(), [hub], Caps(2, edges=4))
    assert len(near.edges) <= 4
    assert "edges" in near.stopped_by
    assert len(store.neighbourhood(view(), [hub], Caps(2, edges=6)).edges) == 6


def test_justifications_join_only_while_they_live_and_their_records_hold(store: Store) -> None:
    memory = memory_over(store)
    a, b = memory.remember("seen a").id, memory.remember("seen b").id
    told = memory.remember("told", role="summary", because=[a, b]).id
    memory.justify(told, [a], informant="second")
    assert len(store.neighbourhood(view(), [b], Caps(2)).justifications) == 2
    memory.retract(b)
    near = store.neighbourhood(view(), [a], Caps(2))
    assert [j.informant for j in near.justifications] == ["second"]
    memory.withdraw(near.justifications[0].id)
    assert store.neighbourhood(view(), [a], Caps(2)).justifications == ()


def test_unknown_and_dead_seeds_are_left_out(store: Store) -> None:
    memory = memory_over(store)
    seen = memory.remember("seen").id
    memory.retract(seen)
    near = store.neighbourhood(view(), [seen, "r-nowhere", "e-nowhere"], Caps())
    assert (near.records, near.entities, near.edges, near.stopped_by) == ({}, {}, (), ())


# Single records and keys.


def test_found_records_tell_how_they_hold_and_who_said_so(store: Store) -> None:
    memory = memory_over(store)
    seen = memory.remember("seen", source="a.md").id
    told = memory.remember("told", role="summary", because=[seen]).id
    found = store.find(view(), [told, seen, "r-nowhere"])
    (link,) = store.proof(view(), [told], 9).justifications
    assert [(found[n].level, found[n].rank, found[n].support, found[n].commit) for n in (seen, told)] == [
        (2, 0, "", 1),
        (2, 1, link, 2),
    ]
    assertion = found[seen].assertion
    assert assertion is not None
    assert (assertion.provenance.locator, found[told].assertion) == ("a.md", None)


def test_candidates_are_grounded_records_of_a_believable_role_and_of_the_very_key(store: Store) -> None:
    memory = memory_over(store)
    key, scoped = Key("pump", "state"), Key("pump", "state", "hall")
    seen = memory.remember("runs", key=key, value="runs", observed_at="1970-01-02", authority=3).id
    told = memory.remember("runs hot", role="summary", because=[seen], key=key, value="hot").id
    guess = memory.remember("will stop", role="inference", key=key, value="stops").id
    memory.remember("guessed", role="summary", because=[guess], key=key, value="guessed")
    memory.remember("claimed", role="claim", key=key, value="claimed")
    memory.remember("inferred", role="inference", because=[seen], key=key, value="inferred")
    inside = memory.remember("in the hall", key=scoped, value="off").id
    found = store.candidates(view(), [key, scoped, Key("pump", "colour")])
    assert {k: {c.record.id for c in cs} for k, cs in found.items()} == {key: {seen, told}, scoped: {inside}}
    (first,) = (c for c in found[key] if c.record.id == seen)
    assert (first.authority, first.observed_at, first.commit, first.justification) == (3, 86_400_000_000, 1, "")
    assert store.keyed(view(), key) == tuple(sorted(store.keyed(view(), key)))
    assert len(store.keyed(view(), key)) == 6


def test_a_candidate_speaks_with_its_strongest_live_assertion(store: Store) -> None:
    memory = memory_over(store)
    key = Key("pump", "state")
    name = memory.remember("runs", key=key, value="runs", source="weak", authority=1).id
    memory.remember("runs", key=key, value="runs", source="strong", authority=5)
    memory.retract(name, source="strong")
    authority = [store.candidates(view(known_at=k), [key])[key][0].authority for k in (1, 2, 3)]
    assert authority == [1, 5, 1]


def test_a_proof_holds_everything_above_its_roots_and_stops_at_its_limit(store: Store) -> None:
    memory = memory_over(store)
    below = memory.remember("seen").id
    for n in range(4):
        below = memory.remember(f"step {n}", role="summary", because=[below]).id
    memory.remember("beside")
    whole, cut = (store.proof(view(), [below], limit) for limit in (5, 3))
    assert (len(whole.records), len(whole.justifications), whole.truncated) == (5, 4, False)
    assert (len(cut.records), cut.truncated, below in cut.records) == (3, True, True)


def test_a_proof_of_the_past_has_the_labels_and_justifications_of_then(store: Store) -> None:
    memory = memory_over(store)
    seen = memory.remember("seen").id
    told = memory.remember("told", role="summary", because=[seen]).id
    (link,) = store.proof(view(), [told], 9).justifications
    memory.withdraw(link)
    memory.retract(seen)
    for known, labelled, live, asserted in ((1, 0, 0, 1), (2, 1, 1, 1), (3, 0, 0, 1), (4, 0, 0, 0)):
        proof = store.proof(view(known_at=known), [told, seen], 9)
        assert (told in proof.records) == (known > 1)
        assert len(proof.records[told].label if known > 1 else ()) == labelled
        assert (len(proof.justifications), len(proof.records[seen].live)) == (live, asserted)


def test_the_beginning_of_an_id_finds_the_ids_that_begin_so(store: Store) -> None:
    memory = memory_over(store)
    names = sorted(memory.remember(f"number {n}").id for n in range(20))
    memory_over(store, tenant="rival").remember("number 1")
    told = memory.remember("told", role="summary", because=names[:1]).id
    (link,) = store.proof(view(), [told], 9).justifications
    assert store.match(TENANT, link[:6]) == (link,)
    assert store.match(TENANT, "r-", 100) == tuple(sorted([*names, told]))
    assert store.match(TENANT, "r-", 3) == tuple(sorted([*names, told])[:3])
    assert store.match(TENANT, names[0]) == (names[0],)
    assert store.match(TENANT, "r-zz") == store.match(TENANT, "%") == ()


def test_an_unasked_question_finds_nothing(store: Store) -> None:
    commit(store, lambda draft: None)
    assert store.find(view(), []) == store.candidates(view(), []) == {}
    assert store.search(view(), [], [], 5).lexical == store.keyed(view(), Key("a", "b")) == ()
