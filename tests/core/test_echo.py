"""What is recognised of a text that comes back."""

from __future__ import annotations

import pytest

from graphmem.core.echo import CITED_AT_MOST, DELIVERED_AT_MOST, Delivered, cited, compared, echoed

ONE, TWO = "r-0123456789abcdef0123", "r-fedcba98765432100000"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"{TWO} says so, and {ONE}; {TWO} again", (TWO, ONE)),
        (f'{{"id":"{ONE}","text":"x"}}', (ONE,)),
        (f"({ONE}).", (ONE,)),
        (f"{ONE}4 is longer than an id", ()),
        (f"under-{ONE}", (ONE,)),
        (f"{ONE[:-1]} is shorter", ()),
        (ONE.upper(), ()),
        ("no id at all", ()),
    ],
)
def test_whole_ids_are_cited_in_order_and_once(text: str, found: tuple[str, ...]) -> None:
    assert cited(text) == found


def test_a_text_of_very_many_ids_cites_a_bounded_number() -> None:
    assert len(cited(" ".join(f"r-{n:020x}" for n in range(1_000)))) == CITED_AT_MOST


def test_only_known_records_are_echoed() -> None:
    assert echoed(f"{TWO} {ONE}", {ONE: 1}) == (ONE,)
    assert echoed(f"{TWO} {ONE}", {ONE, TWO}) == (ONE, TWO)


def test_case_and_gaps_make_no_other_text() -> None:
    assert compared("The  pool\n\thas TEN ") == compared("the pool has ten")
    assert compared("the pool has ten") != compared("the pool has two")


def test_the_oldest_of_too_many_delivered_texts_is_forgotten() -> None:
    delivered = Delivered()
    for n in range(DELIVERED_AT_MOST + 1):
        delivered.note(f"r-{n:020x}", f"text {n}")
    assert delivered.source_of("text 0") == ()
    assert delivered.source_of("TEXT  1") == (f"r-{1:020x}",)


def test_a_text_that_is_delivered_again_is_young_again() -> None:
    delivered = Delivered()
    for n in (*range(DELIVERED_AT_MOST), 0):
        delivered.note(f"r-{n:020x}", f"text {n}")
    delivered.note("r-last", "the last")
    assert delivered.source_of("text 0")
    assert not delivered.source_of("text 1")
