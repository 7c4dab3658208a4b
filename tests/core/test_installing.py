"""Places in characters as bytes and lines, whatever the text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from graphmem.core.facts import Place
from graphmem.core.installing import Ruler

TEXTS = st.text(alphabet="aß語😀\n ", max_size=40)


@given(TEXTS, st.integers(0, 40), st.integers(1, 40))
def test_a_span_cuts_the_same_words_out_of_the_bytes_and_counts_the_lines_before(
    text: str, start: int, size: int
) -> None:
    text += "x"
    place = Place(min(start, len(text) - 1), min(start + size, len(text)))
    if place.start >= place.end:
        return
    span = Ruler(text).span(place)
    assert text.encode()[span.byte_start : span.byte_end].decode() == place.of(text)
    assert span.line_start == text.count("\n", 0, place.start) + 1
    assert span.line_end == max(span.line_start, text.count("\n", 0, place.end - 1) + 1)
