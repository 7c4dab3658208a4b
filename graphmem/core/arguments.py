"""What callers hand in, as core values: moments, validity, names, and words of a closed list. Lives elsewhere: the
verbs that take them (memory)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from typing import TypeVar

from graphmem.core.errors import InvalidInput
from graphmem.core.intervals import ALWAYS, TIME_MAX, TIME_MIN, Intervals
from graphmem.core.times import parse_time, to_micros

Word = TypeVar("Word", bound=StrEnum)


def several(names: Iterable[str], what: str) -> tuple[str, ...]:
    """Names as they were given; one text in their place is a slip, since it would be taken apart into letters.

    Raises InvalidInput.
    """
    if isinstance(names, str):
        raise InvalidInput(f"{what} is one text", hint=f"give a list: {what}=[...]")
    return tuple(names)


def moment(given: datetime | str) -> int:
    """Microseconds of a datetime or of ISO 8601 text; without an offset it is UTC. Raises InvalidInput."""
    return parse_time(given) if isinstance(given, str) else to_micros(given)


def validity(valid_from: datetime | str | None, valid_to: datetime | str | None) -> Intervals:
    """The half-open time that two moments bound; a missing one leaves it open. Raises InvalidInput when it is empty."""
    if valid_from is None and valid_to is None:
        return ALWAYS
    start = TIME_MIN if valid_from is None else moment(valid_from)
    end = TIME_MAX if valid_to is None else moment(valid_to)
    if start >= end:
        raise InvalidInput("the validity ends before it begins", hint="valid_to must be later than valid_from")
    return ((start, end),)


def choice(kind: type[Word], word: str, what: str) -> Word:
    """The member of a closed list that a word names. Raises InvalidInput with the list."""
    try:
        return kind(word)
    except ValueError as error:
        names = ", ".join(member.value for member in kind)
        raise InvalidInput(f"no {what} is called {str(word)[:40]!r}", hint=f"use one of: {names}") from error
