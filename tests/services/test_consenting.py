"""A person's consent: recorded, withdrawn, and what that erases and keeps out. Over every store."""

from __future__ import annotations

import pytest

from graphmem.core.admission_policy import Policy
from graphmem.core.errors import InvalidInput, NotFound, NotPermitted
from graphmem.memory import Memory
from graphmem.ports.store import Store
from tests.memories import FakeClock, memory_over


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(1_000)


@pytest.fixture
def memory(store: Store, clock: FakeClock) -> Memory:
    return memory_over(store, clock)


def standing(memory: Memory, subject: str = "") -> list[tuple[str, str, bool]]:
    return [(c.subject, c.purpose, c.given) for c in memory.consents(subject)]


def test_consents_are_listed_by_person_and_purpose(memory: Memory) -> None:
    memory.consent_give("bob", "reminders")
    memory.consent_give("ann", "reminders", reason="She ticked the box.")
    memory.consent_give("ann", "preferences")
    assert standing(memory) == [("ann", "preferences", True), ("ann", "reminders", True), ("bob", "reminders", True)]
    assert standing(memory, "bob") == [("bob", "reminders", True)]


def test_a_withdrawal_erases_what_was_kept_under_that_consent_and_nothing_else(
    memory: Memory, clock: FakeClock
) -> None:
    memory.consent_give("ann", "preferences")
    tea = memory.remember("She likes tea.", subject="ann", consent="preferences").id
    note = memory.remember("Buy tea.", role="summary", because=[tea]).id
    other = memory.remember("She is in Oslo.", subject="ann", consent="travel").id
    hers = memory.remember("He likes tea.", subject="bob", consent="preferences").id
    clock.time = 2_000
    (done,) = memory.consent_withdraw("ann", "preferences", reason="She asked.")
    assert done.forgotten is not None
    assert (done.forgotten.erased, done.forgotten.scrubbed) == ((tea,), (note,))
    assert {i.id for i in memory.recall("likes Oslo").items} >= {other, hers}
    assert standing(memory, "ann") == [("ann", "preferences", False)]


def test_what_names_a_withdrawn_consent_is_refused_until_it_is_given_again(memory: Memory, clock: FakeClock) -> None:
    memory.consent_give("ann", "preferences")
    clock.time = 2_000
    assert memory.consent_withdraw("ann", "preferences")[0].forgotten is None
    with pytest.raises(NotPermitted, match="consent-withdrawn"):
        memory.remember("She likes milk.", subject="ann", consent="preferences")
    clock.time = 3_000
    memory.consent_give("ann", "preferences")
    assert memory.remember("She likes milk.", subject="ann", consent="preferences").changed


def test_only_a_consent_that_stands_can_be_withdrawn(memory: Memory, clock: FakeClock) -> None:
    with pytest.raises(NotFound):
        memory.consent_withdraw("ann", "preferences")
    with pytest.raises(InvalidInput, match="a person's"):
        memory.consent_give("ann", " ")
    memory.consent_give("ann", "preferences")
    clock.time = 2_000
    memory.consent_withdraw("ann", "preferences")
    with pytest.raises(NotFound):
        memory.consent_withdraw("ann", "preferences")


def test_a_dry_run_shows_what_a_withdrawal_would_erase(memory: Memory, clock: FakeClock) -> None:
    memory.consent_give("ann", "preferences")
    tea = memory.remember("She likes tea.", subject="ann", consent="preferences").id
    clock.time, before = 2_000, memory.status().commit
    (done,) = memory.consent_withdraw("ann", "preferences", dry_run=True)
    assert done.forgotten is not None
    assert (done.forgotten.erased, memory.status().commit) == ((tea,), before)


def test_a_consent_itself_needs_none(store: Store) -> None:
    memory = memory_over(store, admission=Policy(consent="always"))
    assert memory.consent_give("bob", "preferences").changed
    assert memory.remember("He likes tea.", subject="bob").outcome == "skipped"
    assert memory.remember("He likes tea.", subject="bob", consent="preferences").outcome == "stored"


def test_without_a_purpose_every_consent_that_stands_is_withdrawn(memory: Memory, clock: FakeClock) -> None:
    memory.consent_give("ann", "preferences")
    memory.consent_give("ann", "travel")
    clock.time = 2_000
    assert [w.purpose for w in memory.consent_withdraw("ann")] == ["preferences", "travel"]
    with pytest.raises(NotFound):
        memory.consent_withdraw("ann")


def test_the_person_gets_the_consent_with_the_rest_and_nothing_of_it_stays(memory: Memory) -> None:
    memory.consent_give("ann", "preferences")
    memory.remember("She likes tea.", subject="ann", consent="preferences")
    texts = [line["text"] for line in memory.export("ann") if line["type"] == "record"]
    assert sorted(texts) == ["She likes tea.", "ann has given consent to preferences."]
    memory.forget(subject="ann", reason="asked")
    assert memory.consents() == ()
    assert [line for line in memory.export() if "tea" in str(line) or "ann has" in str(line)] == []
