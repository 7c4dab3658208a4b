"""The tour, from end to end: what it builds, what it answers, and that nothing is left changed by its retraction."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.entrances.conftest import SEED, Cli, schema


@pytest.fixture
def steps(cli: Cli, tmp_path: Path) -> list[dict[str, Any]]:
    """The steps of a tour outside of any checkout."""
    cli.patch.chdir(tmp_path)
    cli.patch.delenv("GRAPHMEM_MEMORY")
    result = cli.result("tour", "--folder", str(tmp_path / "tour"))
    assert result["restored"] is True
    assert result["memory"] == str(tmp_path / "tour/memory.db")
    found: list[dict[str, Any]] = result["steps"]
    return found


def named(steps: list[dict[str, Any]], command: str) -> list[dict[str, Any]]:
    return [step["result"] for step in steps if step["command"] == command]


def test_every_step_gives_the_shape_of_its_command(steps: list[dict[str, Any]]) -> None:
    for step in steps:
        schema().validate({"graphmem": 1, "command": step["command"], "result": step["result"]})
        assert re.search(rf"\bgraphmem {step['command']}\b", step["shell"])


def test_tour_builds_the_sample_memories(steps: list[dict[str, Any]]) -> None:
    assert [report["revision"] for report in named(steps, "ingest")] == ["r17", "r18"]
    samples = ("pool/records.jsonl", "vendor.jsonl", "calendar.jsonl")
    records = sum('"type": "record"' in line for name in samples for line in (SEED / name).open())
    assert sum(report["records"] for report in named(steps, "import")) == records


def test_tour_answers_the_multi_hop_question_with_a_connected_path(steps: list[dict[str, Any]]) -> None:
    (found,) = named(steps, "recall")
    passed = next(item for item in found["items"] if item.get("value") == "passed")
    assert passed["provenance"]["conditions"]["test"] == "test_waiter_notified_on_return"
    hops = passed["path"]
    assert len(hops) > 1
    assert all(one["to"] == two["from"] for one, two in pairwise(hops))
    assert hops[-1]["to"] == passed["id"]
    assert 0 < found["tokens"] <= found["budget"]


def test_tour_tells_the_vendor_and_the_calendar_as_they_were_and_are(steps: list[dict[str, Any]]) -> None:
    assert [found["value"] for found in named(steps, "believe")] == [
        "Northwind B.V.",
        "Northwind GmbH",
        "10:00",
        "11:00",
        "09:00",
        "09:00",
    ]


def test_tour_shows_what_fell_why_and_that_it_came_back(steps: list[dict[str, Any]]) -> None:
    (fallen,) = named(steps, "retract")
    (back,) = named(steps, "reassert")
    assert len(fallen["fell"]) == 3
    assert fallen["fell"] == back["rose"]
    refuted = named(steps, "why-not")[-1]
    assert [reason["reason"] for reason in refuted["refutation"]] == ["cascade", "withdrawn"]
    before, after = named(steps, "why")
    assert before == after


def test_tour_is_plain_ascii_in_a_pipe_and_shows_commands_that_work(cli: Cli, tmp_path: Path) -> None:
    run = cli.pipe("tour", "--folder", "walk", GRAPHMEM_MEMORY="")
    out = run.stdout.decode("ascii")
    assert (run.returncode, run.stderr) == (0, b"")
    assert "all as before" in out
    assert f"export GRAPHMEM_MEMORY={tmp_path}/walk/memory.db SEED={SEED}\n" in out
    again = re.findall(r"^\$ graphmem (why|why-not) (r-\w+)$", out, re.MULTILINE)
    cli.patch.setenv("GRAPHMEM_MEMORY", str(tmp_path / "walk/memory.db"))
    assert again
    assert {cli(*words).code for words in again} <= {0, 1}


def test_tour_reads_the_checkout_that_it_is_taken_in(cli: Cli, tmp_path: Path) -> None:
    project = tmp_path / "checkout"
    (project / "graphmem").mkdir(parents=True)
    (project / "pyproject.toml").write_text('[project]\nname = "graphmem"\n')
    (project / "graphmem/ranks.py").write_text(
        "def personalized_pagerank():\n    return 1\n\n\ndef walk():\n    return personalized_pagerank()\n"
    )
    cli.patch.chdir(project / "graphmem")
    cli.patch.delenv("GRAPHMEM_MEMORY")
    result = cli.result("tour", "--folder", str(tmp_path / "tour"))
    assert named(result["steps"], "ingest")[-1]["repository"] == "graphmem"
    assert len(named(result["steps"], "recall")) == 2


def test_tour_refuses_a_folder_that_holds_something(cli: Cli, tmp_path: Path) -> None:
    cli.patch.delenv("GRAPHMEM_MEMORY")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/notes.txt").write_text("keep me")
    ran = cli("tour", "--folder", str(tmp_path / "mine"))
    assert ran.code == 3
    assert "is there already" in ran.err
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["notes.txt"]


def test_tour_refuses_a_memory_that_is_somebodys(cli: Cli) -> None:
    assert cli("tour", "--memory", str(cli.memory)).code == 2
    assert not cli.memory.exists()
