"""The extractor for English prose, by rules alone. Lives here: joining its parts. Lives elsewhere: names, statements
and their word lists (beside), dates and amounts (core.readings)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from graphmem.adapters.extractor_prose.names import names
from graphmem.adapters.extractor_prose.statements import statements
from graphmem.core.facts import Extracted, Hints, Mention, Place, Sort, tool
from graphmem.core.phrases import phrases
from graphmem.core.readings import readings


class ProseExtractor:
    """Finds names, dates, amounts, key-value statements, and the names that the memory knows already. Precision goes
    before recall."""

    tool = tool("graphmem.prose", "1", {"language": "en"})

    def extract(self, text: str, place: Place, hints: Hints) -> Extracted:
        said = place.of(text)
        measured = [
            Mention(said[r.start : r.end], Sort(r.sort), Place(place.start + r.start, place.start + r.end), r.value)
            for r in readings(said, hints.observed_at)
        ]
        named = [*_known(said, place.start, hints), *names(text, place)]
        return Extracted(
            mentions=_apart([*measured, *sorted(named, key=lambda m: m.place.start - m.place.end)]),
            statements=tuple(statements(text, place, hints)),
        )


def _known(said: str, offset: int, hints: Hints) -> Iterator[Mention]:
    """Names that the memory knows."""
    if hints.known:
        for phrase, start in phrases(said):
            if phrase in hints.known:
                yield Mention(phrase, Sort.THING, Place(offset + start, offset + start + len(phrase)))


def _apart(found: Iterable[Mention]) -> tuple[Mention, ...]:
    """The mentions in reading order; of those that overlap, the earlier in the list stands: a name within a longer name
    is another's."""
    taken: set[int] = set()
    kept = []
    for mention in found:
        here = range(*mention.place)
        if taken.isdisjoint(here):
            taken.update(here)
            kept.append(mention)
    return tuple(sorted(kept, key=lambda m: m.place))
