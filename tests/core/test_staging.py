"""Staging: the worked arithmetic of the long-term-memory chapter, and envelopes in real tokens."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.adapters.tokenizer_bpe import BpeTokenizer
from graphmem.core.provenance import Span
from graphmem.core.staging import (
    Excerpt,
    Handle,
    Slice,
    Staged,
    merge_overlaps,
    nearest_last,
    stage,
)

TOKENIZER = BpeTokenizer()


@dataclass(frozen=True)
class Record:
    id: str
    text: str

    def with_text(self, text: str) -> Record:
        return replace(self, text=text)


# An arithmetic world: a character is a token; envelopes and metadata cost what is stated.


def stage_characters(bodies: Sequence[int], allowance: int, envelope: int = 128, metadata: int = 64) -> Staged[Record]:
    records = [Record(f"n{i:02}", "x" * body) for i, body in enumerate(bodies)]

    def render(items: Sequence[Record], handles: Sequence[Handle]) -> str:
        return "e" * envelope + "".join("m" * metadata + item.text for item in items)

    return stage(records, render, len, lambda text, limit: text[:limit], allowance)


def test_the_worked_allowance_stages_ten_records_and_leaves_256_tokens() -> None:
    staged = stage_characters([512] * 12, 6_144)
    assert len(staged.items) == 10
    assert (staged.used, staged.remaining) == (5_888, 256)
    assert staged.handles == (Handle("n10", 576), Handle("n11", 576))
    assert staged.partial


def test_sizing_by_bodies_alone_would_have_overshot_by_896() -> None:
    by_bodies = 6_144 // 512
    assert by_bodies == 12
    assert len(stage_characters([512] * by_bodies, 7_040).items) == by_bodies
    assert stage_characters([512] * by_bodies, 7_039).partial
    assert 7_040 - 6_144 == 896


def test_the_exercise_with_a_smaller_call_fits_11_then_9_records() -> None:
    allowance = 16_384 - 1_024 - 11_264
    first = stage_characters([300] * 20, allowance, envelope=96, metadata=60)
    assert (len(first.items), first.remaining) == (11, allowance - 96 - 11 * 360)
    later = stage_characters([300] * 20, allowance - 512, envelope=96, metadata=60)
    assert len(later.items) == 9


def test_a_later_smaller_record_takes_the_room_that_a_larger_one_leaves() -> None:
    staged = stage_characters([100, 250, 50], 300, envelope=10, metadata=10)
    assert [item.id for item in staged.items] == ["n00", "n02"]
    assert staged.handles == (Handle("n01", 260),)


def test_whole_records_keep_their_rank_order() -> None:
    staged = stage_characters([50, 200, 60, 190, 40], 300, envelope=10, metadata=10)
    assert [item.id for item in staged.items] == ["n00", "n01"]
    assert [handle.id for handle in staged.handles] == ["n02", "n03", "n04"]


def test_a_record_too_large_on_its_own_is_shown_as_a_marked_excerpt_with_a_handle() -> None:
    staged = stage_characters([30_000], 1_000)
    (item,) = staged.items
    assert staged.excerpt is not None
    shown = staged.excerpt.bytes_shown
    assert staged.excerpt == Excerpt("n00", shown, 30_000)
    assert item.text == "x" * shown + f"\n[truncated: {shown} of 30000 bytes shown]"
    assert staged.handles == (Handle("n00", 30_064),)
    assert staged.partial
    assert 900 < staged.used <= 1_000


def test_an_excerpt_leaves_half_of_the_room_to_records_that_want_it() -> None:
    staged = stage_characters([30_000, *[100] * 20], 2_128)
    assert staged.excerpt is not None
    assert len(staged.items) == 1 + 1_000 // 164
    generous = stage_characters([30_000, 100], 2_128)
    assert len(generous.items) == 2
    assert generous.remaining < 10


def test_only_the_first_record_that_is_too_large_is_cut() -> None:
    staged = stage_characters([100, 30_000, 30_000], 1_000)
    assert [item.id for item in staged.items] == ["n00", "n01"]
    assert [handle.id for handle in staged.handles] == ["n01", "n02"]


def test_an_excerpt_of_a_few_tokens_is_not_worth_its_place() -> None:
    staged = stage_characters([30_000], 128 + 64 + 50)
    assert (staged.items, staged.excerpt) == ((), None)
    assert staged.handles == (Handle("n00", 30_064),)


def test_less_than_a_bare_envelope_stages_nothing_and_says_what_is_needed() -> None:
    for bodies in ([], [512]):
        staged = stage_characters(bodies, 127)
        assert (staged.items, staged.text, staged.used) == ((), "", 0)
        assert staged.partial
        assert staged.envelope_tokens == 128


def test_everything_fitting_is_not_partial() -> None:
    assert not stage_characters([10, 10], 6_144).partial
    assert not stage_characters([], 128).partial


# The real world: JSON envelopes counted by a real vocabulary.


def envelope(items: Sequence[Record], handles: Sequence[Handle]) -> str:
    return json.dumps(
        {
            "status": "partial" if handles else "complete",
            "items": [{"id": item.id, "content": item.text} for item in items],
            "handles": [{"id": handle.id, "tokens": handle.tokens} for handle in handles],
        },
        indent=1,
    )


def stage_json(texts: Sequence[str], allowance: int) -> Staged[Record]:
    records = [Record(f"r-{i:03}", text) for i, text in enumerate(texts)]
    return stage(records, envelope, TOKENIZER.count, TOKENIZER.excerpt, allowance)


TEXTS = st.lists(st.text(max_size=300) | st.text('ab \n"\\é日👍', max_size=600), max_size=8)


@given(TEXTS, st.integers(-5, 800))
def test_the_final_text_never_exceeds_the_allowance(texts: list[str], allowance: int) -> None:
    staged = stage_json(texts, allowance)
    assert staged.used == TOKENIZER.count(staged.text)
    assert staged.used <= max(0, allowance)
    assert staged.used + staged.remaining == allowance
    assert (staged.text == "") == (allowance < staged.envelope_tokens)


@given(TEXTS, st.integers(0, 800))
def test_every_record_is_staged_whole_or_leaves_a_handle(texts: list[str], allowance: int) -> None:
    staged = stage_json(texts, allowance)
    cut = {staged.excerpt.id} if staged.excerpt else set()
    whole = [item for item in staged.items if item.id not in cut]
    assert all(item.text == texts[int(item.id[2:])] for item in whole)
    names = [item.id for item in whole] + [handle.id for handle in staged.handles]
    assert sorted(names) == [f"r-{i:03}" for i in range(len(texts))]
    assert staged.partial == (len(whole) < len(texts) or allowance < staged.envelope_tokens)


@given(st.lists(st.text(max_size=80), max_size=6))
def test_whatever_fits_together_is_staged_together(texts: list[str]) -> None:
    records = [Record(f"r-{i:03}", text) for i, text in enumerate(texts)]
    needed = TOKENIZER.count(envelope(records, ()))
    assert len(stage_json(texts, needed + 20).items) == len(texts)


def test_as_many_handles_are_listed_as_fit_beside_the_records() -> None:
    staged = stage_json(["word " * 300] * 60, 700)
    assert len(staged.items) == 2
    assert 0 < staged.listed < len(staged.handles) == 58
    assert len(json.loads(staged.text)["handles"]) == staged.listed
    assert staged.remaining < 30


def test_an_excerpt_of_text_that_escaping_swells_still_fits() -> None:
    staged = stage_json(["日本語の文章。" * 500], 300)
    assert staged.excerpt is not None
    assert staged.used <= 300


def test_large_envelopes_are_counted_only_a_few_times() -> None:
    counted: list[int] = []

    def count(text: str) -> int:
        counted.append(len(text))
        return TOKENIZER.count(text)

    records = [Record(f"r-{i:03}", f"fact {i} " * 60) for i in range(200)]
    staged = stage(records, envelope, count, TOKENIZER.excerpt, 6_144)
    assert staged.partial
    assert sum(size > 5_000 for size in counted) <= 20


def test_the_best_stands_last_next_to_the_question() -> None:
    assert nearest_last(["best", "good", "fair"]) == ["fair", "good", "best"]


SOURCE = "def release(self):\n    # jetzt zurück 👍\n    self._available.notify()\n"
RAW = SOURCE.encode()
SIZE = len(RAW)
BOUNDARIES = [at for at in range(SIZE + 1) if RAW[at : at + 1] == b"" or RAW[at] & 0xC0 != 0x80]


def cut(name: str, start: int, end: int, revision: str = "r18", text: str | None = None) -> Slice:
    lines = (RAW[:start].count(b"\n") + 1, RAW[:end].count(b"\n") + 1)
    body = RAW[start:end].decode() if text is None else text
    return Slice((name,), "src/pool.py", revision, Span(start, end, *lines), body)


def test_overlapping_slices_become_one_verbatim_slice_at_the_best_rank() -> None:
    ranked = [cut("c", 50, SIZE), cut("other", 0, 9, "r17"), cut("a", 0, 19), cut("b", 10, 60)]
    merged = merge_overlaps(ranked)
    assert [part.ids for part in merged] == [("a", "b", "c"), ("other",)]
    assert (merged[0].text, merged[0].span) == (SOURCE, Span(0, SIZE, 1, 4))


def test_a_slice_inside_another_adds_its_id_only() -> None:
    merged = merge_overlaps([cut("inner", 4, 11), cut("outer", 0, 30)])
    assert [(part.ids, part.text) for part in merged] == [(("outer", "inner"), cut("", 0, 30).text)]


@pytest.mark.parametrize(
    "other",
    [
        cut("b", 20, 30),
        cut("b", 10, 30, revision="r17"),
        cut("b", 10, 30, text="y" * 20),
        cut("b", 10, 30, text=SOURCE),
    ],
)
def test_slices_that_do_not_meet_or_disagree_stay_apart(other: Slice) -> None:
    assert merge_overlaps([other, cut("a", 0, 19)]) == [other, cut("a", 0, 19)]


RANGES = st.lists(st.tuples(st.sampled_from(BOUNDARIES), st.sampled_from(BOUNDARIES)), max_size=8)


@given(RANGES)
def test_merged_slices_cover_the_same_bytes_once(ranges: list[tuple[int, int]]) -> None:
    slices = [cut(f"s{i}", min(ends), max(ends)) for i, ends in enumerate(ranges)]
    merged = merge_overlaps(slices)
    spans = [(part.span.byte_start, part.span.byte_end) for part in merged]
    covered = [byte for span in spans for byte in range(*span)]
    assert len(covered) == len(set(covered))
    assert set(covered) == {byte for ends in ranges for byte in range(min(ends), max(ends))}
    assert [part.text for part in merged] == [cut("", *span).text for span in spans]
    assert {name for part in merged for name in part.ids} == {part.ids[0] for part in slices}
