"""Names in English prose. Lives here: capitalised words that name something, wherever they stand. Lives elsewhere: the
word lists (words), dates and amounts (core.readings).

A capital in the middle of a sentence is a name's. At its beginning it is one only when the word is capitalised
elsewhere in the middle of a sentence too, is an acronym, owns something, or is followed by a further capitalised word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphmem.adapters.extractor_prose.words import (
    ABBREVIATIONS,
    GLUE,
    HONORIFICS,
    OPENERS,
    ORGANISATIONS,
    PLACE_OPENERS,
    PLACES,
)
from graphmem.core.facts import Mention, Place, Sort
from graphmem.core.readings import MONTHS, WEEKDAYS

_UPPER = "A-ZÀ-ÖØ-Þ\u0100-\u024f\u0386-\u03ab\u0400-\u042f"
_TOKEN = rf"(?:(?:[{_UPPER}]\.)+|(?:{ABBREVIATIONS})\.|[{_UPPER}][\w]*(?:[-–'’&.][\w]+)*)"
_NUMERAL = r"\d{1,4}(?!\w|%|[.,:/]\d)"
_RUN = re.compile(rf"(?<![\w@#/.'’-]){_TOKEN}(?: (?:(?:{GLUE}) )?{_TOKEN}| & {_TOKEN}| {_NUMERAL})*")
_HEADING = re.compile(r"^\s*#{1,6} .*$", re.MULTILINE)
_LETTERS_AFTER_FIRST = re.compile(r"[a-z]")
# What stands before the first word of a sentence: a stop that ends no abbreviation, a line's beginning with its
# bullet or number, an opening mark.
_BEGINS = re.compile(r"(?:\A|[.!?:…][\"'”’)\]]*\s+|\n)\s*(?:[-*+•>|]\s+|\d+[.)]\s+)*[\"'“‘(\[*_]*\Z|[\"“]\Z")
_NOT_A_STOP = re.compile(rf"(?:\b(?:{ABBREVIATIONS})|(?<!\w)[{_UPPER}])\.\s*\Z")
_LOOK_BACK = 24  # characters: what may stand between two sentences
_CALENDAR = frozenset(way.capitalize() for word in (*MONTHS, *WEEKDAYS) for way in (word, word[:3]))
_POSSESSIVE = re.compile(r"['’]s?\Z")
_QUOTED = re.compile(r"[.,]?[\"”]")  # what ends a title that began with an opening quote
_OPENING = ('"', "“")
_POSSESSED = re.compile(r"['’]s [^\W\dA-Z]")
_INITIAL_OR_ACRONYM = 2  # capitals in a word that make it one


def names(text: str, place: Place) -> Iterator[Mention]:
    """The names in a stretch of a text, in reading order."""
    headings = [(m.start(), m.end()) for m in _HEADING.finditer(text, place.start, place.end)]
    runs = [
        (begins, words)
        for found in _RUN.finditer(text, place.start, place.end)
        if not any(a <= found.start() < b for a, b in headings)
        for begins, words in [(_begins(text, found.start(), place.start), _words(text, found))]
    ]
    inside = {text[a:b] for begins, words in runs for a, b in (words[1:] if begins else words)}
    for begins, words in runs:
        if mention := _mention(text, words, begins, inside):
            yield mention


def _begins(text: str, at: int, floor: int) -> bool:
    before = text[max(floor, at - _LOOK_BACK) : at]
    return (at == floor or _BEGINS.search(before) is not None) and not _NOT_A_STOP.search(before)


def _words(text: str, found: re.Match[str]) -> list[tuple[int, int]]:
    """The places of a run's words, up to a possessive, which ends the name."""
    words = []
    for word in re.finditer(r"\S+", found[0]):
        start, end = found.start() + word.start(), found.start() + word.end()
        tail = _POSSESSIVE.search(text, start, end)
        words.append((start, tail.start() if tail else end))
        if tail:
            break
    return words


def _mention(text: str, words: list[tuple[int, int]], begins: bool, inside: set[str]) -> Mention | None:
    words = list(words)
    honoured = False
    quoted = _QUOTED.match(text, words[-1][1]) and text[words[0][0] - 1 : words[0][0]] in _OPENING
    while words and not quoted and (drop := _leads(text, words, begins, inside)):
        honoured = drop == "honorific"
        begins = begins and not honoured
        words.pop(0)
    while words and (not text[words[-1][0]].isupper() and not text[words[-1][0]].isdigit()):
        words.pop()
    if not words:
        return None
    place = Place(words[0][0], words[-1][1])
    name = place.of(text)
    if name.endswith(".") and not name[:-1].count(".") and not re.search(rf"(?:{ABBREVIATIONS})\.\Z", name):
        place = Place(place.start, place.end - 1)
        name = name[:-1]
    owns = _POSSESSED.match(text, place.end) is not None
    if not _is_name(name, begins and len(words) == 1 and not owns, inside):
        return None
    return Mention(name, Sort.PERSON if honoured else _sort(name), place)


def _leads(text: str, words: list[tuple[int, int]], begins: bool, inside: set[str]) -> str:
    """Why the first word is no part of the name: a small word, an opener of the sentence, an honorific; else
    nothing."""
    first = text[slice(*words[0])]
    plain = first.rstrip(".").casefold()
    if not first[:1].isupper():
        return "small"
    if plain in HONORIFICS and len(words) > 1:
        return "honorific"
    if plain in OPENERS and (begins or len(words) == 1):
        return "opener"
    if begins and len(words) > 1 and first not in inside and plain.endswith(("ing", "ly")):
        return "opener"
    return ""


def _is_name(name: str, alone_in_front: bool, inside: set[str]) -> bool:
    of_a_date = all(word in _CALENDAR or word.isdigit() for word in name.split())
    if of_a_date or name.casefold() in OPENERS or len(name) < _INITIAL_OR_ACRONYM:
        return False
    acronym = sum(map(str.isupper, name)) >= _INITIAL_OR_ACRONYM
    return not alone_in_front or name in inside or acronym


def _sort(name: str) -> Sort:
    words = [word.rstrip(".").casefold() for word in name.split()]
    if len(words) > 1 and (words[-1] in ORGANISATIONS or words[0] in {"university", "ministry", "department", "bank"}):
        return Sort.ORGANISATION
    if len(words) > 1 and (words[-1] in PLACES or words[0] in PLACE_OPENERS):
        return Sort.PLACE
    return Sort.THING
