"""Keys whose candidates disagree, and those that claims speak to, in pages; the right keys are picked by hand."""

from __future__ import annotations

from graphmem.core.authority import CONCLUSION
from graphmem.core.belief import Voice
from graphmem.core.records import Key
from graphmem.core.views import LATEST, Keys, View
from graphmem.ports.store import Store
from tests.memories import DAY, TENANT, memory_over, view

MANY = 7


def said(store: Store, key: str, *values: object, tenant: str = TENANT, **details: object) -> list[str]:
    """Records on a key, one a value, each from a source of its own."""
    memory = memory_over(store, tenant=tenant)
    return [
        memory.remember(f"{key} is {value}", key=key, value=value, source=f"source {n}", **details).id  # type: ignore[arg-type]
        for n, value in enumerate(values)
    ]


def keys(page: Keys) -> list[str]:
    return [str(key) for key in page.keys]


def test_keys_whose_records_say_different_things_are_disputed(store: Store) -> None:
    said(store, "pump#state", "runs", "stands")
    said(store, "pump#colour", "red", "red")
    said(store, "valve#state", "open")
    memory = memory_over(store)
    memory.remember("It hums.", key="pump#noise")
    memory.remember("It is silent.", key="pump#noise")
    assert keys(store.disputed(view(), None, 10)) == ["pump#noise", "pump#state"]


def test_a_scope_is_in_dispute_with_everywhere_and_not_with_another_scope(store: Store) -> None:
    said(store, "door#state@east", "open")
    said(store, "door#state@west", "shut")
    assert keys(store.disputed(view(), None, 10)) == []
    said(store, "door#state", "open")
    assert keys(store.disputed(view(), None, 10)) == ["door#state@west"]
    said(store, "door#state", "ajar")
    assert keys(store.disputed(view(), None, 10)) == ["door#state", "door#state@east", "door#state@west"]


def test_only_grounded_records_of_a_believable_role_dispute(store: Store) -> None:
    memory = memory_over(store)
    (seen,) = said(store, "pump#state", "runs")
    memory.remember("claimed", role="claim", key="pump#state", value="claimed")
    guess = memory.remember("inferred", role="inference", because=[seen], key="pump#state", value="inferred").id
    hypothesis = memory.remember("guessed", role="inference", key="pump#state", value="guessed").id
    memory.remember("on a guess", role="summary", because=[hypothesis], key="pump#state", value="summed")
    assert keys(store.disputed(view(), None, 10)) == []
    memory.remember("well founded", role="summary", because=[seen, guess], key="pump#state", value="hot")
    assert keys(store.disputed(view(), None, 10)) == ["pump#state"]


def test_a_dispute_keeps_to_the_tenant_the_policies_and_both_clocks(store: Store) -> None:
    window = {"valid_from": "1970-01-03", "valid_to": "1970-01-05"}
    said(store, "pump#state", "runs")
    late = said(store, "pump#state", "stands", policy="hr", **window)
    said(store, "other#state", 1, 2, tenant="rival")
    inside = 3 * DAY

    def disputed(asked: View) -> list[str]:
        return keys(store.disputed(asked, None, 10))

    assert disputed(view(inside)) == ["pump#state"]
    assert disputed(view(5 * DAY)) == disputed(view(DAY)) == []
    assert disputed(view(inside, 1)) == []
    assert disputed(view(inside, policies=("open",))) == []
    assert disputed(view(inside, policies=("open", "hr"))) == ["pump#state"]
    assert disputed(view(inside, tenant="rival")) == ["other#state"]
    memory_over(store).retract(late[0])
    assert disputed(view(inside)) == []
    assert disputed(view(inside, 2)) == ["pump#state"]


def test_pages_of_keys_join_into_the_whole_and_count_what_is_left(store: Store) -> None:
    names = [f"unit {n}#state" for n in range(MANY)]
    for name in reversed(names):
        said(store, name, 1, 2)
    found: list[Key] = []
    counts = []
    while not counts or counts[-1] > 3:
        page = store.disputed(view(), found[-1] if found else None, 3)
        counts.append(page.count)
        found += page.keys
    assert [str(key) for key in found] == names
    assert counts == [7, 4, 1]
    assert store.disputed(view(), found[-1], 3) == Keys((), 0)


def test_claimed_keys_are_those_that_a_living_claim_speaks_to(store: Store) -> None:
    (claim,) = said(store, "pump#state", "leaks", role="claim")
    said(store, "valve#state@east", "open", role="claim")
    said(store, "door#state", 1, 2)
    assert keys(store.disputed(view(), None, 10, claims=True)) == ["pump#state", "valve#state@east"]
    found = store.candidates(view(), [Key("pump", "state"), Key("door", "state")], claims=True)
    assert {key: [c.record.id for c in cs] for key, cs in found.items()} == {Key("pump", "state"): [claim]}
    memory_over(store).retract(claim)
    assert keys(store.disputed(view(), None, 10, claims=True)) == ["valve#state@east"]


def test_a_candidate_carries_every_live_assertion_and_a_conclusion_none(store: Store) -> None:
    memory = memory_over(store)
    key = Key("pump", "state")
    name = memory.remember("runs", key=key, value="runs", source="a.md", authority=1, observed_at="1970-01-02").id
    memory.remember("runs", key=key, value="runs", source="b", source_kind="log", authority=5, observed_at="1970-01-03")
    memory.remember("so it is", role="summary", because=[name], key=key, value="sum")
    by_value = {c.record.value: c.voices for c in store.candidates(view(), [key])[key]}
    assert by_value == {
        '"runs"': (Voice("a.md", "document", 1, DAY), Voice("b", "log", 5, 2 * DAY)),
        '"sum"': (),
    }
    memory.retract(name, source="b")
    voices = {k: {len(c.voices) for c in store.candidates(view(known_at=k), [key])[key]} for k in (1, 2, LATEST)}
    assert voices == {1: {1}, 2: {2}, LATEST: {0, 1}}
    assert CONCLUSION not in {v.kind for found in by_value.values() for v in found}
