"""Long texts in windows. Lives here: where a window over a text begins and ends, as arithmetic on the text, so that
work resumed at a position sees the same windows. Lives elsewhere: working through them (services.maintaining)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from graphmem.core.views import Held

WINDOW_CHARS = 6_000  # about 1,500 tokens of English: small beside any model's context, and one commit is short
# A sentence of prose has 100 characters or so, hardly ever 600. So a window repeats a handful of the sentences before
# it: enough to tell whom "she" and "it" mean, and whole even the sentence that the last window had to cut.
OVERLAP_CHARS = 600
LEAST_SHARE = 0.5  # of a window that is filled before it ends at the end of a paragraph or sentence

PARAGRAPH = re.compile(r"\n[ \t]*\n\s*")
SENTENCE = re.compile(r"[.!?]['\")\]]*\s+|[。！？]\s*|\n")
WORD = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of a record's text: characters from `start` to `end`, of which those before `fresh` were seen in the
    window before."""

    held: Held
    start: int
    fresh: int
    end: int

    @property
    def text(self) -> str:
        return self.held.record.text[self.start : self.end]

    @property
    def is_last(self) -> bool:
        return self.end >= len(self.held.record.text)


def window_at(held: Held, position: int, size: int = WINDOW_CHARS, overlap: int = OVERLAP_CHARS) -> Window:
    """The window that goes on at a position: it ends after a paragraph, else a sentence, else a word, else where it is
    full, and begins with the whole sentences (or words) of the overlap before the position."""
    text = held.record.text
    return Window(held, _start(text, position, overlap), position, _end(text, position, size))


def _end(text: str, position: int, size: int) -> int:
    if len(text) - position <= size:
        return len(text)
    least = position + int(size * LEAST_SHARE)
    for boundary in (PARAGRAPH, SENTENCE, WORD):
        ends = [found.end() for found in boundary.finditer(text, least, position + size)]
        if ends:
            return ends[-1]
    return position + size


def _start(text: str, position: int, overlap: int) -> int:
    if position <= overlap:
        return 0
    for boundary in (SENTENCE, WORD):
        found = boundary.search(text, position - overlap, position)
        if found and found.end() < position:
            return found.end()
    return position - overlap
