"""The tokenizer port on bpe-openai, which carries the vocabularies of OpenAI models in its wheel,
so nothing is downloaded.

The package takes half a second to import: it is loaded at the first count. It refuses texts of a
million characters or 200,000 tokens, so long texts are counted by stretches; and it is asked for
ordinary encoding, since a record's text may spell a model's control tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from typing import Any

from graphmem.core.errors import InvalidInput, Unsupported

VOCABULARIES = ("o200k_base", "cl100k_base")
STRETCH_CHARS = 40_000  # at 4 bytes a character and a token a byte this stays below 200,000 tokens
KEPT_FOR_LINE = 0.5  # the share of an excerpt that a cut at a line end has to keep
CHARS_PER_TOKEN = 8  # a first guess on the generous side; English prose has about 4.5

# No token of these vocabularies joins a line end with the letter or digit that follows.
_SEAM = re.compile(r"\n(?=[^\W_])")


class BpeTokenizer:
    """Token counts of one vocabulary; a lone surrogate counts as a question mark does.

    Raises:
        InvalidInput: the vocabulary is unknown.
        Unsupported: at the first use, when the package isn't installed.
    """

    def __init__(self, name: str = VOCABULARIES[0]) -> None:
        if name not in VOCABULARIES:
            raise InvalidInput(f"no vocabulary is called {name!r}", hint=f"use one of {', '.join(VOCABULARIES)}")
        self.name = name

    def count(self, text: str) -> int:
        """The number of tokens of the whole text.

        Beyond 40,000 characters without a line end, a forced seam may be off by a few tokens.
        """
        return sum(map(len, self._encoded(text)))

    def excerpt(self, text: str, max_tokens: int) -> str:
        """The longest beginning within `max_tokens`, up to a line end if that keeps half of it."""
        window = max(1, max_tokens * CHARS_PER_TOKEN)
        tokens = self._beginning(text, window)
        while len(tokens) <= max_tokens and window < len(text):
            window *= 2
            tokens = self._beginning(text, window)
        if len(tokens) <= max_tokens:
            return text
        cut = self._length_within(text, tokens, max_tokens)
        line = text.rfind("\n", 0, cut) + 1
        if line >= cut * KEPT_FOR_LINE and self.count(text[:line]) <= max_tokens:
            return text[:line]
        return text[:cut]

    def _beginning(self, text: str, window: int) -> list[int]:
        return list(chain.from_iterable(self._encoded(text[:window])))

    def _length_within(self, text: str, tokens: list[int], max_tokens: int) -> int:
        """Characters of the first tokens, fewer where the cut itself makes more tokens of them."""
        for kept in range(max_tokens, 0, -1):
            raw = b"".join(_encoding(self.name).decode_tokens_bytes(tokens[:kept]))
            length = len(raw.decode("utf-8", "ignore"))
            if self.count(text[:length]) <= max_tokens:
                return length
        return 0

    def _encoded(self, text: str) -> Iterator[list[int]]:
        encode = _encoding(self.name).encode_ordinary
        readable = text.encode("utf-8", "replace").decode("utf-8")
        return (encode(stretch) for stretch in _stretches(readable))


def _stretches(text: str) -> Iterator[str]:
    start = 0
    while len(text) - start > STRETCH_CHARS:
        limit = start + STRETCH_CHARS
        middle = start + STRETCH_CHARS // 2
        seam = next((found.end() for found in _SEAM.finditer(text, middle, limit)), limit)
        yield text[start:seam]
        start = seam
    yield text[start:]


@lru_cache(maxsize=len(VOCABULARIES))
def _encoding(name: str) -> Any:
    try:
        import bpe_openai
    except ImportError as error:
        raise Unsupported("counting tokens needs the bpe-openai package", hint="pip install bpe-openai") from error
    return bpe_openai.get_encoding(name)
