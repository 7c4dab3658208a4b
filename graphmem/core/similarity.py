"""Records that say nearly the same. Lives here: how near two texts are, and in what they differ. Lives elsewhere:
finding whom to compare (services.reviewing).

Nothing acts on this: two texts that differ in one number, name or "not" may say the opposite. It is a list for a
person, who may retract or supersede. Source of the measure: P. Jaccard (1912), shared terms over all terms.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from graphmem.core.analyzer import STOP_WORDS, analyze

NEAR = 0.5  # shared terms over all terms, from which on two texts are worth a look
TURNING = frozenset("not no never only except unless without until before after more less t".split())


class Nearness(StrEnum):
    """What a person may think of two texts: the same words; the same but for numbers or words that turn a meaning; or
    merely alike."""

    SAME = "same"
    TURNED = "turned"
    ALIKE = "alike"


@dataclass(frozen=True, slots=True)
class Similar:
    """A record that is near another: its id, how near (0 to 1, the Jaccard index of their terms), and the terms that
    only one of the two has, sorted."""

    record: str
    near: float
    kind: Nearness
    differs: tuple[str, ...]


def similar(text: str, other: str, record: str) -> Similar:
    """How near the text of a record is to a text."""
    mine, theirs = set(analyze(text)), set(analyze(other))
    differs = mine ^ theirs
    every = mine | theirs
    near = 1 - len(differs) / len(every) if every else 1.0
    telling = differs - (STOP_WORDS - TURNING)
    turned = any(term in TURNING or any(c.isdecimal() for c in term) for term in telling)
    kind = Nearness.SAME if not telling else Nearness.TURNED if turned else Nearness.ALIKE
    return Similar(record, near, kind, tuple(sorted(differs)))
