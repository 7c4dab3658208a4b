"""Which runs of words are worth looking up as names."""

from __future__ import annotations

from graphmem.core.phrases import MOST_WORDS, phrases


def found(text: str) -> list[str]:
    return [phrase for phrase, _ in phrases(text)]


def test_a_phrase_neither_begins_nor_ends_with_a_small_stop_word() -> None:
    assert found("the valve of the pump") == ["valve of the pump", "valve", "pump"]


def test_a_capitalised_stop_word_may_begin_a_name() -> None:
    assert "The Who" in found("we saw The Who")


def test_a_phrase_stays_on_its_line_and_within_its_words() -> None:
    assert found("valve\npump") == ["valve", "pump"]
    assert max(len(phrase.split()) for phrase in found("one two three four five six seven eight")) == MOST_WORDS


def test_a_possessive_is_left_off_and_places_are_those_of_the_text() -> None:
    text = "see Ann's pump"
    assert ("Ann", 4) in list(phrases(text))
    assert all(text[at : at + len(phrase)] == phrase for phrase, at in phrases(text))
