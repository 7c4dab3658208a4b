"""The tokenizer port: how many tokens of a model a text has, and the beginning within so many."""

from __future__ import annotations

from typing import Protocol


class Tokenizer(Protocol):
    """Counts as one named vocabulary does, for any string; a model's control text is plain text."""

    @property
    def name(self) -> str:
        """The vocabulary, as its publisher calls it."""
        ...

    def count(self, text: str) -> int:
        """The number of tokens of the whole text, 0 for an empty one.

        Parts don't add up: tokens merge across a seam.
        """
        ...

    def excerpt(self, text: str, max_tokens: int) -> str:
        """The longest beginning within `max_tokens`, up to a line end if that keeps half of it.

        It ends on a character boundary; empty when not even one character fits.
        """
        ...
