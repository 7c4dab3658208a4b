"""Transcripts in JSON. Lives here: finding the messages in a document, each with its place in the text. Lives
elsewhere: transcripts as lines (lines), dates (core.readings).

A message is an object with a speaker and a text; it may lie in lists, sessions, or beside other fields at any depth
that JSON's own reader takes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from graphmem.core.errors import InvalidInput
from graphmem.core.facts import Place, Turn
from graphmem.core.readings import moment_in
from graphmem.core.times import parse_time

SPEAKERS = ("speaker", "role", "author", "name", "from")
TEXTS = ("text", "content", "message")
TIMES = ("timestamp", "date", "time", "created_at", "session_date")
REPLIES = ("reply_to", "in_reply_to", "parent_id")
MILLISECONDS_FROM = 10**11  # a number of seconds that large would be the year 5138
DEEPEST = 20  # of lists and objects in one another

_GAP = re.compile(r"[\s,]*")
_decode = json.JSONDecoder().raw_decode


def turns(text: str) -> list[Turn] | None:
    """The messages of a JSON document, or of one document a line, in reading order; None for a text that isn't
    JSON."""
    start = _skip(text, 0)
    if text[start : start + 1] not in ("[", "{"):
        return None
    try:
        starts: dict[str, int] = {}
        found: list[Turn] = []
        while start < len(text):
            document, end = _decode(text, start)
            found += [_turn(*message, starts) for message in _messages(text, start, document, "", 0)]
            start = _skip(text, end)
        return found
    except (ValueError, RecursionError):
        return None


def _skip(text: str, at: int) -> int:
    return _GAP.match(text, at).end()  # type: ignore[union-attr] # it matches nothing, too


def _messages(text: str, at: int, value: Any, when: str, depth: int) -> Iterator[tuple[Mapping[str, Any], Place, str]]:
    """The messages in a value that begins at a place, each with the time of what it lies in."""
    if depth > DEEPEST:
        return
    if isinstance(value, list):
        for start, item in _items(text, at):
            yield from _messages(text, start, item, when, depth + 1)
    elif isinstance(value, dict):
        if _first(value, SPEAKERS) and _first(value, TEXTS).strip():
            yield value, Place(at, _decode(text, at)[1]), when
        else:
            when = _first(value, TIMES) or when
            for start, item in _fields(text, at):
                yield from _messages(text, start, item, when, depth + 1)


def _items(text: str, at: int) -> Iterator[tuple[int, Any]]:
    at = _skip(text, at + 1)
    while text[at] != "]":
        item, end = _decode(text, at)
        yield at, item
        at = _skip(text, end)


def _fields(text: str, at: int) -> Iterator[tuple[int, Any]]:
    at = _skip(text, at + 1)
    while text[at] != "}":
        _, end = _decode(text, at)
        at = _skip(text, text.index(":", end) + 1)
        item, end = _decode(text, at)
        yield at, item
        at = _skip(text, end)


def _first(message: Mapping[str, Any], names: tuple[str, ...]) -> str:
    """The first of some fields that is there, as text."""
    found = (message[n] for n in names if isinstance(message.get(n), str | int | float) and message[n] != "")
    return str(next(found, ""))


def _turn(message: Mapping[str, Any], place: Place, when: str, starts: dict[str, int]) -> Turn:
    """A message as a turn. `starts` are the places of those before, by their ids."""
    turn = Turn(
        speaker=_first(message, SPEAKERS),
        text=_first(message, TEXTS),
        place=place,
        said_at=_moment(_first(message, TIMES)) or _moment(when),
        session=when,
        replies_to=starts.get(_first(message, REPLIES), -1),
    )
    if name := _first(message, ("id",)):
        starts[name] = place.start
    return turn


def _moment(when: str) -> int:
    """A time as messages write it: ISO 8601, a spelled date, or seconds or milliseconds since 1970."""
    if re.fullmatch(r"\d{9,13}(?:\.\d+)?", when):
        seconds = float(when)
        return int(seconds * (1_000_000 if seconds < MILLISECONDS_FROM else 1_000))
    try:
        return parse_time(when)
    except InvalidInput:
        return moment_in(when)
