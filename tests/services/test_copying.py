"""Copies between stores: everything arrives with its labels, what differs is told, an interrupted copy goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest

import graphmem
from graphmem.core.errors import StoreUnavailable
from graphmem.core.labels import shape
from graphmem.core.views import Held
from graphmem.memory import Memory
from graphmem.ports.store import Store
from graphmem.services import transferring
from graphmem.services.copying import KINDS, CopyReport, OnFact, copy
from tests.conformance.emptied import neo4j_store
from tests.memories import KEY, memory_over
from tests.servers.neo4j import Neo4j

ROOT = Path(__file__).resolve().parents[2]
OTHER_KEY = b"another key 1234"

Open = Callable[[bytes], Store]


@pytest.fixture
def tenant() -> str:
    """A tenant of the test's own, so that stores which tests share need no wiping."""
    return f"copy-{uuid4().hex}"


@pytest.fixture
def sqlite(tmp_path: Path) -> Open:
    return lambda key: graphmem.open(str(tmp_path / f"{key.hex()}.db"), identity_key=key).store


def in_memory(key: bytes) -> Store:
    return graphmem.open("memory:", identity_key=key).store


@pytest.fixture
def on_neo4j(neo4j: Neo4j) -> Iterator[Store]:
    store = neo4j_store(neo4j, uuid4().hex, KEY)
    yield store
    store.close()


def rich(store: Store, tenant: str) -> Memory:
    """A memory with every kind of fact: two generations, the sample files, corrections, withdrawals, rejections,
    and what a deletion leaves."""
    memory = memory_over(store, tenant=tenant)
    for revision in ("r17", "r18"):
        memory.ingest(ROOT / "seed/pool" / revision, repository="pool", revision=revision)
    for path in sorted((ROOT / "seed").rglob("[!a]*.jsonl")):
        memory.import_lines(path.read_text(encoding="utf-8").splitlines())
    seen = memory.remember("the pool has ten connections", key="pool#size", value=10, source="log", mentions=["pool"])
    memory.remember("the pool has ten connections", key="pool#size", value=10, source="mail")
    guess = memory.remember("ten is enough", role="inference", because=[seen.id])
    other = memory.remember("ten is too few", role="claim", source="mail/7")
    memory.retract(seen.id, source="mail")
    memory.withdraw(memory.justify(guess.id, [other.id]).id)
    memory.reject(other.id)
    wrong = memory.supersede(seen.id, "the pool has twelve connections", value=12, valid_from="2026-01-01")
    memory.supersede(wrong.id, "the pool has eleven connections", value=11, how="correct")
    private = memory.remember("the diary says that ten is a secret", source="diary", key="diary#secret")
    digest = memory.remember("diary and guess agree on ten", role="summary", because=[private.id, guess.id])
    memory.justify(digest.id, [seen.id])
    memory.forget(source="diary", reason="it was private")
    return memory


def copied(source: Memory, target: Memory, on_fact: OnFact | None = None) -> CopyReport:
    return copy(source.store, target.session, on_fact=on_fact)


def labels(memory: Memory) -> dict[tuple[str, ...], object]:
    """The label of each record by what it says, read from the store itself."""
    records = [f for f in memory.store.dump(memory.session.tenant) if isinstance(f, Held)]
    return {(f.record.role, str(f.record.key), f.record.text, str(f.record.birth)): shape(f.label) for f in records}


def check_whole(source: Memory, target: Memory, report: CopyReport) -> None:
    """The report and the two memories themselves say that all has arrived, and that all was there to arrive."""
    assert report.equal, {k: (report.source[k], report.target[k]) for k in KINDS}
    assert all(report.source[kind].count for kind in KINDS)
    assert report.source["label"].count == report.source["record"].count == source.status().counts["record"]
    assert labels(target) == labels(source)
    for key in ("pool#size", "vendor-23#legal-name", "user-42#no-meetings-before@calendar:new-york"):
        assert target.believe(key).value == source.believe(key).value


def test_a_memory_goes_from_sqlite_to_memory_and_back(sqlite: Open, tmp_path: Path, tenant: str) -> None:
    first = rich(sqlite(KEY), tenant)
    between = memory_over(in_memory(KEY), tenant=tenant)
    last = memory_over(graphmem.open(str(tmp_path / "last.db"), identity_key=KEY).store, tenant=tenant)
    for source, target in ((first, between), (between, last)):
        report = copied(source, target)
        assert report.same_ids
        check_whole(source, target, report)
    assert sorted(map(str, last.export())) == sorted(map(str, first.export()))


@pytest.mark.neo4j
def test_a_memory_goes_from_sqlite_to_neo4j_and_back(
    sqlite: Open, on_neo4j: Store, tmp_path: Path, tenant: str
) -> None:
    first = rich(sqlite(KEY), tenant)
    between = memory_over(on_neo4j, tenant=tenant)
    last = memory_over(graphmem.open(str(tmp_path / "last.db"), identity_key=KEY).store, tenant=tenant)
    for source, target in ((first, between), (between, last)):
        report = copied(source, target)
        assert report.same_ids
        check_whole(source, target, report)


@pytest.mark.neo4j
def test_what_was_written_on_neo4j_goes_to_a_memory_with_another_key(
    sqlite: Open, on_neo4j: Store, tenant: str
) -> None:
    source, target = rich(on_neo4j, tenant), memory_over(sqlite(OTHER_KEY), tenant=tenant)
    report = copied(source, target)
    assert not report.same_ids
    check_whole(source, target, report)


def test_a_target_with_another_key_is_compared_by_content(sqlite: Open, tenant: str) -> None:
    source, target = rich(sqlite(KEY), tenant), memory_over(sqlite(OTHER_KEY), tenant=tenant)
    report = copied(source, target)
    assert not report.same_ids
    check_whole(source, target, report)
    names = [{line["id"] for line in m.export() if line["type"] == "record" and line["text"]} for m in (source, target)]
    assert not names[0] & names[1]


def test_a_copy_by_url_makes_the_target_with_the_same_ids(tmp_path: Path) -> None:
    source, target = str(tmp_path / "a.db"), str(tmp_path / "new" / "b.db")
    with graphmem.open(source, tenant="acme") as memory:
        name = memory.remember("the pool has ten connections").id
    assert graphmem.copy(source, target, tenant="acme").equal
    with graphmem.open(target, tenant="acme") as memory:
        assert memory.held(name).record.text == "the pool has ten connections"


def test_a_copy_makes_no_source(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="there is no memory"):
        graphmem.copy(str(tmp_path / "none.db"), str(tmp_path / "b.db"))
    assert list(tmp_path.iterdir()) == []


def test_a_second_copy_writes_nothing(sqlite: Open, tenant: str) -> None:
    source, target = rich(sqlite(KEY), tenant), memory_over(in_memory(KEY), tenant=tenant)
    assert copied(source, target).commits > 0
    again = copied(source, target)
    assert (again.commits, again.equal) == (0, True)


@pytest.mark.parametrize("key", [KEY, OTHER_KEY], ids=["same key", "other key"])
@pytest.mark.parametrize("after", [1, 40, 80, 120])
def test_an_interrupted_copy_goes_on(
    sqlite: Open, tenant: str, monkeypatch: pytest.MonkeyPatch, key: bytes, after: int
) -> None:
    monkeypatch.setattr(transferring, "BATCH", 10)
    source, target = rich(in_memory(KEY), tenant), memory_over(sqlite(key), tenant=tenant)

    def stop(step: str, number: int, total: int) -> None:
        assert number <= total
        if (step, number) == ("copying", after):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        copied(source, target, on_fact=stop)
    check_whole(source, target, copied(source, target))


CHAIN = [
    f'{{"type": "record", "ref": "{n}", "role": "observation", "text": "it is {n}", "key": "it#is", "value": {n}'
    + (f', "supersedes": "{n - 1}"' if n else "")
    + "}"
    for n in range(20)
]


def chained(source: Memory, target: Memory) -> None:
    """A chain of records that came in one commit arrives in order, though all of its ids change."""
    assert source.import_lines(CHAIN).commits == 1
    report = copied(source, target)
    assert (report.equal, report.same_ids, report.source["record"].count) == (True, False, len(CHAIN))
    arrived = [line for line in target.export() if line["type"] == "record"]
    assert [line["supersedes"] for line in arrived if line["version"] > 1] == [line["id"] for line in arrived[:-1]]
    assert target.believe("it#is").value == source.believe("it#is").value == "19"


def test_records_of_one_commit_that_name_each_other_arrive(sqlite: Open, tenant: str) -> None:
    chained(memory_over(sqlite(KEY), tenant=tenant), memory_over(in_memory(OTHER_KEY), tenant=tenant))


@pytest.mark.neo4j
def test_records_of_one_commit_on_neo4j_that_name_each_other_arrive(on_neo4j: Store, tenant: str) -> None:
    chained(memory_over(on_neo4j, tenant=tenant), memory_over(in_memory(OTHER_KEY), tenant=tenant))


def test_progress_tells_both_steps_to_their_ends(sqlite: Open, tenant: str) -> None:
    told: list[tuple[str, int, int]] = []
    target = memory_over(in_memory(KEY), tenant=tenant)
    copied(rich(sqlite(KEY), tenant), target, on_fact=lambda *now: told.append(now))
    done = [now for now in told if now[0] == "copying"]
    assert [n for _, n, _ in done] == list(range(1, len(done) + 1))
    assert told[len(done) :] == [("comparing", n, len(done)) for n in range(1, len(done) + 1)]


def test_another_tenant_is_not_copied(sqlite: Open) -> None:
    store, target = sqlite(KEY), in_memory(KEY)
    memory_over(store, tenant="acme").remember("ours")
    memory_over(store, tenant="rival").remember("theirs")
    report = copied(memory_over(store, tenant="acme"), memory_over(target, tenant="acme"))
    assert (report.tenant, report.equal, report.source["record"].count) == ("acme", True, 1)
    texts = {t: [f.record.text for f in target.dump(t) if isinstance(f, Held)] for t in ("acme", "rival")}
    assert texts == {"acme": ["ours"], "rival": []}


def more(memory: Memory) -> None:
    memory.remember("only here")


def retracted(memory: Memory) -> None:
    head = "the pool has eleven connections"
    memory.retract(next(line["id"] for line in memory.export() if line.get("text") == head))


@pytest.mark.parametrize("key", [KEY, OTHER_KEY], ids=["same key", "other key"])
@pytest.mark.parametrize("change", [more, retracted])
def test_what_differs_afterwards_is_told_by_kind(
    sqlite: Open, tenant: str, key: bytes, change: Callable[[Memory], None]
) -> None:
    source, target = rich(in_memory(KEY), tenant), memory_over(sqlite(key), tenant=tenant)
    copied(source, target)
    change(target)
    report = copied(source, target)
    assert not report.equal
    different = {kind for kind in KINDS if report.source[kind] != report.target[kind]}
    # Without ids, what names a record that differs is different too.
    assert {"record", "label"} <= different <= {"record", "label", *(["edge"] if key == OTHER_KEY else [])}


class Reversed:
    """A store that tells the facts of each kind in the opposite order."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def __getattr__(self, name: str) -> object:
        return getattr(self.store, name)

    def dump(self, tenant: str) -> Iterator[object]:
        return reversed(list(self.store.dump(tenant)))


def test_digests_depend_on_no_order(tenant: str) -> None:
    source = rich(in_memory(KEY), tenant)
    target = memory_over(in_memory(KEY), tenant=tenant)
    straight = copied(source, target)
    target.store = Reversed(target.store)  # type: ignore[assignment]
    around = copied(source, memory_over(target.store, tenant=tenant))
    assert (around.equal, around.target) == (True, straight.target)
