"""Runs of words that may be somebody's or something's name. Lives here: the phrases of a text that are worth looking up
among the names that a memory knows. Lives elsewhere: the look-up (the stores), finding new names (adapters)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphmem.core.analyzer import STOP_WORDS

MOST_WORDS = 6  # of a phrase; longer names are rare, and each length costs a look-up a word
SHORTEST = 3  # characters; shorter phrases are abbreviations of anything

_WORD = re.compile(r"\w+(?:[.'’&/-]\w+)*")
_GAP = re.compile(r"[ .,:&'’-]{0,3}")


def phrases(text: str) -> Iterator[tuple[str, int]]:
    """Each run of up to six words on one line that neither begins nor ends with a stop word in small letters, with its
    place; an ending 's is left off. Longer ones come first at each place."""
    words = [(m.start(), m.end()) for m in _WORD.finditer(text)]
    for i, (start, end) in enumerate(words):
        if _is_stop(text[start:end]):
            continue
        ends = [end]
        for a, b in words[i + 1 : i + MOST_WORDS]:
            if not _GAP.fullmatch(text, ends[-1], a):
                break
            ends.append(b)
        for last in reversed(ends):
            phrase = text[start:last].removesuffix("'s").removesuffix("’s")
            if len(phrase) >= SHORTEST and not _is_stop(phrase.rpartition(" ")[2]):
                yield phrase, start


def _is_stop(word: str) -> bool:
    return word in STOP_WORDS
