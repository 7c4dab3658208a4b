"""The envelope's values: overlapping passages are merged, and the staged text is data in its container."""

from __future__ import annotations

import json
from dataclasses import replace

from graphmem.core.envelope import Item, Scope, item_json, merge, staged_text
from graphmem.core.labels import Level
from graphmem.core.provenance import Method, Provenance, Span
from graphmem.core.records import Assertion, Record, Role
from graphmem.core.staging import Handle
from graphmem.core.views import Found

SOURCE = "def acquire():\n    return wait()\n\n\ndef release():\n    return notify()\n"
SCOPE = Scope("acme", None, 0, 7)


def item(name: str, start: int, end: int, revision: str = "r18", locator: str = "src/pool.py") -> Item:
    text = SOURCE[start:end]
    lines = (SOURCE[:start].count("\n") + 1, SOURCE[:end].count("\n") + 1)
    provenance = Provenance("file", locator, "ann", Method.SYNTACTIC, 1, Span(start, end, *lines), revision=revision)
    record = Record(name, "acme", Role.SOURCE, text, repository="pool")
    found = Found(record, Level.GROUNDED, 0, "", 1, 1, Assertion("a", name, provenance))
    return Item(name, text, found, "walk", 0.5)


def test_overlapping_passages_of_one_revision_become_one_item_at_the_best_rank() -> None:
    merged = merge([item("r-b", 10, 40), item("r-x", 0, 9, locator="other.py"), item("r-a", 0, 20)])
    assert [(i.id, i.merged, i.text) for i in merged] == [
        ("r-b", ("r-a",), SOURCE[:40]),
        ("r-x", (), SOURCE[:9]),
    ]


def test_passages_that_only_touch_or_are_of_other_revisions_stay_apart() -> None:
    apart = [item("r-a", 0, 20), item("r-b", 20, 40), item("r-c", 0, 20, revision="r17")]
    assert merge(apart) == apart


def test_items_without_a_span_are_left_alone() -> None:
    bare = item("r-a", 0, 20)
    bare = replace(bare, found=replace(bare.found, assertion=None))
    assert merge([bare, bare]) == [bare]


def test_an_item_says_where_it_is_from_and_how_it_was_scored() -> None:
    shown = item_json(item("r-a", 0, 20))
    assert shown["score"] == {"method": "walk", "value": 0.5}
    assert (shown["provenance"]["lines"], shown["provenance"]["revision"]) == ([1, 2], "r18")
    assert (shown["status"], shown["derived"], shown["support"]) == ("GROUNDED", False, "premise")


def test_the_best_item_is_last_and_handles_come_first() -> None:
    rows = staged_text([item("r-a", 0, 20), item("r-b", 20, 40)], [Handle("r-c", 9)], {}, SCOPE).splitlines()
    assert json.loads(rows[1]) == {"more": [["r-c", 9]]}
    assert [json.loads(row)["id"] for row in rows[2:-1]] == ["r-b", "r-a"]


def test_a_tenant_name_cannot_leave_its_attribute() -> None:
    head = staged_text([], [], {}, replace(SCOPE, tenant='x" onload="<script>')).splitlines()[0]
    assert "<script>" not in head
    assert head.count("<") == 1
