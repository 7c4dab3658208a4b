"""What an extractor says stands only where its place holds it."""

from __future__ import annotations

import pytest

from graphmem.core.facts import Extracted, Mention, Place, Related, Sort, Stated, Turn, checked, tool

TEXT = "Ann's car is red. It cost $5 on 3 March 2025. Bob works with Ann. It is true."
WHOLE = Place(0, len(TEXT))


def reasons(*items: Mention | Stated | Related | Turn, text: str = TEXT) -> list[str]:
    found = Extracted(
        mentions=tuple(i for i in items if isinstance(i, Mention)),
        statements=tuple(i for i in items if isinstance(i, Stated)),
        relations=tuple(i for i in items if isinstance(i, Related)),
        turns=tuple(i for i in items if isinstance(i, Turn)),
    )
    return list(checked(found, text).dropped)


@pytest.mark.parametrize(
    "item",
    [
        Mention("Ann", Sort.PERSON, WHOLE),
        Mention("$5", Sort.MONEY, WHOLE, '{"amount":5,"currency":"$"}'),
        Mention("3 March 2025", Sort.DATE, WHOLE, '"2025-03-03"'),
        Stated("Ann", "car", '"red"', WHOLE, WHOLE),
        Stated("Ann", "cost", '{"amount":5,"currency":"$"}', WHOLE, WHOLE),
        Stated("Bob", "it-is", "true", WHOLE, WHOLE),
        Related("Bob", "works_with", "Ann", WHOLE),
        Turn("Ann", "It is true.", WHOLE),
    ],
)
def test_what_its_place_holds_stands(item: Mention | Stated | Related | Turn) -> None:
    assert reasons(item) == []


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        (Mention("Ann", Sort.PERSON, Place(-1, -1)), "no-such-span"),
        (Mention("Ann", Sort.PERSON, Place(0, len(TEXT) + 1)), "no-such-span"),
        (Mention("Ann", Sort.PERSON, Place(3, 3)), "no-such-span"),
        (Mention("Zoe", Sort.PERSON, WHOLE), "name-not-there"),
        (Mention("An", Sort.PERSON, WHOLE), "name-not-there"),
        (Mention("ann", Sort.PERSON, WHOLE), "name-not-there"),
        (Mention("", Sort.PERSON, WHOLE), "name-not-there"),
        (Mention("$5", Sort.MONEY, WHOLE), "value-not-there"),
        (Mention("$5", Sort.MONEY, WHOLE, '{"amount":6,"currency":"$"}'), "value-not-there"),
        (Stated("Ann", "car", '"blue"', WHOLE, WHOLE), "value-not-there"),
        (Stated("Ann", "car", "7", WHOLE, WHOLE), "value-not-there"),
        (Stated("Ann", "car", "false", WHOLE, WHOLE), "value-not-there"),
        (Stated("Ann", "car", "null", WHOLE, WHOLE), "value-not-there"),
        (Stated("Ann", "car", "no json", WHOLE, WHOLE), "value-not-there"),
        (Stated("Ann", "house", '"red"', WHOLE, WHOLE), "attribute-not-there"),
        (Stated("Zoe", "car", '"red"', WHOLE, WHOLE), "name-not-there"),
        (Stated("Ann", "car", '"red"', WHOLE, Place(18, 40)), "name-not-there"),
        (Stated("Ann", "car", '"red"', WHOLE, Place(-1, 3)), "no-such-span"),
        (Stated("Ann#x", "car", '"red"', WHOLE, WHOLE), "name-not-there"),
        (Related("Bob", "works_with", "Zoe", WHOLE), "name-not-there"),
        (Related("Bob", "same_as", "Ann", WHOLE), "not-a-relation"),
        (Related("Bob", "DROP ALL", "Ann", WHOLE), "not-a-relation"),
        (Related("Bob", "works_with", "Bob", WHOLE), "relates-to-itself"),
        (Turn("Ann", "It is false.", WHOLE), "not-verbatim"),
        (Turn("Zoe", "It is true.", WHOLE), "not-verbatim"),
        (Turn("Ann", " ", WHOLE), "says-nothing"),
    ],
)
def test_what_its_place_does_not_hold_is_dropped_with_the_reason(
    item: Mention | Stated | Related | Turn, reason: str
) -> None:
    assert reasons(item) == [reason]


def test_a_key_mark_in_an_entity_makes_no_key() -> None:
    text = "ticket #5's owner is Ann"
    item = Stated("ticket #5", "owner", '"Ann"', Place(0, len(text)), Place(0, len(text)))
    assert reasons(item, text=text) == ["not-a-key"]


def test_what_is_dropped_is_counted() -> None:
    zoe = Mention("Zoe", Sort.PERSON, WHOLE)
    assert checked(Extracted((zoe, zoe)), TEXT).dropped == {"name-not-there": 2}


def test_a_reply_to_what_is_no_turn_is_none_and_neighbours_are_told_by_their_first_words() -> None:
    text = "Ann: one two three four five six seven eight nine\nBob: yes\n"
    first, second = Turn("Ann", text[5:49], Place(0, 49)), Turn("Bob", "yes", Place(50, 58), replies_to=3)
    one, two = checked(Extracted(turns=(first, second)), text).found.turns
    assert (one.near, two.near) == (("Bob: yes",), ("Ann: one two three four five six seven eight",))
    assert two.replies_to == -1


def test_a_tool_has_another_configuration_when_anything_of_it_changes() -> None:
    made = {tool("a", "1", {"x": 1}).configuration, tool("a", "2", {"x": 1}).configuration}
    assert len(made | {tool("a", "1", {"x": 2}).configuration}) == 3
