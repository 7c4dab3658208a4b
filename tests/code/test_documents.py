"""Documents as passages: every byte in exactly one, no paragraph cut, headings as CommonMark has them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.code import extract
from graphmem.core.extraction import Extraction, Passage, SourceFile

Found = Callable[[Mapping[str, str]], Extraction]

GUIDE = """Before any heading.

# Connection pool

Lends connections.

## Release

Gives one back.

### Errors

A closed one is refused.

## Release

Said twice.

# Tests
"""


def anchors(extraction: Extraction) -> list[str]:
    return [passage.anchor for passage in extraction.passages]


def assert_tiles(text: str, passages: tuple[Passage, ...]) -> None:
    """Passages in order are the file, and their spans say where, in bytes and lines."""
    assert "".join(passage.text for passage in passages) == text
    source = text.encode()
    for passage in passages:
        span = passage.span
        assert source[span.byte_start : span.byte_end] == passage.text.encode()
        assert span.line_start == source.count(b"\n", 0, span.byte_start) + 1
        assert span.line_end == source.count(b"\n", 0, max(span.byte_start, span.byte_end - 1)) + 1


def test_a_section_is_its_verbatim_source_under_the_path_of_its_headings(found: Found) -> None:
    extraction = found({"docs/pool.md": GUIDE})
    assert anchors(extraction) == [
        "", "connection-pool", "connection-pool/release", "connection-pool/release/errors",
        "connection-pool/release-2", "tests",
    ]  # fmt: skip
    release = extraction.passages[2]
    assert release.title == "Release"
    assert release.text == "## Release\n\nGives one back.\n\n"
    assert (release.span.line_start, release.span.line_end) == (7, 10)
    assert release.about == "doc docs/pool.md#connection-pool/release"
    assert extraction.passages[0].about == "doc docs/pool.md"
    assert_tiles(GUIDE, extraction.passages)


def test_sections_are_entities_contained_in_the_section_around_them(found: Found) -> None:
    extraction = found({"pool.md": GUIDE})
    assert {(entity.symbol, entity.kind) for entity in extraction.entities} >= {
        ("doc pool.md", "document"),
        ("doc pool.md#connection-pool/release/errors", "section"),
    }
    assert {(edge.source, edge.target) for edge in extraction.edges if edge.type == "contains"} == {
        ("doc pool.md", "doc pool.md#connection-pool"),
        ("doc pool.md#connection-pool", "doc pool.md#connection-pool/release"),
        ("doc pool.md#connection-pool/release", "doc pool.md#connection-pool/release/errors"),
        ("doc pool.md#connection-pool", "doc pool.md#connection-pool/release-2"),
        ("doc pool.md", "doc pool.md#tests"),
    }


def test_a_hash_in_code_quotes_or_lists_is_no_heading(found: Found) -> None:
    text = "# Real\n```sh\n# comment\n```\n    # indented\n> # quoted\n- # listed\n"
    assert anchors(found({"a.md": text})) == ["real"]


def test_headings_underlined_with_line_endings_of_every_kind_are_found(found: Found) -> None:
    text = "Pool\r\n====\r\ntext\r\rRelease\r---\rmore"
    extraction = found({"a.markdown": text})
    assert anchors(extraction) == ["pool", "pool/release"]
    assert_tiles(text, extraction.passages)


def test_metadata_at_the_top_is_not_read_as_a_heading(found: Found) -> None:
    assert anchors(found({"a.md": "---\ntitle: Pool\n---\n# One\n"})) == ["", "one"]


def test_headings_in_any_script_get_anchors(found: Found) -> None:
    text = "# 连接池\n# Größe & Maß\n# 🎉\n# `release()` now\n# 🎉\n"
    assert anchors(found({"a.md": text})) == ["连接池", "größe-maß", "section", "release-now", "section-2"]


def test_a_numbered_heading_never_collides_with_a_made_up_anchor(found: Found) -> None:
    assert anchors(found({"a.md": "# a\n# a\n# a-2\n"})) == ["a", "a-2", "a-2-2"]


def test_blank_lines_before_the_first_heading_belong_to_it(found: Found) -> None:
    assert anchors(found({"a.md": "\n\n# One\n"})) == ["one"]


def test_an_empty_file_is_a_document_without_passages(found: Found) -> None:
    extraction = found({"a.md": "", "b.txt": ""})
    assert extraction.passages == ()
    assert [entity.symbol for entity in extraction.entities] == ["doc a.md", "doc b.txt"]


def test_paragraphs_are_grouped_near_the_target_and_never_cut(found: Found) -> None:
    paragraphs = [f"{letter * size}\n\n" for letter, size in zip("abcdef", (900, 900, 900, 5000, 10, 10), strict=True)]
    extraction = found({"notes.txt": "".join(paragraphs)})
    assert [passage.text for passage in extraction.passages] == [
        paragraphs[0] + paragraphs[1],
        paragraphs[2],
        paragraphs[3],
        paragraphs[4] + paragraphs[5],
    ]
    assert anchors(extraction) == ["p1", "p2", "p3", "p4"]
    assert {passage.about for passage in extraction.passages} == {"doc notes.txt"}


def test_underlined_headings_start_passages_in_restructured_text_only(found: Found) -> None:
    text = "Pool\n====\n\nLends.\n\n-------\nRelease\n-------\nGives back.\n"
    extraction = found({"a.rst": text, "a.txt": text})
    assert [(p.path, p.title) for p in extraction.passages] == [
        ("a.rst", "Pool"),
        ("a.rst", "Release"),
        ("a.txt", "a.txt"),
    ]


@pytest.mark.parametrize("path", ["LICENSE", "README", "pyproject.toml", "run.sh", "main.c", "data.json"])
def test_any_other_text_is_kept_as_paragraphs(found: Found, path: str) -> None:
    extraction = found({path: "one\n\ntwo"})
    assert [(p.anchor, p.text) for p in extraction.passages] == [("p1", "one\n\ntwo")]


LINES = st.lists(
    st.sampled_from([
        "# A", "## B", "### B", "####### no", "Title", "===", "---", "", "  ", "text", "> # q", "- # l",
        "```", "    # code", "连接 🎉", "\x07\x0c\x1b", "\u2028", "key: v", "\ufeff", "a" * 700,
    ])
)  # fmt: skip
ENDINGS = st.sampled_from(["\n", "\r\n", "\r"])


@given(lines=LINES, ending=ENDINGS, last=st.booleans(), suffix=st.sampled_from([".md", ".rst", ".txt"]))
def test_passages_in_order_are_the_file(lines: list[str], ending: str, last: bool, suffix: str) -> None:
    text = ending.join(lines) + (ending if last else "")
    extraction = extract([SourceFile(f"a{suffix}", text, "sha256:0")])
    assert_tiles(text, extraction.passages)
    assert len(set(anchors(extraction))) == len(extraction.passages)
    assert all(passage.text for passage in extraction.passages)


@given(text=st.text(st.characters(exclude_characters="\0", codec="utf-8")), suffix=st.sampled_from([".md", ".txt"]))
def test_no_text_is_lost_whatever_it_holds(text: str, suffix: str) -> None:
    assert_tiles(text, extract([SourceFile(f"a{suffix}", text, "sha256:0")]).passages)
