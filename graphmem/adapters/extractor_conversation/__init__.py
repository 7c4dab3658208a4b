"""The extractor for conversations. Lives here: turns with their places, and what an extractor for prose finds in each.
Lives elsewhere: the two forms of transcripts (lines, messages), the rules for prose (behind the port)."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace

from graphmem.adapters.extractor_conversation import lines, messages
from graphmem.adapters.extractor_conversation.replies import with_replies
from graphmem.core.facts import Extracted, Hints, Place, Turn, tool
from graphmem.ports.extractor import Extractor


class ConversationExtractor:
    """Splits transcripts into turns and finds in each what another extractor finds there. A text that is no transcript
    gives nothing."""

    def __init__(self, prose: Extractor) -> None:
        self.prose = prose
        self.tool = tool("graphmem.conversation", "1", [prose.tool.name, prose.tool.version, prose.tool.configuration])

    def extract(self, text: str, place: Place, hints: Hints) -> Extracted:
        turns = transcript(text)
        starts = [turn.place.start for turn in turns]
        first, last = bisect_left(starts, place.start), bisect_left(starts, place.end)
        found = [self._within(text, turn, hints) for turn in turns[first:last]]
        answered = {turn.replies_to for turn in turns[first:last]}
        near = range(first - 1, last + 1)
        return Extracted(
            mentions=tuple(m for each in found for m in each.mentions),
            statements=tuple(s for each in found for s in each.statements),
            turns=tuple(turn for n, turn in enumerate(turns) if n in near or starts[n] in answered),
        )

    def _within(self, text: str, turn: Turn, hints: Hints) -> Extracted:
        """What is found in a turn's words. Where JSON spells them otherwise, mentions are placed at the message."""
        start = text.find(turn.text, turn.place.start, turn.place.end)
        said = replace(hints, observed_at=turn.said_at or hints.observed_at)
        found = self.prose.extract(turn.text, Place(0, len(turn.text)), said)
        if start < 0:
            return Extracted(mentions=tuple(replace(m, place=turn.place) for m in found.mentions))
        return Extracted(
            mentions=tuple(replace(m, place=_at(m.place, start)) for m in found.mentions),
            statements=tuple(
                replace(s, place=_at(s.place, start), about=_at(s.about, start)) for s in found.statements
            ),
        )


def transcript(text: str) -> list[Turn]:
    """The turns of a transcript in either form."""
    found = messages.turns(text)
    return with_replies(lines.turns(text) if found is None else found)


def _at(place: Place, by: int) -> Place:
    return Place(place.start + by, place.end + by)
