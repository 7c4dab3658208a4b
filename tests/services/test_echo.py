"""The agent's own output is no evidence for itself: what comes back is a claim that rests on what it came from. Over
every store."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphmem.memory import Memory
from graphmem.ports.store import Store
from tests.memories import memory_over

TEN = "The pool has ten connections."


@pytest.fixture
def memory(store: Store) -> Memory:
    return memory_over(store, writer="agent")


@pytest.fixture
def fact(memory: Memory) -> str:
    """What a document says."""
    return memory.remember(TEN, key="pool#size", value=10, source="handbook.md").id


def role(memory: Memory, name: str) -> str:
    return memory.held(name).record.role.value


def holding(memory: Memory, name: str) -> bool:
    return memory.why(name).proof is not None


def test_what_was_recalled_comes_back_as_a_claim_that_falls_with_its_source(memory: Memory, fact: str) -> None:
    assert memory.recall("how many connections?").items
    for number in range(20):
        echo = memory.remember(f"{TEN}{' ' * number}", key="pool#size", value=10)
    assert role(memory, echo.id) == "claim"
    assert echo.notes == (f"recognised as an echo: kept as a claim that rests on {fact}",)
    assert memory.believe("pool#size").value == "10"
    memory.retract(fact)
    assert memory.believe("pool#size").winner is None
    assert not holding(memory, echo.id)


def test_an_observation_that_cites_a_record_is_a_claim_that_rests_on_it(memory: Memory, fact: str) -> None:
    note = memory.remember(f"As {fact} says, the pool is small.", key="pool#verdict", value="small", source="chat/7")
    assert role(memory, note.id) == "claim"
    assert memory.believe("pool#verdict").winner is None
    assert set(memory.retract(fact).fell) == {fact, note.id}
    assert set(memory.reassert(fact).rose) == {fact, note.id}


def test_a_staged_answer_that_is_stored_whole_rests_on_all_that_it_shows(memory: Memory, fact: str) -> None:
    other = memory.remember("The pool closes idle connections.", source="handbook.md").id
    told = memory.recall("connections of the pool")
    note = memory.remember(told.text, source="transcript/3")
    proof = memory.why(note.id).proof
    assert proof is not None
    assert {step.record for step in proof.antecedents} == {fact, other}


def test_another_source_that_says_the_same_is_a_second_support(memory: Memory, fact: str) -> None:
    memory.recall("connections")
    again = memory.remember(TEN, key="pool#size", value=10, source="audit-report.pdf")
    assert again.id == fact
    memory.retract(fact, source="handbook.md")
    assert memory.believe("pool#size").value == "10"


def test_an_id_that_this_memory_does_not_know_makes_no_echo(memory: Memory) -> None:
    note = memory.remember("r-0123456789abcdef0123 is an id of another memory.")
    assert role(memory, note.id) == "observation"


def test_own_words_said_again_write_nothing(memory: Memory) -> None:
    first = memory.remember("The valve sticks.", key="valve#state", value="stuck")
    memory.recall("valve")
    again = memory.remember("The valve sticks.", key="valve#state", value="stuck")
    assert (again.id, again.changed) == (first.id, False)


def test_an_echo_that_comes_twice_is_one_claim(memory: Memory, fact: str) -> None:
    memory.recall("connections")
    first, second = (memory.remember(TEN) for _ in range(2))
    assert (second.id, second.changed) == (first.id, False)


def test_a_file_that_cites_a_record_is_ingested_as_a_claim(memory: Memory, fact: str, tmp_path: Path) -> None:
    (tmp_path / "report.md").write_text(f"# Report\n\nThe pool is small ({fact}).\n\n# Other\n\nThe valve sticks.\n")
    memory.ingest(tmp_path, repository="notes")
    items = {item.text: item for item in memory.recall("valve and report of the pool", budget=4_000).items}
    roles = {text.split("\n")[0]: item.found.record.role.value for text, item in items.items()}
    assert roles["# Report"] == "claim"
    assert roles["# Other"] == "source"
    memory.retract(fact)
    left = {item.text.split("\n")[0] for item in memory.recall("valve and report of the pool", budget=4_000).items}
    assert "# Report" not in left
    assert "# Other" in left


def test_an_ingested_echo_ends_with_its_file(memory: Memory, fact: str, tmp_path: Path) -> None:
    page = tmp_path / "report.md"
    page.write_text(f"# Report\n\nThe pool is small ({fact}).\n")
    memory.ingest(tmp_path, repository="notes")
    page.write_text("# Report\n\nThe pool was measured.\n")
    memory.clock.time += 1_000  # type: ignore[attr-defined]
    report = memory.ingest(tmp_path, repository="notes")
    assert (report.born, report.died) == (1, 1)
    assert len(report.fell) == 1


def test_a_decision_that_cites_what_it_decides_on_is_no_echo(memory: Memory, fact: str) -> None:
    memory.remember("The pool has two connections.", key="pool#size", value=2, source="wiki.md")
    memory.recall("connections")
    decision = memory.resolve_conflict("pool#size", reason=f"{fact} is the handbook, which holds.", keep=fact)
    assert role(memory, decision.id) == "observation"
    assert memory.believe("pool#size").value == "10"


def test_corroboration_counts_distinct_sources_however_often_they_are_repeated(memory: Memory, fact: str) -> None:
    summaries = [memory.remember(f"Summary {n}.", role="summary", because=[fact]).id for n in range(5)]
    whole = memory.remember("All in all.", role="summary", because=summaries).id
    memory.recall("connections")
    echo = memory.remember(TEN).id
    for name in (fact, whole, echo):
        assert memory.why(name).sources == ("handbook.md",)
    memory.remember(TEN, key="pool#size", value=10, source="audit-report.pdf")
    for name in (fact, whole, echo):
        assert memory.why(name).sources == ("audit-report.pdf", "handbook.md")
