"""What people read, before it has a form. Lives here: lines and trees of styled parts, and the one rule that makes
foreign text harmless to a terminal. Lives elsewhere: what is said (show) and how it is printed (output)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

FIRST_LINE_CHARS = 100  # of a text that stands for the whole in a list or a tree
DEEPEST = 16  # levels of a tree that are drawn; deeper ones would leave no room for their text
TAB = "    "
BRANCH, LAST, DOWN, BLANK = "|-- ", "`-- ", "|   ", "    "

# C0 and C1 controls (escape sequences start with one), line and paragraph separators, what turns the direction of the
# text, and lone surrogates: all of them act on a terminal or can't be written to it.
_ACTING = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


class Part(NamedTuple):
    """A stretch of text in one style: a name from output.STYLES, or none."""

    text: str
    style: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """Parts on one line, so many columns in."""

    parts: tuple[Part, ...]
    indent: int = 0


@dataclass(frozen=True, slots=True)
class Tree:
    """Lines with their depth, parents before children; flat, so that no depth is too deep."""

    rows: tuple[tuple[int, Line], ...]

    def clamped(self) -> Tree:
        """The tree with rows below DEEPEST drawn at it, each with its true depth in front."""
        return Tree(
            tuple(
                (depth, row)
                if depth <= DEEPEST
                else (DEEPEST, replace(row, parts=(Part(f"[depth {depth}] ", "dim"), *row.parts)))
                for depth, row in self.rows
            )
        )


Block = Line | Tree


def line(*parts: str | Part, indent: int = 0) -> Line:
    """A line of parts; plain text is a part without a style."""
    return Line(tuple(p if isinstance(p, Part) else Part(p) for p in parts), indent)


def printable(text: str) -> str:
    """The text with each character that would act on a terminal written out, so that nothing is hidden or obeyed."""
    return _ACTING.sub(_written_out, text.replace("\t", TAB))


def _written_out(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}"  # noqa: PLR2004


def first_line(text: str, limit: int = FIRST_LINE_CHARS) -> str:
    """The first line that says something; three dots stand for what is left out."""
    whole = text.strip()
    head = whole.splitlines()[0].rstrip() if whole else ""
    cut = head[:limit].rstrip()
    return cut if cut == whole else f"{cut} ..."


def plain(blocks: Iterable[Block]) -> Iterator[str]:
    """The blocks as lines of text; all but foreign text is ASCII."""
    for block in blocks:
        if isinstance(block, Line):
            yield (" " * block.indent + text_of(block)).rstrip()
        else:
            tree = block.clamped()
            yield from (guide + text_of(row) for guide, (_, row) in zip(guides(tree), tree.rows, strict=True))


def text_of(row: Line) -> str:
    """The printable text of a line, without its indent and styles."""
    return "".join(printable(part.text) for part in row.parts)


def guides(tree: Tree) -> list[str]:
    """What stands left of each row of a tree: which lines go on below it shows where its branches end."""
    going_on: list[bool] = []
    found: list[str] = []
    for depth, _ in reversed(tree.rows):
        going_on += [False] * (depth + 1 - len(going_on))
        own = (BRANCH if going_on[depth] else LAST) if depth else ""
        found.append("".join(DOWN if on else BLANK for on in going_on[1:depth]) + own)
        going_on[depth] = True
        del going_on[depth + 1 :]
    return found[::-1]
