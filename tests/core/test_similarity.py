"""How near two texts are is told, and never that they mean the same. The numbers are counted by hand."""

from __future__ import annotations

import pytest

from graphmem.core.similarity import Nearness, similar


def test_shared_terms_over_all_terms() -> None:
    found = similar("red green blue", "red green white", "r-1")
    assert (found.near, found.differs, found.kind) == (2 / 4, ("blue", "white"), Nearness.ALIKE)


def test_case_punctuation_and_little_words_make_no_difference() -> None:
    found = similar("The door is open.", "Door: OPEN!", "r-1")
    assert (found.kind, found.differs) == (Nearness.SAME, ("is", "the"))


@pytest.mark.parametrize(
    ("first", "second", "differs"),
    [
        ("No meetings before 10:00.", "No meetings before 11:00.", "11"),
        ("Notify me of failures.", "Do not notify me of failures.", "not"),
        ("No deploys.", "No deploys, only on Fridays.", "only"),
    ],
)
def test_a_number_a_denial_or_an_exception_turns_the_meaning(first: str, second: str, differs: str) -> None:
    found = similar(first, second, "r-1")
    assert found.kind is Nearness.TURNED
    assert differs in found.differs


def test_a_text_without_terms_is_near_to_nothing_but_its_like() -> None:
    assert similar("!", "?", "r-1").near == 1
    assert similar("!", "word", "r-1").near == 0
