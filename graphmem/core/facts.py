"""What an extractor says it found in a text, and what of it stands. Lives here: the found values and the checks that
each must pass, whoever found it. Lives elsewhere: finding (adapters of ports.extractor), reading dates and amounts
(core.readings), keeping what stands (core.installing).

An extractor is trusted in nothing. Each item cites a place in the text, and that place must hold what the item says:
names letter by letter, values by what they come to.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from typing import NamedTuple, TypeVar

from graphmem.core.echo import compared
from graphmem.core.readings import holds, sort_holds
from graphmem.core.records import digest


class Sort(StrEnum):
    """What kind of thing a mention names; a thing is anything whose kind the text doesn't show."""

    PERSON = "person"
    ORGANISATION = "organisation"
    PLACE = "place"
    DATE = "date"
    QUANTITY = "quantity"
    MONEY = "money"
    THING = "thing"


MEASURES = frozenset({Sort.DATE, Sort.QUANTITY, Sort.MONEY})  # what has a value beside its words


class Place(NamedTuple):
    """A stretch of a text, in characters, half-open from 0."""

    start: int
    end: int

    def of(self, text: str) -> str:
        return text[self.start : self.end]

    def within(self, outer: Place) -> bool:
        return outer.start <= self.start and self.end <= outer.end


NOWHERE = Place(-1, -1)


@dataclass(frozen=True, slots=True)
class Mention:
    """A name, date, quantity or amount of money as the text has it; `value` is what the latter three come to, as
    canonical JSON."""

    name: str
    sort: Sort
    place: Place
    value: str | None = None


@dataclass(frozen=True, slots=True)
class Stated:
    """A value of an attribute of an entity. `about` is where the entity is named: in the sentence, or in the heading
    above it."""

    entity: str
    attribute: str
    value: str
    place: Place
    about: Place


@dataclass(frozen=True, slots=True)
class Related:
    """A typed relation between two named things."""

    source: str
    type: str
    target: str
    place: Place


@dataclass(frozen=True, slots=True)
class Turn:
    """One speaker's turn, verbatim. `said_at` is microseconds, 0 for unknown; `session` is the date as the transcript
    words it; `replies_to` is where the turn begins that it answers, -1 for none. `near` is how its neighbours begin,
    filled in when it is checked."""

    speaker: str
    text: str
    place: Place
    said_at: int = 0
    session: str = ""
    replies_to: int = -1
    near: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Extracted:
    """Everything found in a stretch of a text, each kind in reading order. Of turns, the neighbours of the stretch and
    what its turns reply to are there too."""

    mentions: tuple[Mention, ...] = ()
    statements: tuple[Stated, ...] = ()
    relations: tuple[Related, ...] = ()
    turns: tuple[Turn, ...] = ()


@dataclass(frozen=True, slots=True)
class Tool:
    """What found something: its name, its version, and what names its configuration. One that guesses draws
    inferences; the others read off what stands there."""

    name: str
    version: str
    configuration: str
    guesses: bool = False


def tool(name: str, version: str, configuration: object, *, guesses: bool = False) -> Tool:
    """A tool by its configuration, of which a digest is kept."""
    return Tool(name, version, digest(name, version, configuration), guesses)


@dataclass(frozen=True, slots=True)
class Hints:
    """What an extractor may know besides the text: when it was observed (microseconds, 0 for unknown), and the names
    that the memory knows, as the text spells them."""

    observed_at: int = 0
    known: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Checked:
    """What stands of an extraction, and how many items were dropped for each reason."""

    found: Extracted
    dropped: Mapping[str, int] = field(default_factory=dict)


When = Callable[[Place], int]
T = TypeVar("T", Mention, Stated, Related, Turn)
FIRST_WORDS = 8  # of a neighbouring turn
LONGEST_NAME = 200  # characters; nothing longer is a name
RELATION = re.compile(r"[a-z][a-z_]{1,39}")
# Types that the memory gives a meaning of its own.
RESERVED = frozenset(
    """about calls contains imports inherits instantiates mentions replies_to said_by same_as supports tests""".split()
)
_KEY_MARKS = re.compile(r"[#@\x00-\x1f]")


def checked(found: Extracted, text: str, observed_at: int = 0) -> Checked:
    """The items whose places exist in the text and hold what the items say. `observed_at` is what relative dates
    outside of turns count from."""
    dropped: Counter[str] = Counter()
    when = partial(_said_at, found.turns, observed_at)

    def standing(items: tuple[T, ...], fault: Callable[[T], Iterator[str]]) -> tuple[T, ...]:
        kept = []
        for item in items:
            reason = next(_placed(item.place, text), "") or next(fault(item), "")
            if reason:
                dropped[reason] += 1
            else:
                kept.append(item)
        return tuple(kept)

    stands = Extracted(
        mentions=standing(found.mentions, partial(_mention, text, when)),
        statements=standing(found.statements, partial(_stated, text, when)),
        relations=standing(found.relations, partial(_related, text)),
        turns=standing(found.turns, partial(_turn, text)),
    )
    return Checked(replace(stands, turns=_joined(stands.turns)), dict(sorted(dropped.items())))


def _said_at(turns: tuple[Turn, ...], observed_at: int, place: Place) -> int:
    """When what stands at a place was said."""
    return next((t.said_at for t in turns if t.said_at and place.within(t.place)), observed_at)


def _joined(turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
    """The turns with how their neighbours begin, and without replies to what is no turn."""
    starts = {turn.place.start for turn in turns}
    begin = [f"{t.speaker}: {' '.join(t.text.split()[:FIRST_WORDS])}" for t in turns]
    return tuple(
        replace(
            turn,
            replies_to=turn.replies_to if turn.replies_to in starts else -1,
            near=(*begin[max(0, n - 1) : n], *begin[n + 1 : n + 2]),
        )
        for n, turn in enumerate(turns)
    )


def _placed(place: Place, text: str) -> Iterator[str]:
    if not 0 <= place.start < place.end <= len(text):
        yield "no-such-span"


def _named(name: str, said: str) -> Iterator[str]:
    if not name.strip() or len(name) > LONGEST_NAME or not _stands(name, said):
        yield "name-not-there"


def _stands(name: str, said: str) -> bool:
    """Whether a text has a name as whole words."""
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", said) is not None


def _mention(text: str, when: When, item: Mention) -> Iterator[str]:
    said = item.place.of(text)
    yield from _named(item.name, said)
    if item.sort in MEASURES and (item.value is None or not sort_holds(said, item.sort, item.value, when(item.place))):
        yield "value-not-there"


def _stated(text: str, when: When, item: Stated) -> Iterator[str]:
    said = item.place.of(text)
    yield from _placed(item.about, text)
    yield from _named(item.entity, item.about.of(text))
    if _KEY_MARKS.search(item.entity + item.attribute):
        yield "not-a-key"
    if not item.attribute.strip() or not _stands(_words(item.attribute), _words(said)):
        yield "attribute-not-there"
    if not _is_json(item.value) or not holds(said, item.value, when(item.place)):
        yield "value-not-there"


def _words(said: str) -> str:
    return compared(said.replace("-", " ").replace("_", " "))


def _is_json(value: str) -> bool:
    try:
        return json.loads(value) is not None
    except ValueError:
        return False


def _related(text: str, item: Related) -> Iterator[str]:
    said = item.place.of(text)
    yield from _named(item.source, said)
    yield from _named(item.target, said)
    if not RELATION.fullmatch(item.type) or item.type in RESERVED:
        yield "not-a-relation"
    if item.source == item.target:
        yield "relates-to-itself"


def _turn(text: str, item: Turn) -> Iterator[str]:
    said = item.place.of(text)
    if not item.text.strip():
        yield "says-nothing"
    if (item.speaker in said and item.text in said) or _spelled_in(said, item):
        return
    yield "not-verbatim"


def _spelled_in(said: str, item: Turn) -> bool:
    """Whether a JSON object has the speaker and the text among its values."""
    try:
        found = json.loads(said)
    except ValueError:
        return False
    return isinstance(found, dict) and {item.speaker, item.text} <= {v for v in found.values() if isinstance(v, str)}
