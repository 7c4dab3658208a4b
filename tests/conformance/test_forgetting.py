"""Deletion on every store: what is erased, what loses its text, what keeps it, and that nothing tells of it any more,
at any known time, in any answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from graphmem.core import verbs
from graphmem.core.changes import Draft
from graphmem.core.erasure import NEEDS_REGENERATION
from graphmem.core.errors import Conflict, InvalidInput, NotFound, NotPermitted
from graphmem.core.records import Edge, Role, named_edge
from graphmem.core.views import LATEST, Caps, Wanted
from graphmem.memory import Memory
from graphmem.ports.store import Store
from tests.handlers import note_facts
from tests.memories import FakeClock, commit, draft_on, entity, memory_over, provenance, record, view

SECRET = "zebrafish"


@pytest.fixture
def memory(store: Store) -> Memory:
    return memory_over(store)


def two_sources(memory: Memory) -> tuple[str, str, str]:
    """Two statements of two sources, and a summary made of both."""
    one = memory.remember(f"Ada keeps a {SECRET}.", key="ada#pet", value=SECRET, source="notes/1", subject="ada").id
    two = memory.remember("Bob keeps a dog.", key="bob#pet", value="dog", source="notes/2").id
    summary = f"Ada has a {SECRET}, Bob a dog."
    return one, two, memory.remember(summary, role="summary", because=[one, two], key=f"{SECRET}#pets").id


def everything(memory: Memory, ids: tuple[str, ...]) -> str:
    """All that a memory tells: facts, searches, lives, audits and surroundings, now and at each commit of the past."""
    store, told = memory.store, [json.dumps(line) for line in memory.export()]
    for known in (*range(1, memory.status().commit + 1), LATEST):
        seen = view(known_at=known)
        told += map(str, store.proof(seen, ids, 1_000).records.values())
        told += map(str, store.history(seen, ids).lives.values())
        told += map(str, store.find(seen, ids).values())
        told.append(str(store.neighbourhood(seen, ids, Caps())))
        told.append(str(store.search(seen, (), (SECRET,), 10).lexical))
    told.append(str(memory.audit(recorded_from="1970-01-01").found.entries))
    return "\n".join(told)


def wanted(*names: str) -> Wanted:
    return Wanted(records=names)


def test_nothing_tells_of_what_was_forgotten_at_any_known_time(memory: Memory) -> None:
    ids = two_sources(memory)
    assert SECRET in everything(memory, ids)
    memory.forget(ids[0], reason="asked")
    assert SECRET not in everything(memory, ids)
    assert not memory.store.search(view(), (SECRET, "ada"), (SECRET,), 10).exact


def test_an_erased_record_is_out_by_its_receipt_and_its_row_says_nothing(memory: Memory) -> None:
    one, *_ = two_sources(memory)
    done = memory.forget(one, reason="asked")
    refuted = memory.why_not(one).refutation  # type: ignore[union-attr]
    assert refuted is not None
    assert (refuted.reason, refuted.detail) == ("deleted", done.receipt)
    held = memory.held(one)
    assert (held.record.text, held.record.value, held.record.key, held.record.context) == ("", None, None, "")
    assert [(a.provenance.locator, a.provenance.subject) for a in held.live] == [("", "")]
    assert memory.believe("ada#pet").winner is None


def test_a_summary_of_two_sources_loses_its_text_until_it_is_made_again(memory: Memory) -> None:
    one, two, summary = two_sources(memory)
    memory.justify(summary, [two])
    done = memory.forget(one, reason="asked")
    assert done.scrubbed == (summary,)
    assert list(done.survived) == [summary]
    held = memory.held(summary)
    assert (held.record.text, held.record.evidence_status, bool(held.label)) == ("", NEEDS_REGENERATION, True)
    made = memory.remember(f"Ada has a {SECRET}, Bob a dog.", role="summary", because=[two], key=f"{SECRET}#pets")
    assert made.id != summary
    assert memory.held(made.id).record.supersedes == summary
    assert memory.held(made.id).label


def test_what_was_erased_stays_so_when_the_store_is_opened_again(memory: Memory, reopened: Callable[[], Store]) -> None:
    ids = two_sources(memory)
    done = memory.forget(ids[0], reason="asked")
    again = memory_over(reopened())
    assert SECRET not in everything(again, ids)
    assert again.held(ids[2]).record.evidence_status == NEEDS_REGENERATION
    assert again.forget(ids[0], reason="asked").receipt == done.receipt
    with pytest.raises(NotPermitted, match="forgotten"):
        again.remember(f"Ada keeps a {SECRET}.", value=SECRET)


def test_a_conclusion_with_another_reason_keeps_its_content(memory: Memory) -> None:
    one, two, _ = two_sources(memory)
    shared = memory.remember("Somebody keeps a pet.", role="summary", because=[two]).id
    link = memory.justify(shared, [one]).id
    done = memory.forget(one, reason="asked")
    assert shared not in done.scrubbed
    assert memory.held(shared).record.text == "Somebody keeps a pet."
    assert link not in done.survived[shared]
    assert memory.why(shared).proof is not None


def test_text_goes_through_every_producer_that_leads_to_it(memory: Memory) -> None:
    one, _, summary = two_sources(memory)
    rollup = memory.remember("All pets.", role="summary", because=[summary]).id
    assert memory.forget(one, reason="asked").scrubbed == tuple(sorted([summary, rollup]))


def test_forgetting_again_gives_the_same_receipt_and_changes_nothing(memory: Memory) -> None:
    one, *_ = two_sources(memory)
    first = memory.forget(one, reason="asked")
    before = memory.status().commit
    again = memory.forget(one, reason="asked twice")
    assert (again.receipt, again.written.changed, memory.status().commit) == (first.receipt, False, before)


def test_a_dry_run_tells_what_the_commit_does_and_writes_nothing(memory: Memory) -> None:
    one, *_ = two_sources(memory)
    before = memory.status()
    dry = memory.forget(one, reason="asked", dry_run=True)
    assert memory.status() == before
    done = memory.forget(one, reason="asked")
    assert replace(dry, written=replace(dry.written, commit=done.written.commit)) == done


@pytest.mark.parametrize("role", ["observation", "claim"])
def test_what_was_forgotten_is_refused_under_any_key_and_role(memory: Memory, role: str) -> None:
    one, *_ = two_sources(memory)
    memory.forget(one, reason="asked")
    for key in ("ada#pet", "somebody#pet", None):
        with pytest.raises(NotPermitted, match="forgotten"):
            memory.remember(f"ada keeps  a {SECRET}.", key=key, value=SECRET, role=role, source="elsewhere")


def test_an_override_lets_it_in_under_another_id_and_is_on_record(memory: Memory) -> None:
    one, *_ = two_sources(memory)
    memory.forget(one, reason="asked")
    made = memory.remember(
        f"Ada keeps a {SECRET}.", key="ada#pet", value=SECRET, source="notes/1", override="she said so"
    )
    assert made.id != one
    assert memory.believe("ada#pet").value == json.dumps(SECRET)
    (entry,) = memory.audit(source="graphmem:overrides").found.entries
    noted = memory.held(entry.names[0]).record
    assert "she said so" in noted.text
    assert json.loads(noted.value or "")["tombstone"] == one


def test_a_source_forgotten_as_a_whole_stays_out_and_a_shared_record_only_loses_its_assertion(memory: Memory) -> None:
    one, two, _ = two_sources(memory)
    memory.remember("Bob keeps a dog.", key="bob#pet", value="dog", source="notes/1")
    done = memory.forget(source="notes/1", reason="withdrawn")
    assert done.erased == (one,)
    assert memory.believe("bob#pet").value == '"dog"'
    held = memory.held(two)
    assert [a.provenance.locator for a in held.live] == ["notes/2"]
    assert [a.provenance.locator for a, _ in held.withdrawn] == [""]
    with pytest.raises(NotPermitted, match="forgotten"):
        memory.remember("something else", source="notes/1")
    assert memory.forget(source="notes/1", reason="again").receipt == done.receipt


def test_a_subject_takes_its_provenance_its_keys_and_its_consent(memory: Memory) -> None:
    one, *_ = two_sources(memory)
    keyed = memory.remember("A name.", key="ada#name", value="Ada").id
    consent = memory.remember("May be kept.", source_kind="consent", subject="ada").id
    assert memory.forget(subject="ada", reason="asked").erased == tuple(sorted([one, keyed, consent]))
    assert memory.believe("bob#pet").winner is not None


def test_a_query_takes_what_says_all_of_its_words(memory: Memory) -> None:
    one, two, summary = two_sources(memory)
    assert memory.forget(query=f"keeps {SECRET}", reason="asked", dry_run=True).erased == (one,)
    assert memory.forget(query="bob dog", reason="asked", dry_run=True).erased == tuple(sorted([two, summary]))


def test_edges_and_entities_go_with_their_last_evidence(memory: Memory, store: Store) -> None:
    one, two, _ = two_sources(memory)
    ends = (entity("valve"), entity("pump"))
    both = named_edge(Edge("", "acme", "feeds", ends[0].id, ends[1].id, ((one,), (two,)), provenance(f"{SECRET}/plan")))

    def plan(draft: Draft) -> None:
        draft.entities |= {e.id: e for e in ends}
        draft.edges[both.id] = both

    commit(store, plan)
    memory.forget(one, reason="asked")
    facts = list(memory.export())
    (left,) = [f for f in facts if f["type"] == "edge" and f["edge"] == "feeds"]
    assert left["evidence"] == [[two]]
    names = {f["name"] for f in facts if f["type"] == "entity"}
    assert {"valve", "pump", "bob"} <= names
    assert "ada" not in names
    memory.forget(two, reason="asked")
    assert not [f for f in memory.export() if f["type"] in ("entity", "edge")]


def test_the_head_of_a_key_moves_to_the_newest_version_that_is_left(memory: Memory) -> None:
    first = memory.remember("Ada keeps a cat.", key="ada#pet", value="cat").id
    second = memory.supersede(first, f"Ada keeps a {SECRET}.", value=SECRET, how="change").id
    memory.forget(second, reason="asked")
    third = memory.supersede(first, "Ada keeps a parrot.", value="parrot")
    assert memory.believe("ada#pet").winner.record.id == third.id  # type: ignore[union-attr]
    memory.forget([first, third.id], reason="asked")
    assert memory.held(memory.remember("Ada keeps ants.", key="ada#pet", value="ants").id).record.version == 1


def test_a_plan_made_before_a_deletion_is_refused_and_installs_nothing(memory: Memory, store: Store) -> None:
    one, two, summary = two_sources(memory)
    before = draft_on(store, wanted(one, summary))
    verbs.conclude(before, record(f"late {SECRET}", Role.SUMMARY), [one], "worker", provenance())
    on_summary = draft_on(store, wanted(one, summary))
    verbs.conclude(on_summary, record(f"later {SECRET}", Role.SUMMARY), [summary], "worker", provenance())
    memory.forget(one, reason="asked")
    for draft in (before, on_summary):
        with pytest.raises(Conflict):
            store.apply(draft.finish())
    assert SECRET not in everything(memory, (one, two, summary))


def test_a_plan_that_would_say_the_same_under_another_id_is_refused_too(memory: Memory, store: Store) -> None:
    one, *_ = two_sources(memory)
    late = draft_on(store)
    name = verbs.remember(late, record(f"Ada keeps a {SECRET}.", Role.CLAIM), provenance("elsewhere"))
    memory.forget(one, reason="asked")
    with pytest.raises(Conflict, match="forgotten meanwhile"):
        store.apply(late.finish())
    assert name not in memory.held_all([name])


def test_a_text_that_tells_by_itself_is_refused_with_any_value_and_a_few_words_only_with_theirs(memory: Memory) -> None:
    long = memory.remember("Ada lives at the end of the lane.", key="ada#home", value="lane").id
    short = memory.remember("It is so.", key="ada#state", value="ill").id
    memory.forget([long, short], reason="asked")
    for value in (None, "end"):
        with pytest.raises(NotPermitted, match="forgotten"):
            memory.remember("ada lives at the END of the lane.", key="x#y", value=value)
    with pytest.raises(NotPermitted, match="forgotten"):
        memory.remember("It is so.", key="x#y", value="ill")
    assert memory.remember("It is so.", key="x#y", value="well").changed


def test_a_deletion_that_another_writer_overtook_starts_over(
    memory: Memory, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two, _ = two_sources(memory)
    preview, late = store.preview, []

    def overtaken(changes: object) -> object:
        if not late:
            late.append(memory_over(store, writer="bea").remember("late", role="summary", because=[one, two]).id)
        return preview(changes)  # type: ignore[arg-type]

    monkeypatch.setattr(store, "preview", overtaken)
    done = memory.forget(one, reason="asked")
    assert late[0] in done.scrubbed
    assert memory.verify_receipt(done.receipt).remains == ()


def test_a_receipt_verifies_and_a_copy_of_what_was_forgotten_is_found(memory: Memory) -> None:
    one, *_ = two_sources(memory)
    copy = memory.remember(f"Ada keeps a {SECRET}.", key="pet#ada", value=SECRET, source="notes/3").id
    done = memory.forget(one, reason="asked")
    assert done.remains == ()
    (remaining,) = memory.verify_receipt(done.receipt).remains
    assert copy in remaining
    memory.forget(copy, reason="asked")
    assert memory.verify_receipt(done.receipt).remains == ()
    assert {held.record.id for held in memory.receipts()} >= {done.receipt}


def test_a_receipt_is_not_forgotten_and_nothing_is_forgotten_without_choice_or_reason(memory: Memory) -> None:
    one, *_ = two_sources(memory)
    receipt = memory.forget(one, reason="asked").receipt
    with pytest.raises(NotPermitted, match="receipt"):
        memory.forget(receipt, reason="tidying")
    with pytest.raises(InvalidInput):
        memory.forget(reason="no choice")
    with pytest.raises(InvalidInput):
        memory.forget(one, reason=" ")
    with pytest.raises(NotFound):
        memory.forget(source="nowhere", reason="asked")


def test_another_tenant_with_the_same_content_keeps_it(memory: Memory, store: Store) -> None:
    one, *_ = two_sources(memory)
    other = memory_over(store, FakeClock(), tenant="rival")
    kept = other.remember(f"Ada keeps a {SECRET}.", key="ada#pet", value=SECRET, source="notes/1").id
    memory.forget(one, reason="asked")
    assert other.held(kept).record.value == json.dumps(SECRET)
    assert other.remember(f"Ada keeps a {SECRET}.", source="notes/1", value=SECRET).changed
    with pytest.raises(NotFound):
        other.forget(one, reason="asked")


def test_an_old_export_does_not_bring_it_back(memory: Memory) -> None:
    one, *_ = two_sources(memory)
    old = [json.dumps(line) for line in memory.export()]
    memory.forget(one, reason="asked")
    with pytest.raises(NotPermitted, match="forgotten"):
        memory.import_lines(old)
    assert SECRET not in "".join(json.dumps(line) for line in memory.export())


def test_what_is_buffered_is_forgotten_with_the_rest(memory: Memory) -> None:
    memory.remember(f"Ada keeps a {SECRET}.", subject="ada", ack="buffered")
    assert len(memory.forget(subject="ada", reason="asked").erased) == 1
    assert memory.recall(SECRET).items == ()


def test_a_job_of_what_is_forgotten_goes_with_it(store: Store) -> None:
    memory = memory_over(store, handlers={"extract": note_facts})
    name = memory.remember(f"FACT: Ada keeps a {SECRET}.", source="notes/1").id
    assert [job.record for job in memory.jobs()] == [name]
    memory.forget(name, reason="asked")
    assert memory.jobs() == ()
    assert memory.maintain().done == 0
