"""The extractor port: something that finds names, statements, relations or turns in a text. Lives here: the Protocol.
Lives elsewhere: what a find must pass (core.facts), keeping it (core.installing)."""

from __future__ import annotations

from typing import Protocol

from graphmem.core.facts import Extracted, Hints, Place, Tool


class Extractor(Protocol):
    """Finds things in texts; nothing that it says is taken over unchecked."""

    @property
    def tool(self) -> Tool:
        """Its name, version and configuration, as the provenance of each find has them."""
        ...

    def extract(self, text: str, place: Place, hints: Hints) -> Extracted:
        """What it finds in one stretch of a text, with places in the whole text, in reading order. The same text,
        stretch and hints give the same finds. Raises ProviderError when an outside provider fails."""
        ...
