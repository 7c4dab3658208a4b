"""What a view admits: every read keeps to its tenant, policies, valid time, known time and generations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from graphmem.core.changes import ChangeSet, Draft, empty_snapshot
from graphmem.core.extraction import Extraction, FoundEdge, FoundEntity, Passage
from graphmem.core.generations import Revision, grow, next_generation
from graphmem.core.labels import Level
from graphmem.core.provenance import Method, Span
from graphmem.core.records import Key
from graphmem.core.views import LATEST, Caps, Generation, View, Wanted
from graphmem.ports.store import Store
from tests.memories import DAY, TENANT, FakeClock, memory_over, view

FACT = Key("pump-7", "state", "hall")
CANARY = "zebrafish"
OTHER = "rival"


def tell(store: Store, tenant: str, *, policy: str = "open", text: str = CANARY) -> tuple[str, str]:
    """An observation and a summary of it that both carry the canary in every field that can hold one."""
    memory = memory_over(store, tenant=tenant, writer=f"{text} writer")
    seen = memory.remember(
        f"{text} seen by pump-7",
        key=FACT,
        value=f"{text} {tenant}",
        source=f"{text}.md",
        context=f"{text} context",
        policy=policy,
        mentions=[f"{text}.valve"],
    ).id
    told = memory.remember(
        f"{text} summed up", role="summary", because=[seen], key=FACT, value=f"{text} sum", policy=policy
    ).id
    return seen, told


def every_read(store: Store, asked: View, ids: list[str]) -> dict[str, object]:
    """What each read method answers for a view that names everything it can."""
    links = store.match(asked.tenant, "j-", 100)
    hits = store.search(asked, [*ids, CANARY, f"{CANARY}.valve", "pump-7"], [CANARY, "seen", "summed"], 50)
    return {
        "search": replace(hits, absent=()),  # these are the asker's own words
        "neighbourhood": store.neighbourhood(asked, [*ids, "pump-7"], Caps()),
        "candidates": store.candidates(asked, [FACT]),
        "disputed": store.disputed(asked, None, 10),
        "find": store.find(asked, ids),
        "proof": store.proof(asked, ids, 100),
        "keyed": store.keyed(asked, FACT),
        "load": store.load(asked.tenant, Wanted(tuple(ids), links, (FACT,), ("pump-7", f"{CANARY}.valve"))),
        "match": (store.match(asked.tenant, "r-", 100), links),
        "entries": store.entries(asked.tenant, f"{CANARY} repository"),
        "dump": list(store.dump(asked.tenant)),
        "status": store.status(asked.tenant).counts,
        "commit_at": store.commit_at(asked.tenant, 10**9),
    }


# The reads that filter by policy; the others serve planning and export, which are the tenant's own.
BY_POLICY = ("search", "neighbourhood", "candidates", "disputed", "find", "proof", "keyed")


def test_no_read_shows_anything_of_another_tenant(store: Store) -> None:
    ids = [*tell(store, OTHER)]
    blank = every_read(store, view(tenant="nobody"), [])
    before = every_read(store, view(), ids)
    assert CANARY not in repr({k: v for k, v in before.items() if k != "search"})
    for method in blank:
        if method not in ("search", "load", "status"):
            assert before[method] == blank[method], method
    hits = store.search(view(), [*ids, CANARY, "pump-7"], [CANARY], 50)
    assert (hits.exact, hits.lexical) == ({}, ())
    assert set(store.status(TENANT).counts.values()) == {0}


def test_a_neighbour_with_the_same_names_stays_apart(store: Store) -> None:
    mine, theirs = tell(store, TENANT), tell(store, OTHER)
    assert set(mine).isdisjoint(theirs)
    for tenant, own in ((TENANT, mine), (OTHER, theirs)):
        answers = every_read(store, view(tenant=tenant), [*mine, *theirs])
        near = store.neighbourhood(view(tenant=tenant), [*mine, *theirs], Caps())
        assert near.records.keys() == set(own)
        assert {e.tenant for e in (*near.edges, *near.entities.values(), *near.justifications)} == {tenant}
        assert {name for name, _ in store.search(view(tenant=tenant), [], [CANARY], 9).lexical} == set(own)
        assert f"{CANARY} {OTHER if tenant == TENANT else TENANT}" not in repr(answers)


def test_no_read_of_a_policy_shows_a_record_of_another(store: Store) -> None:
    hidden = tell(store, TENANT, policy="hr")
    shown = memory_over(store).remember("seen in the open", key=FACT, value="plain").id
    answers = every_read(store, view(policies=("open",)), [*hidden, shown])
    told = {method: repr(answers[method]) for method in BY_POLICY}
    assert all(CANARY not in text for text in told.values())
    assert all(name not in told[m] for name in hidden for m in BY_POLICY)
    assert store.find(view(policies=("open",)), [*hidden, shown]).keys() == {shown}
    assert store.keyed(view(policies=("open",)), FACT) == (shown,)
    assert store.find(view(policies=("open", "hr")), hidden).keys() == set(hidden)
    assert store.find(view(policies=()), [*hidden, shown]) == {}
    assert store.find(view(policies=None), [*hidden, shown]).keys() == {*hidden, shown}


def test_a_name_that_only_hidden_evidence_joins_is_not_found(store: Store) -> None:
    tell(store, TENANT, policy="hr")
    named = [f"{CANARY}.valve"]
    assert store.search(view(), named, [], 9).exact.keys() == set(named)
    assert store.search(view(policies=("open",)), named, [], 9).exact == {}


def test_a_proof_leaves_out_what_the_policies_hide(store: Store) -> None:
    memory = memory_over(store)
    secret = memory.remember(f"{CANARY} seen", policy="hr").id
    told = memory.remember("told in the open", role="summary", because=[secret]).id
    proof = store.proof(view(policies=("open",)), [told], 10)
    assert proof.records.keys() == {told}
    assert CANARY not in repr(proof)


# Valid time: [2, 5) by the records' own claims.


def seen_from_2_to_5(store: Store) -> tuple[str, str]:
    memory = memory_over(store)
    day = "1970-01-0"
    window = {"valid_from": f"{day}3", "valid_to": f"{day}6"}
    seen = memory.remember("pump-7 runs hot", key=FACT, value="hot", mentions=["hall.door"], **window).id
    return seen, memory.remember("cool it", role="summary", because=[seen]).id


def shown_in(store: Store, asked: View, ids: tuple[str, ...]) -> dict[str, bool]:
    """Whether each read shows what belongs to the records: all of it, or nothing."""
    near = store.neighbourhood(asked, ids, Caps())
    hits = store.search(asked, [ids[0], "hall.door"], ["runs", "cool"], 9)
    parts = {
        "find": set(store.find(asked, ids)) == set(ids),
        "neighbourhood": set(near.records) == set(ids),
        "edges": len(near.edges) == 2,
        "justifications": len(near.justifications) == 1,
        "lexical": {name for name, _ in hits.lexical} == set(ids),
        "exact": hits.exact.keys() == {ids[0], "hall.door"},
        "candidates": [c.record.id for c in store.candidates(asked, [FACT]).get(FACT, ())] == [ids[0]],
    }
    nothing = not near.records and not near.edges and not hits.lexical and not hits.exact
    nothing = nothing and not store.find(asked, ids) and not store.candidates(asked, [FACT])
    assert nothing or all(parts.values()), parts
    return parts


@pytest.mark.parametrize(
    ("at", "shown"), [(2 * DAY - 1, False), (2 * DAY, True), (5 * DAY - 1, True), (5 * DAY, False)]
)
def test_every_read_keeps_to_valid_time_half_open(store: Store, at: int, shown: bool) -> None:
    ids = seen_from_2_to_5(store)
    assert any(shown_in(store, view(at), ids).values()) == shown


def test_every_read_keeps_to_known_time(store: Store) -> None:
    memory = memory_over(store)
    ids = seen_from_2_to_5(store)  # commits 1 and 2
    memory.retract(ids[0])  # commit 3
    memory.reassert(ids[0])  # commit 4
    known = {k: any(shown_in(store, view(3 * DAY, k), ids).values()) for k in (0, 2, 3, 4, LATEST)}
    assert known == {0: False, 2: True, 3: False, 4: True, LATEST: True}
    assert store.find(view(3 * DAY, 1), ids).keys() == {ids[0]}


def test_a_search_tells_the_commit_that_it_saw(store: Store) -> None:
    memory = memory_over(store)
    memory.remember("first")
    memory.remember("second")
    assert [store.search(view(known_at=k), [], ["first"], 9).commit for k in (1, 2, 3, LATEST)] == [1, 2, 2, 2]


def test_a_view_of_grounded_records_leaves_hypotheses_out(store: Store) -> None:
    memory = memory_over(store)
    guess = memory.remember("perhaps the valve", role="inference").id
    seen = memory.remember("the valve is shut").id
    assert store.find(view(), [guess, seen]).keys() == {guess, seen}
    assert store.find(replace(view(), level=Level.GROUNDED), [guess, seen]).keys() == {seen}


# Generations: `old.py` and its passage live in r17 only, `new.py` in r18 only, `kept.py` in both.

SPAN = Span(0, 1, 1, 1)


def found(*names: str) -> Extraction:
    entities = tuple(FoundEntity(f"pool/{n}", "file", n, n, n, SPAN, "h") for n in names)
    passages = tuple(Passage(n, "", n, f"the text of {n}", SPAN, f"hash of {n}", f"pool/{n}") for n in names)
    edges = tuple(
        FoundEdge("imports", "pool/kept.py", f"pool/{n}", Method.SYNTACTIC, "", n, SPAN, (n, ""))
        for n in names
        if n != "kept.py"
    )
    return Extraction(entities, passages, edges)


def ingest(store: Store, ordinal: int, revision: str, *names: str) -> None:
    snapshot = empty_snapshot(TENANT, store.identity_key)
    generation = Generation("pool", ordinal, revision, ordinal * DAY)
    made = Revision(generation, "open", "ann", "x", "1", "c", ordinal)
    entries = store.entries(TENANT, "pool")
    growth, entities = grow(snapshot, entries, found(*names), made)
    gone = [name for identity, name in entries.records.items() if identity not in growth.found]
    ended = store.load(TENANT, Wanted(records=tuple(gone))).records
    store.apply(next_generation(snapshot, entries, growth, entities, made, ended))


def texts(store: Store, asked: View) -> set[str]:
    """What is found by words, by name and by walking, which must agree."""
    by_words = {n for n, _ in store.search(asked, [], ["text"], 9).lexical}
    names = ["old.py", "new.py", "kept.py"]
    exact = store.search(asked, names, [], 9).exact
    near = store.neighbourhood(asked, [e for nodes in exact.values() for e in nodes], Caps())
    assert set(near.records) == by_words
    shown = {found.record.text.removeprefix("the text of ") for found in near.records.values()}
    assert set(exact) == shown
    assert {e.target for e in near.edges if e.type == "imports"} <= set(near.entities)
    return shown


@pytest.mark.parametrize(
    ("at", "generations", "known_at", "shown"),
    [
        (DAY, {}, 1, {"old.py", "kept.py"}),
        (2 * DAY, {}, LATEST, {"new.py", "kept.py"}),
        (DAY, {"pool": 1}, LATEST, {"old.py", "kept.py"}),
        (2 * DAY, {"pool": 2}, LATEST, {"new.py", "kept.py"}),
        (2 * DAY, {"elsewhere": 1}, LATEST, {"new.py", "kept.py"}),
        (2 * DAY, {}, 0, set()),
    ],
)
def test_entries_of_a_repository_show_in_their_generations_only(
    store: Store, at: int, generations: dict[str, int], known_at: int, shown: set[str]
) -> None:
    ingest(store, 1, "r17", "old.py", "kept.py")
    ingest(store, 2, "r18", "new.py", "kept.py")
    assert texts(store, view(at, known_at, generations=generations)) == shown


def test_the_head_of_a_repository_holds_what_was_found_last(store: Store) -> None:
    ingest(store, 1, "r17", "old.py", "kept.py")
    before = store.entries(TENANT, "pool")
    ingest(store, 2, "r18", "new.py", "kept.py")
    after = store.entries(TENANT, "pool")
    kept = before.records.items() & after.records.items()
    assert (len(before.records), len(after.records), len(kept)) == (2, 2, 1)
    assert (len(before.edges), len(after.edges), len(before.edges.items() & after.edges.items())) == (3, 3, 1)
    assert store.entries(TENANT, "elsewhere").generations == ()


def test_a_question_about_the_past_reads_the_generation_that_was_known_then(store: Store) -> None:
    clock = FakeClock(DAY)
    memory = memory_over(store, clock)
    ingest(store, 1, "r17", "old.py", "kept.py")
    memory.remember("between")
    ingest(store, 2, "r18", "new.py", "kept.py")
    assert texts(store, view(DAY, known_at=2)) == {"old.py", "kept.py"}


def test_reopening_gives_the_same_answers(store: Store, reopened: Callable[[], Store]) -> None:
    ids = [*tell(store, TENANT), *tell(store, OTHER)]
    ingest(store, 1, "r17", "old.py", "kept.py")
    views = [view(), view(DAY), view(known_at=1), view(policies=("open",)), view(tenant=OTHER)]
    before = [every_read(store, asked, ids) for asked in views]
    again = reopened()
    assert [every_read(again, asked, ids) for asked in views] == before


def test_an_unknown_tenant_sees_an_empty_memory(store: Store) -> None:
    tell(store, TENANT)
    draft = Draft(store.load("nobody", Wanted()), at=1, writer="x", verb="x")
    assert draft.finish() == ChangeSet("nobody", 1, "x", "x", seen=2)
    assert list(store.dump("nobody")) == []
