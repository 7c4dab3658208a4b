"""`graphmem copy` copies, compares, and says what it found. How a copy is made is tested with the services."""

from __future__ import annotations

from pathlib import Path

from tests.entrances.conftest import SEED, Cli

POOL = str(SEED / "pool/records.jsonl")


def test_a_copy_is_whole_and_has_the_same_ids(cli: Cli, pool: dict[str, str], tmp_path: Path) -> None:
    target = str(tmp_path / "copy.db")
    told = cli.result("copy", str(cli.memory), target)
    assert (told["equal"], told["compared_by"], told["tenant"]) == (True, "id", "default")
    assert told["kinds"]["record"]["source"]["count"] == cli.result("status")["counts"]["record"]
    assert cli.result("import", POOL, "--memory", target)["ids"] == pool


def test_a_second_copy_finds_all_there(cli: Cli, pool: dict[str, str], tmp_path: Path) -> None:
    words = ("copy", str(cli.memory), str(tmp_path / "copy.db"))
    cli(*words)
    ran = cli(*words)
    assert ran.code == 0
    assert ran.out.splitlines()[0] == "copied tenant default: all was there"


def test_a_target_that_holds_more_is_an_answer_of_no(cli: Cli, pool: dict[str, str], tmp_path: Path) -> None:
    target = str(tmp_path / "copy.db")
    assert cli("copy", str(cli.memory), target).code == 0
    cli("remember", "only in the copy", "--memory", target)
    told = cli.result("copy", str(cli.memory), target, code=1)
    assert not told["equal"]
    assert {kind for kind, found in told["kinds"].items() if not found["equal"]} == {"record", "label"}
    assert "different" in cli("copy", str(cli.memory), target).out


def test_a_target_with_a_key_of_its_own_is_named(cli: Cli, pool: dict[str, str], tmp_path: Path) -> None:
    target = str(tmp_path / "copy.db")
    cli("remember", "somebody else's", "--memory", target, "--tenant", "else")
    ran = cli("copy", str(cli.memory), target)
    assert ran.code == 0
    assert "ids differ: the target derives ids by a key of its own; compared by content" in ran.out


def test_a_copy_from_nothing_makes_nothing(cli: Cli, tmp_path: Path) -> None:
    error = cli.json("copy", str(cli.memory), str(tmp_path / "copy.db"), code=4)["error"]
    assert error["code"] == "store-unavailable"
    assert not (tmp_path / "copy.db").exists()


def test_a_copy_takes_no_memory_beside_its_two(cli: Cli, tmp_path: Path) -> None:
    words = ("copy", str(cli.memory), str(tmp_path / "copy.db"))
    assert cli.json(*words, "--memory", "third.db", code=2)["error"]["code"] == "invalid-input"


def test_a_terminal_sees_how_far_a_copy_is(cli: Cli, pool: dict[str, str], tmp_path: Path) -> None:
    shown = cli.terminal("copy", str(cli.memory), str(tmp_path / "copy.db"))
    assert "copying" in shown
    assert "the same" in shown
