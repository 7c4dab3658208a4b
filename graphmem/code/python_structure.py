"""The structural hash of Python code. Lives here: the form of a text in which comments, blank
lines, spacing and the width of indentation make no difference, and everything else does. Lives
elsewhere: what is hashed (python_syntax).

Tokens alone don't tell `a` followed by `(b)` on its own line from `a(b)`, so statements and blocks
are marked too."""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_left
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

STRUCTURE_QUERY = """
(block) @block
(block (_) @statement)
(module (_) @statement)
(string) @string
(comment) @comment
"""

# Marks sort in the order in which they take effect at one place. Only the first three are part of
# the normal form.
_CLOSE, _OPEN, _STATEMENT, _STRING, _COMMENT = b"\x01", b"\x02", b"\x03", b"\x04", b"\x05"
# Names and numbers, or one character of punctuation. A backslash outside of a string only continues
# a line.
_TOKEN = re.compile(rb"[\w\x80-\xff]+|[^\s\\]")


class Structure:
    """The normal form of one file, from which the hash of any stretch of statements is read."""

    def __init__(self, source: bytes, captured: dict[str, list[Node]]) -> None:
        self._offsets: list[int] = []
        self._pieces: list[bytes] = []
        cursor = 0
        for start, mark, end in sorted(_events(captured)):
            if start < cursor:
                continue
            self._add(cursor, b" ".join(_TOKEN.findall(source, cursor, start)))
            if mark != _COMMENT:
                self._add(start, source[start:end] if mark == _STRING else mark)
            cursor = end
        self._add(cursor, b" ".join(_TOKEN.findall(source, cursor)))

    def _add(self, offset: int, piece: bytes) -> None:
        if piece:
            self._offsets.append(offset)
            self._pieces.append(piece)

    def digest(self, start: int, end: int) -> str:
        """ "sha256:" and 64 hex digits for the statements in the bytes [start, end)."""
        first = bisect_left(self._offsets, start)
        last = bisect_left(self._offsets, end, first)
        while first < last and self._pieces[first] in (_CLOSE, _OPEN):
            first += 1
        return f"sha256:{hashlib.sha256(b' '.join(self._pieces[first:last])).hexdigest()}"


def _events(captured: dict[str, list[Node]]) -> list[tuple[int, bytes, int]]:
    """(start, mark, end) of everything that isn't plain code; closing marks sort before opening
    ones at one place."""
    comments = {node.start_byte: node.end_byte for node in captured.get("comment", ())}
    events = [(start, _COMMENT, end) for start, end in comments.items()]
    for node in captured.get("string", ()):
        events.append((node.start_byte, _STRING, node.end_byte))
    for node in captured.get("block", ()):
        events.append((node.start_byte, _OPEN, node.start_byte))
        events.append((node.end_byte, _CLOSE, node.end_byte))
    for node in captured.get("statement", ()):
        if node.start_byte not in comments:
            events.append((node.start_byte, _STATEMENT, node.start_byte))
    return events
