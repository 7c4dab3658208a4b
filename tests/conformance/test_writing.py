"""What every store keeps of a commit: all of it or nothing, conflicts told, a dry run without a trace."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from graphmem.core.changes import ChangeSet, Draft, justification_id, record_id
from graphmem.core.errors import Conflict, NotFound
from graphmem.core.intervals import ALWAYS
from graphmem.core.labelling import Standing
from graphmem.core.labels import Level, level_at, shape
from graphmem.core.provenance import Method, Provenance, Span
from graphmem.core.records import Assertion, BlockKind, Edge, Justification, Key, Kind, Mode, Role, named_edge
from graphmem.core.verbs import justify, reassert, reject, remember, retract, supersede, unreject, withdraw
from graphmem.core.views import Generation, Head, Held, LinkState, Wanted
from graphmem.ports.store import Store
from tests.memories import TENANT, commit, draft_on, entity, level, memory_over, provenance, record

KEYED = Key("vendor-23", "legal-name")


def say(store: Store, *texts: str, **details: object) -> list[str]:
    """Remember some records in one commit."""

    def plan(draft: Draft) -> list[str]:
        return [remember(draft, record(text, **details), provenance()) for text in texts]  # type: ignore[arg-type]

    return commit(store, plan)[0]


def chain(store: Store) -> tuple[str, str, str]:
    """A premise that a summary rests on; returns both ids and the justification's."""
    memory = memory_over(store)
    premise = memory.remember("the pump leaks").id
    summary = memory.remember("the pump is broken", role="summary", because=[premise]).id
    (link,) = memory.store.proof(memory._view(None, None, "")[0], [summary], 10).justifications
    return premise, summary, link


def facts(store: Store) -> list[object]:
    return list(store.dump(TENANT))


def test_an_empty_change_set_commits_nothing(store: Store) -> None:
    assert store.apply(ChangeSet(TENANT, 1, "ann", "none")).commit == 0
    assert store.status(TENANT).commit == 0


def test_commits_count_up_by_one(store: Store) -> None:
    memory = memory_over(store)
    assert [memory.remember(f"number {n}").commit for n in range(4)] == [1, 2, 3, 4]


def test_applying_answers_with_the_labels_that_moved_in_order_of_id(store: Store) -> None:
    premise, summary, _ = chain(store)
    _, applied = commit(store, lambda d: retract(d, premise), records=[premise])
    assert [change.record for change in applied.moved] == sorted([premise, summary])
    assert [(level_at(c.before, 0), level_at(c.after, 0)) for c in applied.moved] == [(2, 0), (2, 0)]


def test_a_preview_answers_like_apply_and_keeps_nothing(store: Store) -> None:
    premise, _, _ = chain(store)
    before = facts(store)
    draft = draft_on(store, Wanted((premise,)))
    retract(draft, premise)
    changes = draft.finish()
    previewed = store.preview(changes)
    assert previewed.commit == 0
    assert facts(store) == before
    assert store.apply(changes).moved == previewed.moved


def test_a_record_changed_since_it_was_read_is_a_conflict_and_nothing_is_kept(store: Store) -> None:
    (name,) = say(store, "seen")
    first, second = draft_on(store, Wanted((name,))), draft_on(store, Wanted((name,)))
    retract(first, name)
    reject(second, name, "bob")
    remember(second, record("said beside it"), provenance())
    store.apply(first.finish())
    before = facts(store)
    for write in (store.preview, store.apply):
        with pytest.raises(Conflict):
            write(second.finish())
    assert facts(store) == before


def test_a_record_that_appeared_since_it_was_absent_is_a_conflict(store: Store) -> None:
    first, second = draft_on(store), draft_on(store)
    for draft in (first, second):
        remember(draft, record("the same"), provenance())
    store.apply(first.finish())
    with pytest.raises(Conflict):
        store.apply(second.finish())


def test_two_retractions_by_source_from_one_snapshot_conflict(store: Store) -> None:
    """Each would leave the other's assertion; both together leave none."""
    memory = memory_over(store)
    name = memory.remember("seen twice", source="north").id
    memory.remember("seen twice", source="south")
    drafts = [draft_on(store, Wanted((name,))) for _ in range(2)]
    for draft, source in zip(drafts, ("north", "south"), strict=True):
        retract(draft, name, source)
    store.apply(drafts[0].finish())
    with pytest.raises(Conflict):
        store.apply(drafts[1].finish())


def test_a_head_that_moved_is_a_conflict_that_carries_the_new_head(store: Store) -> None:
    (old,) = say(store, "GmbH", key=KEYED, value='"GmbH"')
    drafts = [draft_on(store, Wanted((old,), keys=(KEYED,))) for _ in range(2)]
    names = [
        supersede(d, old, record(text), provenance(), how="change")
        for d, text in zip(drafts, ("B.V.", "Ltd"), strict=True)
    ]
    store.apply(drafts[0].finish())
    changes = replace(drafts[1].finish(), expects={})
    with pytest.raises(Conflict) as lost:
        store.apply(changes)
    assert (lost.value.head, lost.value.version) == (names[0], 2)
    assert store.load(TENANT, Wanted(keys=(KEYED,))).heads == {KEYED: Head(names[0], 2)}
    assert store.load(TENANT, Wanted((names[1],))).records == {}


def generation(ordinal: int, revision: str) -> ChangeSet:
    return ChangeSet(TENANT, 1, "ann", "ingest", generation=Generation("pool", ordinal, revision, 1))


def test_generations_of_a_repository_come_one_after_the_other(store: Store) -> None:
    store.apply(generation(1, "r17"))
    for ordinal in (1, 3):
        with pytest.raises(Conflict):
            store.apply(generation(ordinal, "r18"))
    store.apply(generation(2, "r18"))
    assert [g.revision for g in store.entries(TENANT, "pool").generations] == ["r17", "r18"]
    assert [g.revision for g in store.status(TENANT).heads] == ["r18"]


def test_a_justification_that_names_no_record_is_refused_whole(store: Store) -> None:
    (name,) = say(store, "seen")
    made = Justification("j-1", TENANT, name, ("r-nowhere",), "rule", provenance())
    before = facts(store)
    with pytest.raises(NotFound):
        store.apply(ChangeSet(TENANT, 1, "ann", "test", justifications=(made,)))
    assert facts(store) == before


def test_an_edge_that_names_no_node_is_refused_whole(store: Store) -> None:
    (name,) = say(store, "seen")
    made = named_edge(Edge("", TENANT, "about", name, "e-nowhere", ((name,),), provenance()))
    before = facts(store)
    with pytest.raises(NotFound):
        store.apply(ChangeSet(TENANT, 1, "ann", "test", edges=(made,)))
    assert facts(store) == before


def test_a_known_entity_or_edge_is_kept_once(store: Store) -> None:
    (name,) = say(store, "seen")
    pump = entity("pump")
    edge = named_edge(Edge("", TENANT, "about", name, pump.id, ((name,),), provenance()))
    for _ in range(2):
        store.apply(ChangeSet(TENANT, 1, "ann", "test", entities=(pump,), edges=(edge,)))
    counts = store.status(TENANT).counts
    assert (counts["entity"], counts["edge"]) == (1, 1)


def test_loading_gives_the_facts_of_now_whatever_the_labels(store: Store) -> None:
    premise, summary, link = chain(store)
    commit(store, lambda d: retract(d, premise), records=[premise])
    snapshot = store.load(TENANT, Wanted((premise, summary, "r-unknown"), (link, "j-unknown"), (KEYED,), ("nobody",)))
    held = snapshot.records[premise]
    assert snapshot.records.keys() == {premise, summary}
    assert (held.live, [(a.record, k) for a, k in held.withdrawn]) == ((), [(premise, 3)])
    assert (held.touched, held.label, held.standing) == (3, (), Standing(ALWAYS, Level.OUT))
    assert (snapshot.justifications.keys(), snapshot.live) == ({link}, {link})
    assert (snapshot.heads, snapshot.names, snapshot.commit) == ({}, {}, 3)
    assert snapshot.identity_key == store.identity_key


def test_loading_gives_names_whatever_their_case_and_every_entity_of_a_name(store: Store) -> None:
    twins = (entity("Pump"), entity("pump", kind="class"))
    store.apply(ChangeSet(TENANT, 1, "ann", "test", entities=twins))
    assert store.load(TENANT, Wanted(names=("PUMP",))).names == {"PUMP": tuple(sorted(e.id for e in twins))}


def test_a_withdrawn_justification_stays_known_and_can_live_again(store: Store) -> None:
    premise, summary, link = chain(store)
    commit(store, lambda d: withdraw(d, link), links=[link])
    snapshot = store.load(TENANT, Wanted(justifications=(link,)))
    assert (snapshot.justifications.keys(), snapshot.live, level(store, summary)) == ({link}, set(), 0)
    informant = snapshot.justifications[link].informant
    commit(store, lambda d: justify(d, summary, [premise], informant, provenance()), records=[premise, summary])
    assert (store.load(TENANT, Wanted(justifications=(link,))).live, level(store, summary)) == ({link}, 2)


# One commit may hold several verbs about one fact: it leaves what the same verbs leave in commits of their own.
# Each verb is given the draft, a premise, an inference and the justification from one to the other.
STEPS: dict[str, tuple[Callable[[Draft, str, str, str], object], ...]] = {
    "retract, reassert": (lambda d, a, b, j: retract(d, a), lambda d, a, b, j: reassert(d, a)),
    "withdraw, justify": (
        lambda d, a, b, j: withdraw(d, j),
        lambda d, a, b, j: justify(d, b, [a], "rule", provenance()),
    ),
    "justify, withdraw": (
        lambda d, a, b, j: justify(d, b, [a], "second", provenance()),
        lambda d, a, b, j: withdraw(d, second_link(d, a, b)),
    ),
    "reject, unreject": (lambda d, a, b, j: reject(d, a, "bob"), lambda d, a, b, j: unreject(d, a)),
    "reject, unreject, reject": (
        lambda d, a, b, j: reject(d, a, "bob"),
        lambda d, a, b, j: unreject(d, a),
        lambda d, a, b, j: reject(d, a, "eve"),
    ),
}


def second_link(draft: Draft, premise: str, conclusion: str) -> str:
    return justification_id(draft.snapshot, conclusion, (premise,), "second", Mode.INTERSECT)


@pytest.mark.parametrize("steps", STEPS)
def test_verbs_in_one_commit_leave_what_they_leave_one_by_one(store: Store, steps: str) -> None:
    assert after_steps(store, STEPS[steps], at_once=True) == after_steps(store, STEPS[steps], at_once=False)


def after_steps(store: Store, steps: tuple[Callable[[Draft, str, str, str], object], ...], *, at_once: bool) -> object:
    """Labels, assertions, blocks and justifications of a new pair of records after the steps."""
    (a,) = say(store, f"premise {at_once}")
    b, _ = commit(store, lambda d: remember(d, record(f"{at_once}", Role.INFERENCE), provenance()))
    commit(store, lambda d: retract(d, b), records=[b])
    j, _ = commit(store, lambda d: justify(d, b, [a], "rule", provenance()), records=[a, b])
    links = (j, second_link(draft_on(store), a, b))
    for plan in [steps] if at_once else [(step,) for step in steps]:
        commit(store, lambda d, plan=plan: [step(d, a, b, j) for step in plan], records=[a, b], links=links)  # type: ignore[misc]
    held = [store.load(TENANT, Wanted((n,))).records[n] for n in (a, b)]
    found = [s for s in store.dump(TENANT) if isinstance(s, LinkState) and s.justification.consequent == b]
    return (
        [shape(h.label) for h in held],
        [(len(h.live), len(h.withdrawn), h.standing, h.block and (h.block.kind, h.block.by)) for h in held],
        sorted((s.justification.informant, s.live) for s in found),
    )


def test_a_correction_takes_the_place_of_a_rejection_and_cannot_be_lifted(store: Store) -> None:
    (old,) = say(store, "GmbH", key=KEYED)
    commit(store, lambda d: reject(d, old, "bob"), records=[old])
    new, _ = commit(
        store, lambda d: supersede(d, old, record("B.V."), provenance(), how="correct"), records=[old], keys=[KEYED]
    )
    block = store.load(TENANT, Wanted((old,))).records[old].block
    assert block is not None
    assert (block.kind, block.by) == (BlockKind.CORRECTED, new)


def test_equal_content_has_equal_ids_in_memories_with_one_identity_key(store: Store) -> None:
    (name,) = say(store, "the same everywhere")
    assert name == record_id(store.load(TENANT, Wanted()), record("the same everywhere"), provenance())


def test_every_field_of_a_record_and_its_provenance_comes_back(store: Store) -> None:
    origin = Provenance(
        source_kind="file",
        locator="docs/a b.md",
        writer="ann",
        method=Method.RESOLVED,
        captured_at=7,
        span=Span(1, 9, 2, 3),
        content_hash="sha256:00",
        revision="r17",
        source_recorded_at=5,
        extractor="x",
        extractor_version="2",
        configuration_hash="c",
        subject="s",
        owner="o",
        scope="sc",
        consent="yes",
        conditions=(("python", "3.12"), ("run", "7")),
    )
    made = record(
        "whole",
        own=((1, 5), (7, 9)),
        kind=Kind.PROCEDURAL,
        key=KEYED,
        value='{"a":[1,null]}',
        observed_at=3,
        authority=4,
        context="a > b",
        policy="hr",
        sensitivity="secret",
        retention="short",
        evidence_status="seen in a run",
    )
    name, _ = commit(store, lambda d: remember(d, made, origin), keys=[KEYED])
    held = store.load(TENANT, Wanted((name,))).records[name]
    assert held.record == replace(made, id=name, version=1)
    assert [a.provenance for a in held.live] == [origin]
    assert [(a.authority, a.observed_at) for a in held.live] == [(4, 3)]


def test_a_dump_gives_every_fact_of_its_tenant_in_the_order_of_kinds(store: Store) -> None:
    premise, summary, link = chain(store)
    commit(store, lambda d: withdraw(d, link), links=[link])
    pump = entity("pump", repository="pool")
    edge = named_edge(Edge("", TENANT, "about", premise, pump.id, ((premise,), (summary,)), provenance()))
    grown = replace(generation(1, "r17"), entities=(pump,), edges=(edge,))
    store.apply(grown)
    dumped = facts(store)
    kinds = [type(fact) for fact in dumped]
    assert [kinds[0], kinds[1], *kinds[4:]] == [Generation, type(pump), LinkState, Edge]
    assert [f.record.id for f in dumped if isinstance(f, Held)] == [premise, summary]
    assert [(f.justification.id, f.live) for f in dumped if isinstance(f, LinkState)] == [(link, False)]
    assert (dumped[1], dumped[5]) == (pump, edge)


def test_status_counts_what_there_is(store: Store) -> None:
    premise, _, _ = chain(store)
    commit(store, lambda d: retract(d, premise), records=[premise])
    status = store.status(TENANT)
    assert (status.counts["record"], status.counts["out"], status.counts["justification"]) == (2, 2, 1)
    assert status.counts["commits"] == status.commit == 3
    assert status.roles == {"observation": 1, "summary": 1}


def test_the_last_commit_at_a_moment_is_the_tenants_own(store: Store) -> None:
    for at, tenant in ((10, TENANT), (20, TENANT), (30, "other"), (40, TENANT)):
        made = record(f"at {at}", tenant=tenant)
        draft = draft_on(store, tenant=tenant, at=at)
        remember(draft, made, provenance())
        store.apply(draft.finish())
    asked = (9, 10, 19, 20, 39, 40, 99)
    assert [store.commit_at(TENANT, at) for at in asked] == [0, 1, 1, 2, 2, 4, 4]
    assert store.commit_at("nobody", 99) == 0


def test_an_assertion_of_no_record_is_refused_and_the_next_write_goes_through(store: Store) -> None:
    lost = Assertion("a-1", "r-nowhere", provenance())
    with pytest.raises(NotFound):
        store.apply(ChangeSet(TENANT, 1, "ann", "test", assertions=(lost,)))
    assert len(say(store, "after the trouble")) == 1
    assert store.status(TENANT).commit == 1


def test_closing_twice_does_nothing(store: Store) -> None:
    store.close()
    store.close()


def test_what_was_acknowledged_is_there_when_the_memory_is_opened_again(
    store: Store, reopened: Callable[[], Store]
) -> None:
    premise, _, _ = chain(store)
    commit(store, lambda d: retract(d, premise), records=[premise])
    before, status = facts(store), store.status(TENANT)
    again = reopened()
    assert (list(again.dump(TENANT)), again.status(TENANT)) == (before, status)
    assert again.identity_key == b"a key that is fixed for the test"
