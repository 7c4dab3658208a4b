"""The prose extractor on sentences whose right answer any reader gives, and on passages that name other passages."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.adapters.extractor_prose import ProseExtractor
from graphmem.core.facts import Extracted, Hints, Place, checked
from graphmem.core.times import parse_time

DATA = Path(__file__).resolve().parents[2] / ".." / "shared" / "data"
MONDAY = parse_time("2025-03-03T09:00:00")


def found(text: str, *, observed_at: int = 0, known: Iterable[str] = ()) -> Extracted:
    """What is found in a text; all of it stands."""
    made = ProseExtractor().extract(text, Place(0, len(text)), Hints(observed_at, frozenset(known)))
    assert checked(made, text, observed_at).dropped == {}
    return made


def names(text: str, **hints: Iterable[str]) -> list[str]:
    return [m.name for m in found(text, **hints).mentions]  # type: ignore[arg-type]


def said(text: str, **hints: int) -> list[tuple[str, str, object]]:
    return [(s.entity, s.attribute, json.loads(s.value)) for s in found(text, **hints).statements]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We met Ann Smith in Oslo.", ["Ann Smith", "Oslo"]),
        ("She studied at the University of Oxford.", ["University of Oxford"]),
        ("It was written by J. R. R. Tolkien.", ["J. R. R. Tolkien"]),
        ("It works with NASA and IBM.", ["NASA", "IBM"]),
        ("In the United States it rains.", ["United States"]),
        ("However, we saw Bob's dog.", ["Bob"]),
        ("Ludwig van Beethoven lived there.", ["Ludwig van Beethoven"]),
        ("They sailed to Żuławy.", ["Żuławy"]),
        ('We saw "The Zoo Story" and "All Mixed Up".', ["The Zoo Story", "All Mixed Up"]),
    ],
)
def test_a_name_is_a_run_of_capitalised_words_and_the_small_words_within(text: str, expected: list[str]) -> None:
    assert names(text) == expected


@pytest.mark.parametrize(
    "text", ["Pools leak.", "The dog barked. Then it slept.", "On Monday we met.", "# Known Limits"]
)
def test_a_capital_that_a_sentence_a_heading_or_the_calendar_asks_for_is_no_name(text: str) -> None:
    assert names(text) == []


@pytest.mark.parametrize(
    "text", ["Python runs. We like Python.", "NASA launched it.", "Ann's dog barked.", "Ann Smith laughed."]
)
def test_a_name_at_the_beginning_of_a_sentence_needs_a_second_sign(text: str) -> None:
    assert names(text)[0] in ("Python", "NASA", "Ann", "Ann Smith")


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("We asked Dr. Ann Smith.", "Ann Smith", "person"),
        ("We asked Acme Ltd. again.", "Acme Ltd.", "organisation"),
        ("We went to Green River.", "Green River", "place"),
        ("We like Banana Boat.", "Banana Boat", "thing"),
    ],
)
def test_a_title_or_an_ending_shows_what_a_name_names(text: str, name: str, kind: str) -> None:
    assert [(m.name, m.sort.value) for m in found(text).mentions] == [(name, kind)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("on 2025-03-03 it", "2025-03-03"),
        ("on 3 March 2025 it", "2025-03-03"),
        ("on the 3rd of March 2025 it", "2025-03-03"),
        ("on March 3, 2025 it", "2025-03-03"),
        ("in March 2025 it", "2025-03"),
        ("at 1:56 pm on 8 May, 2023 it", "2023-05-08"),
        ("on 2023/05/29 (Mon) it", "2023-05-29"),
    ],
)
def test_a_date_comes_to_its_day(text: str, value: str) -> None:
    (mention,) = found(text).mentions
    assert (mention.sort, mention.value) == ("date", f'"{value}"')


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("we met yesterday", "2025-03-02"),
        ("3 days ago it", "2025-02-28"),
        ("2 weeks ago it", "2025-02-17"),
        ("it was last Friday", "2025-02-28"),
        ("it was last Monday", "2025-02-24"),
    ],
)
def test_a_relative_date_counts_from_the_time_of_observation_and_is_none_without(text: str, value: str) -> None:
    assert [m.value for m in found(text, observed_at=MONDAY).mentions] == [f'"{value}"']
    assert [m.value for m in found(text).mentions if m.sort == "date"] == []


def test_a_day_that_no_month_has_is_no_date() -> None:
    assert found("on 31 February 2025 it").mentions == ()


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("it weighs 80 kg now", "quantity", {"amount": 80, "unit": "kg"}),
        ("it takes 1,500.5 ms now", "quantity", {"amount": 1500.5, "unit": "ms"}),
        ("it grew by 12% now", "quantity", {"amount": 12, "unit": "%"}),
        ("it cost $2.5 million now", "money", {"amount": 2_500_000, "currency": "$"}),
        ("it cost 40 euros now", "money", {"amount": 40, "currency": "euros"}),
    ],
)
def test_an_amount_comes_to_a_number_and_its_unit(text: str, kind: str, value: object) -> None:
    (mention,) = found(text).mentions
    assert (mention.sort, json.loads(mention.value or "")) == (kind, value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Northwind's legal name is Northwind B.V.", ("Northwind", "legal-name", "Northwind B.V.")),
        ("The capital of France is Paris.", ("France", "capital", "Paris")),
        ("The size of `pool` is 8.", ("pool", "size", 8)),
        ("Ann's birthday is 3 March 1990.", ("Ann", "birthday", "1990-03-03")),
        ("Ann's favourite colour is dark green.", ("Ann", "favourite-colour", "dark green")),
        ("The timeout of pool.py is 30 s.", ("pool.py", "timeout", {"amount": 30, "unit": "s"})),
    ],
)
def test_a_plain_sentence_gives_key_and_value(text: str, expected: tuple[str, str, object]) -> None:
    assert said(text) == [expected]


def test_lines_under_a_heading_are_about_it() -> None:
    text = "# Pool\n\n- Size: 8\n- **Owner**: Ann Smith\n\n## Valve\n\nOpen: true\n"
    assert said(text) == [("Pool", "size", 8), ("Pool", "owner", "Ann Smith"), ("Valve", "open", True)]


@pytest.mark.parametrize(
    "text",
    [
        "Is Ann's car red?",
        "Ann's car might be red.",
        "Ann's car isn't red.",
        "If Ann's car is red, we go.",
        "Bob said that Ann's car is red.",
        "Ann's car was red.",
        "Ann's car is not red.",
        "Ann's car is in the garage.",
        "Ann's car is red, and Bob's is a long and winding story.",
        "Her car is red.",
        "The owner of it is Ann.",
        "the company's name is Acme.",
        "Size: 8",
        "# Pool\n\nsize: .\n",
        'He wrote: "It is late. The power of Rome is a mighty thing."',
        "Monday's lunch is soup.",
        "# Pool\n\n```\n# Valve\nsize: 8\n```\n",
    ],
)
def test_what_is_asked_hedged_denied_past_reported_or_about_no_certain_thing_states_nothing(text: str) -> None:
    assert said(text) == []


def test_a_decade_is_no_time_in_seconds() -> None:
    assert found("in the 1930s it took 30 s").mentions[0].name == "30 s"


def test_a_name_that_the_memory_knows_is_found_in_small_letters_and_in_statements() -> None:
    assert names("the intake valve of the pool leaks", known=["intake valve", "pool"]) == ["intake valve", "pool"]
    assert [s.entity for s in found("the pool's size is 8", known=["pool"]).statements] == ["pool"]


def test_a_known_name_within_a_longer_name_is_anothers() -> None:
    assert names("We met Paris Hilton.", known=["Paris"]) == ["Paris Hilton"]


def test_a_stretch_has_places_in_the_whole_text() -> None:
    text = "Nothing here.\nWe met Ann Smith."
    (mention,) = ProseExtractor().extract(text, Place(14, len(text)), Hints()).mentions
    assert mention.place.of(text) == "Ann Smith"


HOSTILE = {
    "word": "A" * 20_000,
    "initials": "A " * 10_000,
    "dots": "a.b" * 7_000,
    "statements": "Ann's x is " * 2_000,
    "number": "1,111" * 4_000,
    "headings": "# A\n" * 3_000 + "a: b\n" * 3_000,
    "quotes": '"A' * 10_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_texts_stay_quick(text: str) -> None:
    ProseExtractor().extract(text, Place(0, len(text)), Hints(observed_at=1))


PIECES = [
    "Ann",
    "the",
    "Dr. ",
    "'s",
    " ",
    "\n",
    ". ",
    ": ",
    "# ",
    "```",
    '"',
    " is ",
    "8",
    " kg",
    "$",
    "3 March 2025",
    "é",
    "\u0130",
    "-",
    "*",
]


@given(st.one_of(st.text(max_size=60), st.lists(st.sampled_from(PIECES), max_size=20).map("".join)))
def test_whatever_the_text_every_find_stands(text: str) -> None:
    found(text, observed_at=MONDAY)


@pytest.mark.parametrize(("dataset", "recall"), [("hotpot", 0.85), ("2wiki", 0.85)])
def test_names_of_other_passages_are_found_and_little_else_is_taken_for_them(dataset: str, recall: float) -> None:
    """Right is what stands there: a title of at least two words, letter by letter, each word of it capitalised."""
    path = DATA / "multihop" / dataset / "passages.jsonl.gz"
    if not path.exists():
        pytest.skip(f"no data at {path}")
    passages = [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()[:1_500]]
    titles = {t for p in passages if _PROPER.fullmatch(t := re.sub(r" \([^)]*\)$", "", p["title"]))}
    right: set[tuple[str, str]] = set()
    given: set[tuple[str, str]] = set()
    for p in passages:
        right |= {
            (p["id"], t) for t in titles if t in p["text"] and re.search(rf"(?<!\w){re.escape(t)}(?!\w)", p["text"])
        }
        given |= {(p["id"], m.name) for m in found(p["text"]).mentions if m.name in titles}
    assert len(given & right) / len(given) >= 0.99
    assert len(given & right) / len(right) >= recall


_PROPER = re.compile(r"[^\W\d_a-z][^\W\d_]+(?: [^\W\d_a-z][^\W\d_]+)+")
