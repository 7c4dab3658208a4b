"""The bpe-openai tokenizer: the counts of one pass, and excerpts within a number of tokens."""

from __future__ import annotations

import subprocess
import sys

import bpe_openai
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.adapters.tokenizer_bpe import VOCABULARIES, BpeTokenizer
from graphmem.core.errors import InvalidInput
from graphmem.ports.tokenizer import Tokenizer

O200K: Tokenizer = BpeTokenizer()
SENTENCE = "The waiter is notified when a connection returns.\n"


@pytest.mark.parametrize("name", VOCABULARIES)
@given(text=st.text())
def test_counts_are_those_of_the_vocabulary(name: str, text: str) -> None:
    expected = len(bpe_openai.get_encoding(name).encode_ordinary(text))
    assert BpeTokenizer(name).count(text) == expected


def test_the_default_vocabulary_is_o200k() -> None:
    assert O200K.name == "o200k_base"
    assert O200K.count("hello world") == 2
    assert O200K.count("") == 0


def test_stretches_of_a_long_text_add_up_to_its_count_in_one_pass() -> None:
    text = (SENTENCE + "\n    indented = {'a': 1}\r\n/* 日本 */\n") * 2_500
    assert len(text) > 100_000
    assert O200K.count(text) == len(bpe_openai.get_encoding("o200k_base").encode_ordinary(text))


def test_texts_beyond_the_limits_of_the_package_are_counted() -> None:
    assert O200K.count("a" * 1_200_000) == pytest.approx(150_000, rel=0.01)
    assert O200K.count("日本" * 300_000) == pytest.approx(300_000, rel=0.01)


@pytest.mark.parametrize("text", ["a\ud800b", "\x00\x01", "<|endoftext|>", "\ufeff", "\udfff" * 9])
def test_odd_text_is_counted_and_cut_like_any_other(text: str) -> None:
    assert O200K.count(text) > 0
    assert O200K.excerpt(text, 100) == text


def test_control_text_of_a_model_counts_as_the_characters_it_is_spelled_with() -> None:
    assert O200K.count("<|endoftext|>") > 1


@given(st.text(), st.integers(0, 12))
def test_an_excerpt_is_a_beginning_within_the_limit(text: str, limit: int) -> None:
    excerpt = O200K.excerpt(text, limit)
    assert text.startswith(excerpt)
    assert O200K.count(excerpt) <= limit
    assert excerpt == text or O200K.count(text) > limit


def test_an_excerpt_ends_at_a_line_end_where_that_keeps_half_of_it() -> None:
    assert O200K.excerpt(SENTENCE * 3, O200K.count(SENTENCE * 2) + 3) == SENTENCE * 2
    late = O200K.excerpt("a\n" + "word " * 100, 50)
    assert len(late) > len("a\n") * 2


def test_an_excerpt_never_splits_a_character() -> None:
    family = "👩‍👩‍👧‍👦" * 20
    for limit in range(1, 20):
        assert family.startswith(O200K.excerpt(family, limit))


def test_nothing_is_left_where_not_one_character_fits() -> None:
    assert O200K.excerpt("text", 0) == ""
    assert O200K.excerpt("text", -5) == ""


def test_a_huge_text_is_cut_without_reading_all_of_it() -> None:
    excerpt = O200K.excerpt(SENTENCE * 200_000, 100)
    assert excerpt == SENTENCE * (100 // O200K.count(SENTENCE))


def test_an_unknown_vocabulary_is_refused() -> None:
    with pytest.raises(InvalidInput):
        BpeTokenizer("p50k_base")


def test_making_a_tokenizer_does_not_load_the_package() -> None:
    program = (
        "import sys; from graphmem.adapters.tokenizer_bpe import BpeTokenizer; BpeTokenizer();"
        "sys.exit('bpe_openai' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
