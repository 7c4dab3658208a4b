"""Windows over a long text: together they show every character, and none cuts a sentence that fits the overlap."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from graphmem.core.labelling import Standing
from graphmem.core.views import Held
from graphmem.core.windows import OVERLAP_CHARS, WINDOW_CHARS, Window, window_at
from tests.memories import record

SIZE, OVERLAP = 60, 20


def over(text: str, size: int = SIZE, overlap: int = OVERLAP) -> list[Window]:
    """Every window of a text, each from where the one before ended."""
    held = Held(record(text), Standing((), 0), 1)
    windows = [window_at(held, 0, size, overlap)]
    while not windows[-1].is_last:
        windows.append(window_at(held, windows[-1].end, size, overlap))
    return windows


@given(st.text(alphabet="ab .!?\n。", min_size=1, max_size=600))
def test_windows_cover_a_text_without_a_gap_and_each_gets_on(text: str) -> None:
    windows = over(text)
    assert "".join(text[w.fresh : w.end] for w in windows) == text
    for window in windows:
        assert window.start <= window.fresh < window.end
        assert window.end - window.fresh <= SIZE and window.fresh - window.start <= OVERLAP
        assert window.text == text[window.start : window.end]


def test_a_short_text_is_one_window() -> None:
    (window,) = over("One sentence.")
    assert (window.start, window.text, window.is_last) == (0, "One sentence.", True)


def test_a_window_ends_with_a_paragraph_rather_than_a_sentence_and_with_a_sentence_rather_than_a_word() -> None:
    sentences = "It is so and so it is. " * 6
    assert over(sentences)[0].text.endswith("is. ")
    paragraphs = "It is so. It is so. It is so. It is.\n\nIt is so. It is so. It is so."
    assert over(paragraphs)[0].text.endswith("is.\n\n")
    words = "word " * 30
    assert over(words)[0].text.endswith("word ")
    assert len(over("x" * 200)[0].text) == SIZE


def test_every_sentence_of_prose_stands_whole_in_some_window() -> None:
    sentences = [f"In the year {n} the pump of hall {n * 7} was mended by engineer number {n * 3}." for n in range(900)]
    windows = over(" ".join(sentences), WINDOW_CHARS, OVERLAP_CHARS)
    assert len(windows) > 8
    assert all(any(sentence in window.text for window in windows) for sentence in sentences)


def test_a_window_begins_with_whole_sentences_of_the_one_before() -> None:
    text = "She came late. " * 2_000
    for window in over(text, WINDOW_CHARS, OVERLAP_CHARS)[1:]:
        assert re.match(r"She came late\. ", window.text)
        assert window.fresh - window.start > OVERLAP_CHARS / 2


def test_chinese_sentences_end_windows_too() -> None:
    text = "水泵坏了。" * 40
    assert all(window.text.endswith("。") for window in over(text))
