"""Consolidation over every store: what stands, what is refused and kept, and what falls with its source."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from graphmem.core.consolidation import Evidence, SummaryDraft, extract
from graphmem.core.errors import InvalidInput, NotFound
from graphmem.memory import Memory
from graphmem.ports.store import Store
from tests.memories import memory_over


@pytest.fixture
def memory(store: Store) -> Memory:
    return memory_over(store)


@dataclass
class Says:
    """A drafter that says one thing whatever it is shown."""

    draft_: SummaryDraft
    name: str = "model 1"

    def draft(self, evidence: Evidence) -> SummaryDraft:
        return self.draft_


def size(memory: Memory, value: int, source: str, **more: object) -> str:
    return memory.remember(f"It has {value} connections.", key="pool#size", value=value, source=source, **more).id


def test_a_summary_stands_on_the_observation_that_belief_picks(memory: Memory) -> None:
    size(memory, 10, "old.md", observed_at="2026-01-01")
    new = size(memory, 20, "new.md", observed_at="2026-02-01", authority=3, policy="team", sensitivity="restricted")
    made = memory.consolidate("pool#size")
    kept = memory.held(made.written.id).record
    assert made.refused is None
    assert (kept.role, kept.text, kept.value) == ("summary", "It has 20 connections.", "20")
    assert (kept.authority, kept.policy, kept.sensitivity) == (3, "team", "restricted")
    assert set(memory.retract(new).fell) == {new, made.written.id}
    assert memory.believe("pool#size").value == "10"


def test_a_summary_made_again_is_the_same_record(memory: Memory) -> None:
    size(memory, 20, "new.md")
    first = memory.consolidate("pool#size")
    again = memory.consolidate("pool#size")
    assert (again.written.id, again.written.changed) == (first.written.id, False)


def test_several_keys_become_one_summary_that_falls_with_each(memory: Memory) -> None:
    twenty = size(memory, 20, "new.md")
    memory.remember("Ann owns the pool.", key="pool#owner", value="Ann", source="org.md")
    made = memory.consolidate("pool#size", "pool#owner", into="pool#overview")
    assert memory.believe("pool#overview").value == '{"pool#owner":"Ann","pool#size":20}'
    assert made.written.id in memory.retract(twenty).fell
    assert memory.believe("pool#overview").winner is None


def test_a_refused_draft_is_kept_as_rejected_with_its_reason_and_never_answers(memory: Memory) -> None:
    twenty = size(memory, 20, "new.md")
    made = memory.consolidate("pool#size", drafter=Says(SummaryDraft("It has 30 zebras.", (twenty,), "20")))
    assert str(made.refused) == "asserts-more(sentence 1)"
    block = memory.held(made.written.id).block
    assert block is not None
    assert (block.kind, block.by) == ("rejected", "consolidation:asserts-more")
    assert memory.why(made.written.id).proof is None
    assert not [item for item in memory.recall("zebras").items if "zebras" in item.text]
    assert memory.believe("pool#size").winner.record.id == twenty  # type: ignore[union-attr]


def test_a_models_draft_that_only_quotes_stands_under_its_name(memory: Memory) -> None:
    twenty = size(memory, 20, "new.md")
    made = memory.consolidate("pool#size", drafter=Says(SummaryDraft("It has 20 connections.", (twenty,), "20")))
    assert made.refused is None
    proof = memory.why(made.written.id).proof
    assert proof is not None
    assert proof.justification is not None
    assert proof.justification.informant == "model 1"


def test_a_dry_run_shows_the_draft_and_writes_nothing(memory: Memory) -> None:
    size(memory, 20, "new.md")
    before = memory.status().commit
    made = memory.consolidate("pool#size", dry_run=True)
    assert (made.draft.text, memory.status().commit) == ("It has 20 connections.", before)


def test_claims_and_unknown_keys_give_nothing_to_consolidate(memory: Memory) -> None:
    memory.remember("I guess forty.", role="claim", key="pool#size", value=40)
    with pytest.raises(NotFound, match="nothing that was seen"):
        memory.consolidate("pool#size")


def test_several_keys_need_a_key_for_the_summary(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match="a key of its own"):
        memory.consolidate("pool#size", "pool#owner")


def test_the_extractive_draft_is_what_a_drafter_would_be_measured_against(memory: Memory) -> None:
    size(memory, 20, "new.md")

    class Extracts:
        name = "extracts"

        def draft(self, evidence: Evidence) -> SummaryDraft:
            return extract(evidence)

    assert memory.consolidate("pool#size", drafter=Extracts()).draft == memory.consolidate("pool#size").draft
