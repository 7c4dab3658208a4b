"""Bad input and bad circumstances give a clear error and lose nothing: what was there before is there afterwards, and
the next good write works.
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

import graphmem
from graphmem.adapters.store_sqlite import SqliteStore, schema
from graphmem.core.errors import CorruptStore, GraphmemError, InvalidInput, NotFound, StoreUnavailable
from graphmem.memory import Memory
from tests.memories import KEY, memory_over

ROOT = Path(__file__).resolve().parents[2]
NEW_YEAR = 1_767_225_600_000_000  # 2026-01-01T00:00:00Z: 20,454 days of 86,400 seconds, in microseconds
HOUR = 3_600_000_000
LONG = 30_000  # words, and at least as many tokens

SCRIPTS = {
    "controls": "bell \x07, escape \x1b[31m, tab \t, vertical \x0b and delete \x7f",
    "line ends": "one\r\ntwo\rthree\nfour\u2028five\x85six",
    "chinese, japanese, korean": "连接池 コネクション プール 연결 풀 𠮷野家",
    "arabic and hebrew": "تسريب الاتصال \u202b\u200fמאגר חיבורים\u202c",
    "emoji": "pool 🏊🏽‍♀️ family 👨‍👩‍👧‍👦 flag 🇩🇪 keycap 1️⃣",
    "combining": "Cafe\u0301 and Caf\u00e9 stay apart; Z\u0351\u036b\u0343\u036a",
    "markup": "<b>\"it's\"</b> %s {x} \\n ' OR 1=1; -- ```",
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture(params=["memory", "sqlite"])
def memory(request: pytest.FixtureRequest, path: Path) -> Memory:
    return graphmem.open("memory:" if request.param == "memory" else str(path), identity_key=KEY, writer="ann")


def raises(kind: type[GraphmemError], action: Callable[[], object]) -> GraphmemError:
    """The action's error, which must be of that kind and say what to do."""
    with pytest.raises(kind) as caught:
        action()
    assert caught.value.hint
    return caught.value


# Texts.


@pytest.mark.parametrize(
    "text", ["", " ", "\n\t \r\n", "\u00a0\u3000", "\u200b\u200d", "...", "?!", "—", "\x00 \x07"[1:]]
)
def test_a_text_without_a_letter_digit_or_symbol_is_refused(memory: Memory, text: str) -> None:
    raises(InvalidInput, lambda: memory.remember(text))
    assert memory.status().counts["record"] == 0


def test_a_text_of_thirty_thousand_tokens_is_kept_whole_and_found_by_its_last_word(memory: Memory) -> None:
    text = " ".join(f"word{n}" for n in range(LONG)) + " quokka"
    kept = memory.remember(text)
    assert memory.tokenizer.count(text) >= LONG
    assert memory.held(kept.id).record.text == text
    found = memory.recall("quokka", budget=500)
    assert [item.id for item in found.items] == [kept.id]
    assert found.tokens <= 500


@pytest.mark.parametrize("script", SCRIPTS)
def test_every_script_comes_back_exactly(memory: Memory, path: Path, script: str) -> None:
    text = f"{SCRIPTS[script]} marker"
    kept = memory.remember(text, key="thing#state", value={"said": text})
    assert memory.held(kept.id).record.text == text
    (item,) = memory.recall("marker").items
    assert item.found.record.text == text
    assert json.loads(memory.believe("thing#state").value or "") == {"said": text}
    lines = [json.dumps(line) for line in memory.export()]
    with graphmem.open(str(path.with_name("copy.db")), identity_key=KEY, writer="ann") as copy:
        copy.import_lines(lines)
        assert copy.held(kept.id).record.text == text
        assert [json.dumps(line) for line in copy.export()] == lines


def test_only_what_no_store_can_hold_is_made_visible(memory: Memory) -> None:
    kept = memory.remember("nul \x00, half \ud83d of a pair")
    assert memory.held(kept.id).record.text == "nul \u2400, half \ufffd of a pair"


@pytest.mark.parametrize(
    "details", [{"source": "\ud83d"}, {"mentions": ["\ud83d"]}, {"key": "a\x00#b"}, {"authority": 2**64}]
)
def test_a_detail_that_the_file_cannot_hold_is_refused(path: Path, details: dict[str, object]) -> None:
    with graphmem.open(str(path), writer="ann") as memory:
        raises(InvalidInput, lambda: memory.remember("a note", **details))  # type: ignore[arg-type]
        assert memory.status().counts["record"] == 0
        assert memory.remember("a note").commit == 1


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1, 2}, object()])
def test_a_value_that_is_not_json_is_refused(memory: Memory, value: object) -> None:
    raises(InvalidInput, lambda: memory.remember("a note", key="a#b", value=value))


# Times.


@pytest.mark.parametrize(
    ("moment", "expected"),
    [
        ("2026-01-01T00:00:00", NEW_YEAR),
        ("2026-01-01T00:00:00Z", NEW_YEAR),
        ("2026-01-01", NEW_YEAR),
        ("2026-01-01T00:00:00+02:00", NEW_YEAR - 2 * HOUR),
        (datetime(2026, 1, 1), NEW_YEAR),
        (datetime(2026, 1, 1, tzinfo=UTC), NEW_YEAR),
        (datetime(2026, 1, 1, tzinfo=timezone(timedelta(hours=-5))), NEW_YEAR + 5 * HOUR),
    ],
)
def test_a_time_without_an_offset_is_utc(memory: Memory, moment: datetime | str, expected: int) -> None:
    kept = memory.remember("a note", observed_at=moment, valid_from=moment)
    record = memory.held(kept.id).record
    assert record.observed_at == record.own[0][0] == expected


@pytest.mark.parametrize("moment", ["yesterday", "2026-13-01", "", "2026-01-01T25:00"])
def test_a_time_that_is_none_is_refused(memory: Memory, moment: str) -> None:
    raises(InvalidInput, lambda: memory.remember("a note", observed_at=moment))


def test_a_validity_that_ends_before_it_begins_is_refused(memory: Memory) -> None:
    raises(InvalidInput, lambda: memory.remember("a note", valid_from="2026-02-01", valid_to="2026-01-01"))


# Files.


def test_files_that_are_not_utf8_are_reported_skipped_and_counted(memory: Memory, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "good.md").write_text("# Title\n\nbonjour\n", encoding="utf-8")
    (tree / "latin.md").write_bytes("# Título\n".encode("latin-1"))
    (tree / "broken.py").write_bytes(b"def f():\n    return '\xff\xfe'\n")
    report = memory.ingest(tree, revision="r1")
    assert report.files == 1
    assert {name for name, _ in report.skipped} == {"latin.md", "broken.py"}
    assert all("UTF-8" in reason for _, reason in report.skipped)
    assert [item.found.record.text for item in memory.recall("bonjour").items] == ["# Title\n\nbonjour\n"]


def test_a_revision_that_comes_back_under_its_old_name_is_a_generation_of_its_own(
    memory: Memory, tmp_path: Path
) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    for revision in ("r1", "r2", "r1"):
        (tree / "note.md").write_text(f"# Note\n\nsaid by {revision}\n", encoding="utf-8")
        (tree / "code.py").write_text(f"def a():\n    return b{revision}()\n\ndef b{revision}():\n    return 1\n")
        memory.ingest(tree, repository="tree", revision=revision)
    assert [item.found.record.text for item in memory.recall("said").items] == ["# Note\n\nsaid by r1\n"]
    entries = memory.store.entries(memory.session.tenant, "tree")
    assert [g.ordinal for g in entries.generations] == [1, 2, 3]
    once = graphmem.open("memory:", identity_key=KEY, writer="ann")
    once.ingest(tree, repository="tree", revision="r1")
    assert len(entries.edges) == len(once.store.entries(once.session.tenant, "tree").edges) > 0


# Ids and justifications.

UNKNOWN = "r-00000000000000000000"


@pytest.mark.parametrize("verb", ["retract", "reassert", "reject", "unreject", "held", "why", "withdraw"])
def test_an_unknown_id_is_named(memory: Memory, verb: str) -> None:
    assert UNKNOWN in str(raises(NotFound, lambda: getattr(memory, verb)(UNKNOWN)))


def test_unknown_ids_in_a_justification_are_named_and_nothing_is_kept(memory: Memory) -> None:
    note = memory.remember("a note").id
    for consequent, because in ((note, [UNKNOWN]), (UNKNOWN, [note])):
        assert UNKNOWN in str(raises(NotFound, lambda c=consequent, b=because: memory.justify(c, b)))
    raises(NotFound, lambda: memory.remember("a guess", role="summary", because=[note, UNKNOWN]))
    assert memory.status().commit == 1


def test_circular_justifications_are_taken_and_hold_nothing_up(memory: Memory) -> None:
    premise = memory.remember("a premise").id
    first = memory.remember("first", role="summary", because=[premise]).id
    second = memory.remember("second", role="summary", because=[first]).id
    memory.justify(first, [second])
    assert memory.retract(premise).fell == tuple(sorted((premise, first, second)))
    assert memory.reassert(premise).rose == tuple(sorted((premise, first, second)))


def test_a_record_that_supports_itself_is_refused(memory: Memory) -> None:
    note = memory.remember("a note").id
    guess = memory.remember("a guess", role="summary", because=[note]).id
    raises(InvalidInput, lambda: memory.justify(guess, [note, guess]))
    raises(InvalidInput, lambda: memory.justify(guess, []))


# The file.


def test_a_memory_that_stays_locked_is_said_to_be(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "BUSY_TIMEOUT_S", 0.05)
    with graphmem.open(str(path), writer="ann") as memory:
        note = memory.remember("before").id
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        error = raises(StoreUnavailable, lambda: memory.remember("meanwhile"))
        assert "locked" in str(error)
        assert error.retryable
        assert memory.held(note).record.text == "before"
        other.execute("ROLLBACK")
        other.close()
        assert memory.remember("meanwhile").commit == 2


def test_a_memory_opened_for_reading_reads_and_refuses_to_write(path: Path) -> None:
    with graphmem.open(str(path), writer="ann") as memory:
        note = memory.remember("a note").id
    before = path.read_bytes()
    with graphmem.open(str(path), read_only=True, writer="ann") as memory:
        assert memory.recall("note").items[0].id == note
        assert "read-only" in str(raises(StoreUnavailable, lambda: memory.remember("another")))
        assert memory.impact("retract", note).fell == (note,)
    assert path.read_bytes() == before


def test_a_file_that_may_not_be_written_is_said_to_be(path: Path) -> None:
    store = SqliteStore(path, identity_key=KEY)
    memory = memory_over(store)
    memory.remember("a note")
    # What SQLite says is the same for a file or folder without the right to write, which nobody lacks as root.
    store._db.execute("PRAGMA query_only = 1")
    assert "read-only" in str(raises(StoreUnavailable, lambda: memory.remember("another")))
    store._db.execute("PRAGMA query_only = 0")
    assert memory.remember("another").commit == 2


def test_a_full_disk_keeps_nothing_of_the_write(path: Path) -> None:
    store = SqliteStore(path, identity_key=KEY)
    memory = memory_over(store)
    memory.remember("before")
    pages = store._db.execute("PRAGMA page_count").fetchone()[0]
    store._db.execute(f"PRAGMA max_page_count = {pages + 2}")
    error = raises(StoreUnavailable, lambda: memory.remember("long " + "pool " * 20_000))
    assert "full" in str(error)
    assert memory.status().counts["record"] == 1
    store._db.execute("PRAGMA max_page_count = 1000000")
    assert memory.remember("after").commit == 2
    assert store._db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


GROWING = """
import sys, signal, resource, graphmem
from graphmem.core.errors import StoreUnavailable
memory = graphmem.open(sys.argv[1], writer='ann')
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, resource.RLIM_INFINITY))
kept = 0
try:
    for n in range(10_000):
        memory.remember(f'note {n} ' + 'pool ' * 50)
        kept += 1
except StoreUnavailable as error:
    print(kept, bool(error.hint), str(error).count('disk'))
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
print(memory.status().counts['record'], memory.remember('afterwards').commit)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a limit on the size of files is needed")
def test_a_file_that_may_not_grow_loses_no_acknowledged_write(path: Path) -> None:
    command = [sys.executable, "-c", GROWING, str(path)]
    lines = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    kept, hinted, disk = lines[0].split()
    assert int(kept) > 10
    assert (hinted, disk) == ("True", "1")
    assert lines[1].split() == [kept, str(int(kept) + 1)]


def test_a_file_that_is_not_a_memory_is_left_as_it_is(path: Path) -> None:
    path.write_text("shopping list: bread, milk, " * 100, encoding="utf-8")
    before = path.read_bytes()
    raises(CorruptStore, lambda: graphmem.open(str(path)))
    assert path.read_bytes() == before


def test_another_applications_database_is_left_as_it_is(path: Path) -> None:
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE bookmark (url TEXT)")
    other.commit()
    other.close()
    before = path.read_bytes()
    raises(CorruptStore, lambda: graphmem.open(str(path)))
    assert path.read_bytes() == before


def test_an_empty_file_becomes_a_memory_only_when_opened_for_writing(path: Path) -> None:
    path.touch()
    raises(CorruptStore, lambda: graphmem.open(str(path), read_only=True))
    with graphmem.open(str(path), writer="ann") as memory:
        assert memory.remember("a note").commit == 1


def test_a_newer_schema_is_named_and_left_as_it_is(path: Path) -> None:
    graphmem.open(str(path)).close()
    newer = sqlite3.connect(path, isolation_level=None)
    newer.execute("PRAGMA user_version = 999")
    newer.close()
    before = path.read_bytes()
    assert "999" in str(raises(CorruptStore, lambda: graphmem.open(str(path))))
    assert path.read_bytes() == before


def test_a_folder_and_a_missing_file_are_said_plainly(tmp_path: Path) -> None:
    raises(StoreUnavailable, lambda: graphmem.open(str(tmp_path)))
    raises(StoreUnavailable, lambda: graphmem.open(str(tmp_path / "no.db"), create=False))
    raises(StoreUnavailable, lambda: graphmem.open(str(tmp_path / "no.db"), read_only=True))
    assert list(tmp_path.iterdir()) == []
