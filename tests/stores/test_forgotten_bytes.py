"""After a deletion no byte of what was forgotten is left: in the database file, its log, its side files, an export, or
what the store answers. A marker is a word that occurs nowhere else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphmem.adapters.store_sqlite import SqliteStore
from graphmem.core.views import LATEST
from graphmem.memory import Memory
from tests.memories import KEY, memory_over, view

RECORDS = 10_000
EVERY = 100  # each hundredth record is marked


def marker(n: int) -> str:
    return f"zqx{n:05d}marker"


def lines() -> Iterator[str]:
    """Records of which some are marked in every field that holds words, with summaries over ten each."""
    for n in range(RECORDS):
        mark = marker(n) if n % EVERY == 0 else f"plain{n}"
        yield json.dumps(
            {
                "type": "record",
                "ref": f"n{n}",
                "role": "observation",
                "text": f"Number {n} says {mark} of the pump.",
                "key": {"entity": f"{mark} thing", "attribute": f"{mark} state", "scope": mark},
                "value": {"said": mark},
                "context": f"heading {mark}",
                "mentions": [f"{mark} valve"],
                "subject": mark,
                "owner": mark,
                "source": {"kind": "note", "locator": f"notes/{mark}", "conditions": {"seen": mark}},
            }
        )
        if n % EVERY == 9:
            tens = [f"n{m}" for m in range(n - 9, n + 1)]
            said = {"role": "summary", "because": tens, "value": marker(n - 9), "key": f"{marker(n - 9)}#sum"}
            yield json.dumps({"type": "record", "ref": f"s{n}", "text": f"Sum of {marker(n - 9)}.", **said})


def filled(path: Path) -> tuple[Memory, list[str]]:
    memory = memory_over(SqliteStore(path, identity_key=KEY))
    ids = memory.import_lines(lines()).ids
    return memory, [ids[f"n{n}"] for n in range(0, RECORDS, EVERY)]


def test_a_hundred_marked_records_of_ten_thousand_leave_no_byte(tmp_path: Path) -> None:
    memory, marked = filled(tmp_path / "memory.db")
    assert b"zqx00100marker" in (tmp_path / "memory.db").read_bytes() + (tmp_path / "memory.db-wal").read_bytes()
    done = memory.forget(marked, reason="asked")
    assert (len(done.erased), len(done.scrubbed), done.remains) == (len(marked), RECORDS // EVERY, ())
    (tmp_path / "export.jsonl").write_text("\n".join(json.dumps(line) for line in memory.export()))
    holding = [path.name for path in tmp_path.iterdir() if b"zqx" in path.read_bytes().lower()]
    assert holding == []
    assert not memory.store.search(view(), (), tuple(marker(n) for n in range(0, RECORDS, EVERY)), 10).lexical
    assert memory.status().counts["record"] == RECORDS + RECORDS // EVERY + 1
    hits = memory.store.search(view(known_at=LATEST), (), ("plain5001",), 10).lexical
    assert len(hits) == 1


def test_a_deletion_that_ended_before_its_bytes_were_gone_is_ended_at_the_next_opening(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = memory_over(SqliteStore(tmp_path / "memory.db", identity_key=KEY))
    name = memory.remember(f"The pump says {marker(1)}.", source=f"notes/{marker(1)}").id

    def killed(store: SqliteStore) -> tuple[str, ...]:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(SqliteStore, "scour", killed)
        memory.forget(name, reason="asked")
    assert any(marker(1).encode() in path.read_bytes() for path in tmp_path.iterdir())
    again = memory_over(SqliteStore(tmp_path / "memory.db", identity_key=KEY))
    assert not any(marker(1).encode() in path.read_bytes() for path in tmp_path.iterdir())
    assert again.verify_receipt(again.receipts()[0].record.id).remains == ()


def test_the_index_is_whole_after_a_deletion(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "memory.db", identity_key=KEY)
    memory = memory_over(store)
    kept = [memory.remember(f"the pump number {n} is fine").id for n in range(20)]
    gone = memory.remember("the pump was broken", context="the pump").id
    memory.forget(gone, reason="asked")
    store._db.execute("INSERT INTO fulltext (fulltext) VALUES ('integrity-check')")
    assert store._db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert {name for name, _ in store.search(view(), (), ("pump",), 50).lexical} == set(kept)


def test_this_process_keeps_no_word_of_it(tmp_path: Path) -> None:
    memory = memory_over(SqliteStore(tmp_path / "memory.db", identity_key=KEY))
    gone = memory.remember("A zqxsecret of the pump.", source="notes/zqxsecret").id
    memory.recall("pump")
    assert memory.session.delivered.records
    memory.forget(gone, reason="asked")
    assert not [text for text in memory.session.delivered.records if "zqx" in text]
