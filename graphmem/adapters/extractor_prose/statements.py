"""Key-value statements in English prose. Lives here: the three forms that are read, and what may be their parts. Lives
elsewhere: the word lists (words), what a statement becomes (core.installing).

Only a plain present-tense sentence that says one thing is read: hedges, denials, questions and anything longer are
left alone, because a wrong fact costs more than a missed one.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterator

from graphmem.adapters.extractor_prose.words import HEDGES, NO_VALUE, OPENERS
from graphmem.core.facts import Hints, Place, Stated
from graphmem.core.readings import MONTHS, WEEKDAYS, number, readings
from graphmem.core.records import canonical

MOST_WORDS_OF_A_VALUE = 3  # of plain words; numbers, dates, names and quotations may be longer
SHORTEST_PARTICIPLE = 5  # letters; "red" and "king" are none
MOST_CHARS_OF_A_LINE = 160  # a line under a heading that is longer is prose

_NAME = r"[`\"“]?[\w][\w.&/-]*(?: [\w][\w.&/-]*){0,4}[`\"”]?"
_ATTRIBUTE = r"[a-z][\w-]*(?: [a-z][\w-]*){0,3}"
_FORMS = [
    re.compile(rf"(?P<the>[Tt]he )?(?P<x>{_NAME})['’]s (?P<y>{_ATTRIBUTE}) (?:is|are) (?P<z>\S.*)"),
    re.compile(rf"[Tt]he (?P<y>{_ATTRIBUTE}) of (?P<the>the )?(?P<x>{_NAME}) (?:is|are) (?P<z>\S.*)"),
]
_SENTENCE = re.compile(r"[^\s.!?][^\n.!?]*(?:[.](?=\S)[^\n.!?]*)*(?P<end>[.!?]?)(?=\s|\Z)")
_HEADING = re.compile(r"^#{1,6} +(?P<x>[^\n#]+?)[ #]*$", re.MULTILINE)
_LINE = re.compile(
    r"^[ \t]*(?:[-*+] +)?(?:\*\*)?(?P<y>[A-Za-z][\w-]*(?: [\w-]+){0,3})(?:\*\*)?:(?:\*\*)?[ \t]+(?P<z>\S[^\n]*)$",
    re.MULTILINE,
)
_FENCE = re.compile(r"^[ \t]*```.*?(?:^[ \t]*```|\Z)", re.MULTILINE | re.DOTALL)  # source code
_QUOTES = '`"“”'
_PLAIN_WORDS = re.compile(r"[\w'’+-]+(?: [\w'’+-]+)*")
_NAMELESS = OPENERS | {*MONTHS, *WEEKDAYS}
_NUMBER = re.compile(r"-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?")
_INITIALS = re.compile(r"(?<!\w)(?:[^\W\d_]\.)+[^\W\d_]\Z|(?<!\w)(?:Inc|Ltd|Co|Corp|Jr|Sr)\Z")
_IDENTIFIER = re.compile(r"[\w.:/@-]*[\d_./:@][\w.:/@-]*")
_CAPITALISED = re.compile(r"[^\W\d_a-z][\w.&'’-]*(?: (?:of|the|de|van|von|&|[^\W\d_a-z][\w.&'’-]*))*")


def statements(text: str, place: Place, hints: Hints) -> Iterator[Stated]:
    """The statements in a stretch of a text, in reading order within each form."""
    for sentence in _SENTENCE.finditer(text, place.start, place.end):
        if sentence["end"] != "?" and not _hedged(sentence[0]):
            yield from _sentence(sentence, hints)
    yield from _headed(text, place, hints)


def _hedged(sentence: str) -> bool:
    words = re.findall(r"[\w'’]+", sentence.casefold())
    return any(word in HEDGES or word.endswith(("n't", "n’t")) for word in words)


def _sentence(sentence: re.Match[str], hints: Hints) -> Iterator[Stated]:
    said = sentence[0].removesuffix(sentence["end"])
    for form in _FORMS:
        found = form.fullmatch(said)
        if found is None:
            continue
        entity = found["x"].strip(_QUOTES)
        stop = sentence["end"] if _INITIALS.search(found["z"]) else ""
        value = _value(found["z"] + stop, hints)
        if value is not None and _is_entity(found["x"], entity, hints):
            start = sentence.start() + found.start("x") + found["x"].index(entity)
            about = Place(start, start + len(entity))
            yield Stated(entity, _attribute(found["y"]), value, Place(sentence.start(), sentence.end()), about)
            return


def _is_entity(written: str, name: str, hints: Hints) -> bool:
    """Whether words name one certain thing: a name that is known, quoted, capitalised or an identifier."""
    if name in hints.known or written != name or _IDENTIFIER.fullmatch(name):
        return True
    return _is_capitalised(name)


def _is_capitalised(name: str) -> bool:
    return _CAPITALISED.fullmatch(name) is not None and name.split(maxsplit=1)[0].casefold() not in _NAMELESS


def _attribute(words: str) -> str:
    return "-".join(words.casefold().split())


def _headed(text: str, place: Place, hints: Hints) -> Iterator[Stated]:
    """Lines of the form Y: Z, each about the heading above it."""
    fenced = [found.span() for found in _FENCE.finditer(text, 0, place.end)]
    headings = [h for h in _HEADING.finditer(text, 0, place.end) if not _inside(h, fenced)]
    if not headings:
        return
    ends = [heading.end() for heading in headings]
    for line in _LINE.finditer(text, max(place.start, headings[0].end()), place.end):
        above = headings[bisect_left(ends, line.start()) - 1]
        value = _value(line["z"].rstrip(" .").removesuffix("  "), hints, longest=None)
        if (
            value is not None
            and not _inside(line, fenced)
            and len(line[0]) <= MOST_CHARS_OF_A_LINE
            and not _hedged(line[0])
        ):
            whole = Place(line.start() + len(line[0]) - len(line[0].lstrip()), line.end())
            yield Stated(above["x"], _attribute(line["y"]), value, whole, Place(above.start("x"), above.end("x")))


def _inside(found: re.Match[str], stretches: list[tuple[int, int]]) -> bool:
    at = bisect_left(stretches, (found.start() + 1, 0)) - 1
    return at >= 0 and found.start() < stretches[at][1]


def _value(said: str, hints: Hints, longest: int | None = MOST_WORDS_OF_A_VALUE) -> str | None:
    """What a value's words come to, as canonical JSON, or None for words that are no one value."""
    said = said.strip()
    found = _read(said, hints)
    return canonical(_worded(said, longest) if found is None else found)


def _read(said: str, hints: Hints) -> object | None:
    """A number, a truth, a date or an amount, if that is all that is said."""
    if _NUMBER.fullmatch(said):
        return number(said)
    if said in ("true", "false"):
        return said == "true"
    whole = (r.value for r in readings(said, hints.observed_at) if (r.start, r.end) == (0, len(said)))
    return next(map(json.loads, whole), None)


def _worded(said: str, longest: int | None) -> str | None:
    """A quotation, an identifier, a name, or a few plain words."""
    bare = said.strip(_QUOTES)
    if said[:1] in _QUOTES and said[-1:] in _QUOTES:
        return bare if bare and not any(mark in bare for mark in _QUOTES) else None
    if _IDENTIFIER.fullmatch(said) or _is_capitalised(said):
        return said
    said = said.removeprefix("the ")
    words = said.split()
    fits = longest is None or len(words) <= longest
    if not words or not fits or not _PLAIN_WORDS.fullmatch(said) or words[0].casefold() in NO_VALUE:
        return None
    is_verb = words[0].endswith(("ing", "ed")) and len(words[0]) >= SHORTEST_PARTICIPLE
    return None if is_verb and longest else said
