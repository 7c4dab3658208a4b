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
from graphmem.core.times import format_time, parse_time

SPEAKERS = ("speaker", "role", "author", "name", "from")
TEXTS = ("text", "content", "message")
TIMES = ("timestamp", "date", "time", "created_at", "session_date")
REPLIES = ("reply_to", "in_reply_to", "parent_id")
# What a number must come to, in microseconds, to be a time: the years 2001 to 2286, where seconds have ten digits.
FIRST_US, LAST_US = 10**15, 10**16
DEEPEST = 20  # of lists and objects in one another

_GAP = re.compile(r"[\s,]*")
_decode = json.JSONDecoder().raw_decode


def turns(text: str) -> list[Turn] | None:
    """The messages of a JSON document in reading order, or None for a text that isn't JSON."""
    start = _skip(text, 0)
    if text[start : start + 1] not in ("[", "{"):
        return None
    try:
        document, end = _decode(text, start)
        if text[end:].strip():
            return None
        starts: dict[str, int] = {}
        return [_turn(*found, starts) for found in _messages(text, start, document, "", 0)]
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
        when = _time(value) or when
        if _first(value, SPEAKERS) and _first(value, TEXTS).strip():
            yield value, Place(at, _decode(text, at)[1]), when
        else:
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
    return next((message[n] for n in names if isinstance(message.get(n), str) and message[n]), "")


def _time(message: Mapping[str, Any]) -> str:
    """When a message says that it was said; seconds or milliseconds since 1970 are written out."""
    numbers = (message[n] for n in TIMES if isinstance(message.get(n), int | float))
    scaled = (n * scale for n in numbers for scale in (1_000_000, 1_000) if FIRST_US <= n * scale < LAST_US)
    return _first(message, TIMES) or next((format_time(int(n)) or "" for n in scaled), "")


def _turn(message: Mapping[str, Any], place: Place, when: str, starts: dict[str, int]) -> Turn:
    """A message as a turn. `starts` are the places of those before, by their ids."""
    turn = Turn(
        speaker=_first(message, SPEAKERS),
        text=_first(message, TEXTS),
        place=place,
        said_at=_moment(when),
        session=when,
        replies_to=starts.get(_first(message, REPLIES), -1),
    )
    if name := _first(message, ("id",)):
        starts[name] = place.start
    return turn


def _moment(when: str) -> int:
    try:
        return parse_time(when)
    except InvalidInput:
        return moment_in(when)
