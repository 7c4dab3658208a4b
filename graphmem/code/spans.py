"""Byte offsets, lines, hashes and anchors of one text. Lives here: the arithmetic every extractor
shares. Lives elsewhere: what is found at those places (documents, python)."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from itertools import accumulate

from graphmem.core.provenance import Span


def content_hash(data: bytes) -> str:
    """The identity of bytes: "sha256:" and 64 hex digits."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


class LineIndex:
    """Where the lines of a text start; a line ends with a line feed, as tree-sitter counts them."""

    def __init__(self, source: bytes) -> None:
        lengths = (len(line) + 1 for line in source.split(b"\n"))
        self.starts = [0, *accumulate(lengths)]
        self.starts.pop()

    def row(self, offset: int) -> int:
        """The line that holds the byte at `offset`, counted from 0."""
        return bisect_right(self.starts, offset) - 1

    def span(self, start: int, end: int) -> Span:
        """The bytes [start, end) with their first and last line, counted from 1."""
        return Span(start, end, self.row(start) + 1, self.row(max(start, end - 1)) + 1)


def claim_anchor(wanted: str, taken: dict[str, int]) -> str:
    """`wanted` if it is free, else the first free one of wanted-2, wanted-3, ...

    `taken` holds each anchor given out with the highest number tried after it; the answer joins it.
    """
    anchor, number = wanted, taken.get(wanted, 1)
    while anchor in taken:
        number += 1
        anchor = f"{wanted}-{number}"
    taken[wanted] = number
    taken.setdefault(anchor, 1)
    return anchor
