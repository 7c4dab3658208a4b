"""Who answers whom. Lives here: the rule for turns that don't say it themselves."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from graphmem.core.facts import Turn

_QUOTE = re.compile(r"^>[ \t]*(\S.*?)[ \t]*$", re.MULTILINE)


def with_replies(turns: Sequence[Turn]) -> list[Turn]:
    """Each turn as a reply to the last one of somebody else before it in its session, unless it names what it
    answers: by an id, or by quoting it in a line that begins with ">"."""
    found: list[Turn] = []
    other = previous = None
    for turn in turns:
        if previous is not None and previous.session != turn.session:
            other = previous = None
        if previous is not None and previous.speaker != turn.speaker:
            other = previous
        answered = _quoted(turn, found, other.place.start if other else -1)
        found.append(replace(turn, replies_to=answered) if turn.replies_to < 0 else turn)
        previous = turn
    return found


def _quoted(turn: Turn, before: Sequence[Turn], otherwise: int) -> int:
    """Where the latest earlier turn begins that has a line which this one quotes."""
    quotes = _QUOTE.findall(turn.text)
    quoted = (t.place.start for t in reversed(before) if any(quote in t.text for quote in quotes))
    return next(quoted, otherwise)
