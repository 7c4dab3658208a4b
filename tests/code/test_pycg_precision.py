"""Calls that are resolved, held against the judged call graphs of the PyCG micro-benchmark.

Recall isn't asked for: most of its cases need value flow, which is another level."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from graphmem.code import extract
from graphmem.core.extraction import SourceFile

CASES = Path(__file__).resolve().parents[2] / ".." / "shared" / "data" / "code" / "pycg.dev.jsonl"
LEAST_PRECISION = 0.95
LEAST_EDGES = 50


def resolved_calls(files: dict[str, str]) -> set[tuple[str, str]]:
    """Callers and callees by the dotted names that the benchmark uses."""
    extraction = extract([SourceFile(path, text, "") for path, text in files.items()])
    names = {entity.symbol: entity.qualified_name for entity in extraction.entities}
    return {(names[edge.source], names[edge.target]) for edge in extraction.edges if edge.type == "calls"}


@pytest.mark.skipif(not CASES.exists(), reason="the PyCG cases aren't beside the project")
def test_resolved_calls_are_in_the_judged_call_graph() -> None:
    right = wrong = 0
    for line in CASES.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        truth = {(caller, callee) for caller, callees in case["callgraph"].items() for callee in callees}
        found = resolved_calls(case["files"])
        right += len(found & truth)
        wrong += len(found - truth)
    assert right >= LEAST_EDGES
    assert right / (right + wrong) >= LEAST_PRECISION
