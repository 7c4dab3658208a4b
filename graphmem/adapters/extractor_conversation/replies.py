"""Who answers whom. Lives here: the rule for turns that don't say it themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from graphmem.core.facts import Turn


def with_replies(turns: Sequence[Turn]) -> list[Turn]:
    """Each turn as a reply to the last one of somebody else before it in its session, unless it names what it
    answers."""
    found: list[Turn] = []
    other = previous = None
    for turn in turns:
        if previous is not None and previous.session != turn.session:
            other = previous = None
        if previous is not None and previous.speaker != turn.speaker:
            other = previous
        answered = other.place.start if other else -1
        found.append(replace(turn, replies_to=answered) if turn.replies_to < 0 else turn)
        previous = turn
    return found
