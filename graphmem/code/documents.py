"""Documents to passages and entities. Lives here: Markdown by section and any other text by
paragraphs. Lives elsewhere: source code (python). Sections are CommonMark headings (spec 0.31, ATX
and setext) outside of quotes and lists, as markdown-it-py reads them. The passages of a file, one
after the other, are the file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import PurePosixPath

from markdown_it import MarkdownIt
from markdown_it.token import Token

from graphmem.code.spans import LineIndex, claim_anchor, content_hash
from graphmem.core.extraction import Extraction, FoundEdge, FoundEntity, Passage, SourceFile
from graphmem.core.provenance import Method, Span

# A few paragraphs: large enough to carry a thought, small enough that several fit a reply's budget.
TARGET_CHARACTERS = 2_000

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_NEWLINE = r"(?:\r\n|\r|\n)"
_FRONT_MATTER = re.compile(
    rf"\ufeff?---[ \t]*{_NEWLINE}(?=[\w.-]+[ \t]*:)(?:[^\r\n]*{_NEWLINE})*?---[ \t]*(?:{_NEWLINE}|\Z)"
)
_UNDERLINE = re.compile(r"([!-/:-@\[-`{-~])\1{2,}[ \t]*")
_NOT_IN_SLUG = re.compile(r"[^\w\- ]")


@dataclass(frozen=True, slots=True)
class _Heading:
    line: int
    level: int
    title: str


@dataclass(frozen=True, slots=True)
class _Section:
    anchor: str
    title: str
    parent: str | None
    text: str


def extract_markdown(file: SourceFile) -> Extraction:
    """One passage and one `section` entity per heading, the text before the first heading as a
    passage with anchor "".

    An anchor is the slash-joined slugs of the heading path; equal ones get -2, -3 in the order of
    the file. `contains` edges go from the document to its outermost sections and from a section to
    those nested in it.
    """
    return _assemble(file, list(_sections(file.text, PurePosixPath(file.path).name)))


def extract_text(file: SourceFile) -> Extraction:
    """Paragraphs in groups of about `TARGET_CHARACTERS` as passages p1, p2, ... and one `document`
    entity.

    No paragraph is cut, however long it is. In reStructuredText an underlined heading starts a new
    passage and names it.
    """
    restructured = file.path.endswith(".rst")
    sections = [
        _Section(f"p{number}", title or PurePosixPath(file.path).name, None, text)
        for number, (title, text) in enumerate(_groups(file.text, restructured), start=1)
    ]
    return _assemble(file, sections)


def _assemble(file: SourceFile, sections: list[_Section]) -> Extraction:
    """Spans, entities and edges for sections that follow each other; those with a parent become
    entities."""
    source = file.text.encode("utf-8")
    lines = LineIndex(source)
    document = f"doc {file.path}"
    whole = lines.span(0, len(source))
    name = PurePosixPath(file.path).name
    entities = [FoundEntity(document, "document", name, file.path, file.path, whole, file.content_hash)]
    passages, edges, start = [], [], 0
    for section in sections:
        data = section.text.encode("utf-8")
        span, start = lines.span(start, start + len(data)), start + len(data)
        digest = content_hash(data)
        symbol = document
        if section.parent is not None:
            symbol = f"{document}#{section.anchor}"
            parent = f"{document}#{section.parent}" if section.parent else document
            entities.append(_section_entity(symbol, section, file.path, span, digest))
            edges.append(_contains(parent, symbol, file.path, span, section.anchor))
        passages.append(Passage(file.path, section.anchor, section.title, section.text, span, digest, symbol))
    return Extraction(tuple(entities), tuple(passages), tuple(edges))


def _section_entity(symbol: str, section: _Section, path: str, span: Span, digest: str) -> FoundEntity:
    qualified_name = f"{path}#{section.anchor}"
    return FoundEntity(symbol, "section", section.title, qualified_name, path, span, digest)


def _contains(parent: str, child: str, path: str, span: Span, anchor: str) -> FoundEdge:
    return FoundEdge("contains", parent, child, Method.SYNTACTIC, "L0", path, span, (path, anchor))


def _sections(text: str, title: str) -> Iterator[_Section]:
    """The preamble, if it says anything, then each heading with the text up to the next one."""
    lines = _LINE.findall(text)
    headings = _headings(text)
    starts = [heading.line for heading in headings]
    if starts and not "".join(lines[: starts[0]]).strip():
        starts[0] = 0
    first = starts[0] if starts else len(lines)
    if first:
        yield _Section("", title, None, "".join(lines[:first]))
    taken: dict[str, int] = {}
    path: list[tuple[int, str]] = []
    for heading, (start, end) in zip(headings, pairwise([*starts, len(lines)]), strict=True):
        while path and path[-1][0] >= heading.level:
            path.pop()
        parent = path[-1][1] if path else ""
        wanted = f"{parent}/{_slug(heading.title)}" if parent else _slug(heading.title)
        anchor = claim_anchor(wanted, taken)
        path.append((heading.level, anchor))
        yield _Section(anchor, heading.title, parent, "".join(lines[start:end]))


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark")


def _headings(text: str) -> list[_Heading]:
    """Headings outside of quotes and lists, by line from 0; metadata fenced by --- at the top isn't
    read as one."""
    matter = _FRONT_MATTER.match(text)
    hidden = len(_LINE.findall(matter.group())) if matter else 0
    visible = "\n" * hidden + text[matter.end() :] if matter else text.removeprefix("\ufeff")
    tokens = _parser().parse(visible)
    return [
        _Heading(token.map[0], int(token.tag[1:]), _plain(inline.children or []) or inline.content)
        for token, inline in pairwise(tokens)
        if token.type == "heading_open" and token.level == 0 and token.map
    ]


def _plain(children: list[Token]) -> str:
    return "".join(
        child.content if child.type in {"text", "code_inline", "image"} else " "
        for child in children
        if child.content or child.type in {"softbreak", "hardbreak"}
    ).strip()


def _slug(title: str) -> str:
    """Lower case, words joined by hyphens, letters of any script kept; "section" where nothing is
    left."""
    words = _NOT_IN_SLUG.sub("", title.lower()).split()
    return "-".join(words) or "section"


def _groups(text: str, restructured: bool) -> Iterator[tuple[str, str]]:
    """Titles and texts of passages: paragraphs up to the target size, a heading always first in its
    group."""
    title, group = "", ""
    for heading, paragraph in _paragraphs(text, restructured):
        full = len(group) + len(paragraph) > TARGET_CHARACTERS
        if group.strip() and (heading or full):
            yield title, group
            group = ""
        title = heading or title
        group += paragraph
    if group:
        yield title, group


def _paragraphs(text: str, restructured: bool) -> Iterator[tuple[str, str]]:
    """Blocks of lines with the blank lines after them, and the heading that a block opens with, if
    any."""
    block: list[str] = []
    for line in _LINE.findall(text):
        if block and line.strip() and not block[-1].strip():
            yield _underlined(block) if restructured else "", "".join(block)
            block = []
        block.append(line)
    if block:
        yield _underlined(block) if restructured else "", "".join(block)


def _underlined(block: list[str]) -> str:
    """The title when a block opens with a title and its underline, with or without a line above;
    else ""."""
    first, second, third = [*(line.rstrip() for line in block[:3]), "", ""][:3]
    if _UNDERLINE.fullmatch(first):
        return second.strip() if first == third else ""
    return first.strip() if _UNDERLINE.fullmatch(second) and len(second) >= len(first) else ""
