"""The declared analyzer: the terms of a text, and what of a query is looked up exactly."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.core.analyzer import MAX_TERM_CHARS, analyze, analyze_query, exact_terms, occurrence


@pytest.mark.parametrize(
    ("identifier", "parts"),
    [
        ("test_waiter_notified_on_return", "test waiter notified on return"),
        ("src/pool.py", "src pool py"),
        ("tests/test_pool.py", "tests test_pool test pool py"),
        ("ConnectionPool.release", "connectionpool connection pool release"),
        ("#42", "42"),
        ("10:00", "10 00"),
        ("r17", "r 17"),
        ("QX-1234", "qx 1234"),
        ("user@example.com", "user example com"),
        ("parseURLFast", "parse url fast"),
        ("ALLCAPSWord", "allcaps word"),
        ("HTTPServer2", "http server 2"),
        ("std::vec", "std vec"),
        ("https://example.com/a", "https example com a"),
        ("__init__", "init"),
        ("don't", "don t"),
        ("ПулСоединений", "пул соединений"),
    ],
)
def test_an_identifier_gives_its_whole_and_its_parts(identifier: str, parts: str) -> None:
    terms = [identifier.casefold(), *parts.split()]
    assert analyze(identifier) == terms
    assert analyze(f"({identifier}), and") == [*terms, "and"]


def test_dotted_initials_are_found_without_their_dots() -> None:
    assert analyze("Northwind B.V.") == ["northwind", "b.v", "b", "v", "bv"]
    assert "bv" in analyze("Northwind BV")


def test_plain_words_repeat_as_often_as_they_stand() -> None:
    assert analyze("The pool, the POOL; the Pool.") == ["the", "pool"] * 3


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("café Łódź Đorđe naïve", "cafe lodz dorde naive"),
        ("Straße", "strasse"),
        ("Ærø œuvre", "aero oeuvre"),
        ("\uff30\uff4f\uff4f\uff4c \ufb01le", "pool file"),
        ("it’s", "it's"),
        ("\u0664\u0662", "42"),
        ("soft\u00adhyphen zero\u200bwidth", "softhyphen zero width"),
    ],
)
def test_spellings_of_the_same_word_fold_together(written: str, meant: str) -> None:
    assert analyze(written) == analyze(meant)


def test_letters_of_other_scripts_keep_their_marks() -> None:
    assert analyze("हिन्दी") == ["हिन्दी"]
    assert analyze("مرحبا بالعالم") == ["مرحبا", "بالعالم"]


def test_scripts_without_spaces_give_overlapping_pairs() -> None:
    assert analyze("東京タワーtower") == ["東京", "京タ", "タワ", "ワー", "tower"]
    assert analyze("한국어 中。") == ["한국", "국어", "中"]


def test_emoji_are_terms_whatever_their_skin_or_presentation() -> None:
    assert analyze("ok😀👍🏽") == ["ok", "😀", "👍"]
    assert analyze("☀️") == analyze("☀")
    assert analyze("🇳🇱") == ["🇳🇱"]


def test_control_characters_and_lone_surrogates_separate() -> None:
    assert analyze("a\x00b\x07c\x85d\ud800e") == ["a", "b", "c", "d", "e"]


def test_punctuation_alone_gives_nothing() -> None:
    assert analyze("--- ___ ... __.__ «» ?!") == []


@given(st.text())
def test_a_term_is_never_empty_and_holds_neither_space_nor_control_character(text: str) -> None:
    for term in analyze(text):
        assert term
        assert not any(char.isspace() or unicodedata.category(char) == "Cc" for char in term)
        term.encode()


@given(st.text())
def test_composed_and_decomposed_text_give_the_same_terms(text: str) -> None:
    composed, decomposed = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))
    assert analyze(composed) == analyze(decomposed)


@given(st.text(), st.text())
def test_text_on_both_sides_of_a_line_end_is_independent(left: str, right: str) -> None:
    assert analyze(f"{left}\n{right}") == analyze(left) + analyze(right)


def test_hostile_lengths_stay_quick_and_bounded() -> None:
    for text in ("\u0301\u0323" * 100_000, "a." * 100_000, "a_" * 100_000, "東" * 100_000):
        assert all(len(term) <= MAX_TERM_CHARS for term in analyze(text))
    assert len(analyze("A" * 100_000)[0]) == MAX_TERM_CHARS


def test_a_query_drops_stop_words_and_repeats() -> None:
    assert analyze_query("What is the pool, and which pool?") == ["pool"]
    assert analyze_query("Who is it?") == ["who", "is", "it"]
    assert analyze_query("") == []


@given(st.text())
def test_query_terms_are_terms_of_the_same_text(text: str) -> None:
    assert set(analyze_query(text)) <= set(analyze(text))
    assert bool(analyze_query(text)) == bool(analyze(text))


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("What calls ConnectionPool.release() at r17?", ("ConnectionPool.release", "r17")),
        ("why does notify() hang in src/pool.py", ("notify", "src/pool.py")),
        ('who said "no meetings before 10:00"?', ("no meetings before 10:00",)),
        ("see `foo bar`, 'hi there' and “so be it”", ("foo bar", "hi there", "so be it")),
        ("r-abc123 supersedes #42 and #42", ("r-abc123", "#42")),
        ("QX-1234 of 2026-11-03 10:00", ("QX-1234", "2026-11-03", "10:00")),
        ("is Northwind B.V. a vendor", ("B.V.",)),
        ("_available ./a/b.py .ci/run /etc", ("_available", "./a/b.py", ".ci/run", "/etc")),
        ("parseURL, HTTPServer and snake_case", ("parseURL", "HTTPServer", "snake_case")),
        ("mail user@example.com", ("user@example.com",)),
    ],
)
def test_names_ids_paths_and_quotations_are_looked_up_as_written(query: str, terms: tuple[str, ...]) -> None:
    assert exact_terms(query) == terms


@pytest.mark.parametrize(
    "query",
    [
        "Don't the well-known PDFs say so, e.g. and/or i.e. 3 of them?",
        "a 5\" pipe and a 6\" pipe, O'Brien's and the dogs'",
        "",
        "___ ... # '' \"\"",
    ],
)
def test_prose_has_nothing_to_look_up_exactly(query: str) -> None:
    assert exact_terms(query) == ()


@given(st.text())
def test_an_exact_term_stands_in_the_query_on_one_line(query: str) -> None:
    for term in exact_terms(query):
        assert term in query
        assert term == term.strip()
        assert "\n" not in term


@pytest.mark.parametrize(
    ("term", "text"),
    [
        ("pool.py", "see src/pool.py"),
        ("ConnectionPool", "class connectionpool:"),
        ("connectionpool", "the ConnectionPool"),
        ("release", "pool.release()"),
        ("a phrase of words", "it is a phrase of words here"),
    ],
)
def test_a_text_that_says_a_term_has_one_of_its_occurrences(term: str, text: str) -> None:
    assert any(set(terms) <= set(analyze(text)) for terms in occurrence(term))


@given(st.text(max_size=12), st.text(max_size=12), st.text(max_size=12))
def test_a_text_around_a_term_has_one_of_its_occurrences(before: str, term: str, after: str) -> None:
    found = set(analyze(f"{before} {term} {after}"))
    ways = [set(terms) for terms in occurrence(term) if terms]
    assert not ways or any(way <= found for way in ways)
