"""Transcripts as lines of "Speaker: text". Lives here: whose lines they are, which lines are headers of a session, and
where each turn begins and ends. Lives elsewhere: transcripts in JSON (messages), dates (core.readings)."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator

from graphmem.core.facts import Place, Turn
from graphmem.core.installing import PARTS
from graphmem.core.readings import moment_in

LEAST_TURNS = 2  # a text with fewer is no conversation
MOST = 0.5  # of the lines with words: when more begin with a label, one that occurs once is a speaker's too
LONGEST_HEADER = 100  # characters
LABELS_OF_HEADERS = frozenset("date time session chat channel participants subject topic title day".split())

_LINE = re.compile(
    r"^[ \t]*(?:[-*>] )?(?P<stamp>[\[(][^\])\n]{4,40}[\])][ \t]*)?"
    r"(?:\*\*)?(?P<speaker>[^\W\d_][\w.'’ -]{0,40}?)(?:\*\*)?(?P<after>[ \t]*[\[(][^\])\n]{4,40}[\])])?:(?:\*\*)?"
    r"(?:[ \t]+(?P<text>\S[^\n]*)|[ \t]*)$",
    re.MULTILINE,
)
_WORDS = re.compile(r"^.*\w.*$", re.MULTILINE)


def turns(text: str) -> list[Turn]:
    """The turns of a transcript in reading order; none for a text that isn't one. A turn lasts to the next speaker's
    line or the next header, and has the time that stands beside it, else that of its session."""
    labelled = [line for line in _LINE.finditer(text) if _label(line) not in LABELS_OF_HEADERS]
    speakers = _speakers(text, labelled)
    heads = [line for line in labelled if _label(line) in speakers]
    if len(heads) < LEAST_TURNS:
        return []
    headers = list(_headers(text, {line.start() for line in heads}))
    marks = sorted([*(line.start() for line in heads), *(place.start for place in headers), len(text)])
    return [turn for line in heads if (turn := _turn(text, line, marks, headers))]


def _label(line: re.Match[str]) -> str:
    return line["speaker"].strip().casefold()


def _speakers(text: str, labelled: list[re.Match[str]]) -> set[str]:
    counts = Counter(map(_label, labelled))
    lines = sum(1 for _ in _WORDS.finditer(text))
    often = len(labelled) > MOST * lines
    return {name for name, n in counts.items() if n >= LEAST_TURNS or often or name in PARTS}


def _headers(text: str, taken: set[int]) -> Iterator[Place]:
    """Short lines with a date that are nobody's turn."""
    for line in _WORDS.finditer(text):
        if line.start() not in taken and len(line[0]) <= LONGEST_HEADER and _is_header(line[0]):
            yield Place(line.start(), line.end())


def _is_header(line: str) -> bool:
    bare = line.strip(" \t#*=-[]()").casefold()
    begins = (
        bare.split(":")[0].split(" ")[0] in LABELS_OF_HEADERS or not bare[:1].isalpha() or line.lstrip()[:1] in "#=-["
    )
    return begins and moment_in(line) != 0


def _turn(text: str, line: re.Match[str], marks: list[int], headers: list[Place]) -> Turn | None:
    ends = marks[bisect_right(marks, line.start())]
    starts = line.start("text") if line["text"] else line.end()
    said = text[starts:ends].strip()
    if not said:
        return None
    starts = text.index(said, starts)
    above = bisect_right(headers, (line.start(), 0))
    session = headers[above - 1].of(text).strip(" \t#*=-") if above else ""
    stamp = (line["stamp"] or line["after"] or "").strip(" \t[]()")
    said_at = moment_in(stamp) or moment_in(session)
    begin = line.start() + len(line[0]) - len(line[0].lstrip())
    return Turn(line["speaker"].strip(), said, Place(begin, starts + len(said)), said_at, session)
