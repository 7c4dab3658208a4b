"""The sample data keeps its format, and the sample code behaves as the sample records say.

How the samples are imported is tested with the importer.
"""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

SEED = Path(__file__).resolve().parents[1] / "seed"
POOL = SEED / "pool"
FILES = ("pool/records.jsonl", "vendor.jsonl", "calendar.jsonl")

FIELDS = set(
    "type ref role kind text key value observed_at valid_from valid_to authority source writer mentions".split()
)
CONCLUDED = {"because", "informant"}
SUPERSEDING = {"supersedes", "how"}
CHOICES = {
    "role": {"source", "observation", "claim", "inference", "summary"},
    "kind": {"episodic", "semantic", "procedural"},
    "mode": {"intersect", "timeless"},
    "how": {"change", "correct"},
}
Line = dict[str, Any]


def lines_of(file: str) -> list[Line]:
    return [json.loads(line) for line in (SEED / file).read_text(encoding="utf-8").splitlines()]


def by_ref(file: str) -> dict[str, Line]:
    return {line["ref"]: line for line in lines_of(file)}


def refs_named_by(line: Line) -> list[str]:
    return [*filter(None, [line.get("supersedes")]), *line.get("because", [])]


def run_pool_tests(revision: str, folder: Path) -> subprocess.CompletedProcess[str]:
    copy = shutil.copytree(POOL / revision, folder / revision)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
    command = [sys.executable, "-m", "pytest", "--tb=short", "--rootdir=."]
    return subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("file", FILES)
def test_every_line_is_a_record_with_exactly_its_fields(file: str) -> None:
    for line in lines_of(file):
        assert line["type"] == "record"
        assert line.keys() - CONCLUDED - SUPERSEDING == FIELDS
        assert all(line[field] in CHOICES[field] for field in CHOICES.keys() & line.keys())


@pytest.mark.parametrize("file", FILES)
def test_records_have_well_formed_keys_and_sources(file: str) -> None:
    for record in by_ref(file).values():
        assert record["text"].strip()
        assert record["key"] is None or list(record["key"]) == ["entity", "attribute", "scope"]
        assert (record["key"] is None) == (record["value"] is None)
        assert list(record["source"]) == ["kind", "locator", "revision", "conditions"]


@pytest.mark.parametrize("file", FILES)
def test_times_are_in_utc_and_rise_down_the_file(file: str) -> None:
    records = by_ref(file).values()
    observed = [datetime.fromisoformat(record["observed_at"]) for record in records]
    assert observed == sorted(observed)
    begins = [datetime.fromisoformat(r["valid_from"]) for r in records if r["valid_from"]]
    assert all(time.tzinfo == UTC for time in observed + begins)


@pytest.mark.parametrize("file", FILES)
def test_lines_name_only_refs_above_them(file: str) -> None:
    seen: set[str] = set()
    for line in lines_of(file):
        assert set(refs_named_by(line)) <= seen
        assert line.get("ref") not in seen
        seen.add(line.get("ref", ""))


@pytest.mark.parametrize("file", FILES)
def test_superseding_records_share_the_key_of_what_they_replace(file: str) -> None:
    records = by_ref(file)
    for line in records.values():
        if "supersedes" in line:
            assert records[line["supersedes"]]["key"] == line["key"]


def test_only_the_hypothesis_is_a_conclusion_that_rests_on_nothing() -> None:
    conclusions = [r for f in FILES for r in by_ref(f).values() if r["role"] in {"inference", "summary"}]
    assert [r["ref"] for r in conclusions if not r.get("because")] == ["hypothesis"]


def test_calendar_rules_live_in_three_scopes() -> None:
    rules = [r for r in by_ref("calendar.jsonl").values() if r["role"] == "source"]
    assert {(rule["key"]["scope"], rule["source"]["conditions"]["timezone"]) for rule in rules} == {
        ("calendar:new-york", "America/New_York"),
        ("calendar:new-york/fridays", "America/New_York"),
        ("calendar:london", "Europe/London"),
    }


def test_waiter_sleeps_on_at_r17_as_the_failing_run_recorded(tmp_path: Path) -> None:
    run = run_pool_tests("r17", tmp_path)
    assert "1 failed, 2 passed" in run.stdout
    recorded = by_ref("pool/records.jsonl")["run-r17"]["text"].splitlines()
    for line in (recorded[1], recorded[2], recorded[5], recorded[6]):
        assert line in run.stdout


def test_waiter_wakes_at_r18_as_the_passing_run_recorded(tmp_path: Path) -> None:
    assert "3 passed" in run_pool_tests("r18", tmp_path).stdout


def methods_of(path: Path) -> dict[str, str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {n.name: ast.dump(n) for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}


def test_r18_differs_from_r17_only_in_release() -> None:
    old, new = (methods_of(POOL / revision / "src/pool.py") for revision in ("r17", "r18"))
    assert old.keys() == new.keys()
    assert [name for name in old if old[name] != new[name]] == ["release"]


def test_both_revisions_are_held_to_the_same_tests() -> None:
    old, new = ((POOL / r / "tests/test_pool.py").read_bytes() for r in ("r17", "r18"))
    assert old == new
