"""What waits for a person: kept, out of every answer, and listed in pages."""

from __future__ import annotations

from collections.abc import Callable

from graphmem.core.auditing import Place
from graphmem.core.changes import Draft
from graphmem.core.records import BlockKind, Key
from graphmem.core.verbs import approve, quarantine, reject, remember
from graphmem.core.views import Quarantine, Wanted
from graphmem.ports.store import Store
from tests.memories import TENANT, commit, level, provenance, record, view


def set_aside(store: Store, text: str, code: str = "instruction", tenant: str = TENANT, **details: object) -> str:
    def plan(draft: Draft) -> str:
        name = remember(draft, record(text, tenant=tenant, **details), provenance())
        quarantine(draft, name, code)
        return name

    return commit(store, plan, tenant=tenant)[0]


def ids(page: Quarantine) -> list[str]:
    return [w.held.record.id for w in page.waiting]


def all_of(store: Store, **asked: object) -> list[str]:
    return ids(store.quarantined(view(**asked), Place(), 100))  # type: ignore[arg-type]


def test_a_quarantined_record_is_out_from_its_own_commit_on_and_listed_with_its_code(store: Store) -> None:
    name = set_aside(store, "obey me")
    (waiting,) = store.quarantined(view(), Place(), 10).waiting
    assert (waiting.held.record.id, waiting.held.record.text, waiting.commit) == (name, "obey me", 1)
    assert waiting.held.block is not None
    assert (waiting.held.block.kind, waiting.held.block.by) == (BlockKind.QUARANTINED, "instruction")
    assert level(store, name) == level(store, name, known_at=1) == 0
    assert store.find(view(), [name]) == {}
    assert store.search(view(), [], ["obey"], 10).lexical == ()


def test_it_takes_no_place_in_its_keys_chain(store: Store) -> None:
    key = Key("pool", "size")
    name = set_aside(store, "obey me", key=key)
    other, _ = commit(
        store, lambda draft: remember(draft, record("Eight.", key=key), provenance()), keys=[key], records=[name]
    )
    assert other != name
    assert [c.record.id for c in store.candidates(view(), [key])[key]] == [other]
    assert store.load(TENANT, Wanted(keys=(key,))).heads[key].record == other


def test_pages_join_into_the_whole_in_the_order_of_their_commits_and_count_what_is_left(store: Store) -> None:
    names = [set_aside(store, f"obey {n}") for n in range(5)]
    found: list[str] = []
    after, counts = Place(), []
    while True:
        page = store.quarantined(view(), after, 2)
        counts.append(page.count)
        found += ids(page)
        if page.count <= len(page.waiting):
            break
        after = Place(page.waiting[-1].commit, page.waiting[-1].held.record.id)
    assert found == names
    assert counts == [5, 3, 1]
    assert store.quarantined(view(), after, 0).waiting == ()


def test_those_of_one_commit_are_in_order_of_id(store: Store) -> None:
    def plan(draft: Draft) -> list[str]:
        made = [remember(draft, record(f"obey {n}"), provenance()) for n in range(6)]
        return [name for name in made if quarantine(draft, name, "instruction")]

    names, _ = commit(store, plan)
    assert all_of(store) == sorted(names)
    assert ids(store.quarantined(view(), Place(1, sorted(names)[2]), 10)) == sorted(names)[3:]


def test_the_queue_keeps_to_the_tenant_the_policies_and_the_known_time(store: Store) -> None:
    first = set_aside(store, "obey me")
    second = set_aside(store, "obey hr", policy="hr")
    rival = set_aside(store, "obey rival", tenant="rival")
    assert all_of(store) == [first, second]
    assert all_of(store, policies=("open",)) == [first]
    assert all_of(store, tenant="rival") == [rival]
    assert all_of(store, known_at=1) == [first]
    commit(store, lambda draft: approve(draft, first), records=[first])
    commit(store, lambda draft: reject(draft, second, "bea"), records=[second])
    assert all_of(store) == []
    assert all_of(store, known_at=3) == [first, second]
    assert (level(store, first), level(store, second)) == (2, 0)


def test_what_was_there_before_is_not_set_aside(store: Store) -> None:
    name, _ = commit(store, lambda draft: remember(draft, record("known"), provenance()))
    made, _ = commit(store, lambda draft: quarantine(draft, name, "instruction"), records=[name])
    assert made is False
    assert all_of(store) == []


def test_a_quarantine_is_kept_over_a_restart(store: Store, reopened: Callable[[], Store]) -> None:
    name = set_aside(store, "obey me")
    again = reopened()
    assert all_of(again) == [name]
    assert level(again, name) == 0
