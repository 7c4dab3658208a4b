"""Transcripts of both forms, split into turns as whoever wrote them had them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.adapters.extractor_conversation import ConversationExtractor, transcript
from graphmem.adapters.extractor_prose import ProseExtractor
from graphmem.core.facts import Checked, Hints, Place, checked
from graphmem.core.times import format_time

DATA = Path(__file__).resolve().parents[2] / ".." / "shared" / "data"
TALK = ConversationExtractor(ProseExtractor())


def found(text: str) -> Checked:
    return checked(TALK.extract(text, Place(0, len(text)), Hints()), text)


def said(text: str) -> list[tuple[str, str]]:
    return [(turn.speaker, turn.text) for turn in transcript(text)]


def test_a_turn_lasts_to_the_next_speaker_and_keeps_its_lines() -> None:
    first, second = "Hi.\nHow are you?\nIt rains.\n\nNote: I am fine.", "Good.\nIt does.\nIt will.\nSo it goes."
    text = f"Ann: {first}\nBob: {second}\nAnn: Fine.\nBob: Fine."
    assert said(text) == [("Ann", first), ("Bob", second), ("Ann", "Fine."), ("Bob", "Fine.")]


def test_speakers_may_be_marked_or_stamped() -> None:
    text = "**Ann:** Hi.\n**Bob:** Hello.\n"
    assert said(text) == [("Ann", "Hi."), ("Bob", "Hello.")]
    stamped = "[2023-05-08 13:56] Ann: Hi.\nBob (2023-05-08 13:57): Hello."
    assert [format_time(t.said_at) for t in transcript(stamped)] == ["2023-05-08T13:56:00Z", "2023-05-08T13:57:00Z"]


@pytest.mark.parametrize(
    "header",
    [
        "## Session 3, 1:56 pm on 8 May, 2023",
        "Date: 2023-05-08 13:56",
        "[2023/05/08 (Mon) 13:56]",
        "--- 8 May 2023, 13:56 ---",
    ],
)
def test_a_header_gives_its_turns_their_time(header: str) -> None:
    turns = transcript(f"{header}\nAnn: Hi.\nBob: Hello.\n")
    assert [format_time(t.said_at) for t in turns] == ["2023-05-08T13:56:00Z"] * 2


@pytest.mark.parametrize(
    "text",
    [
        "The pool leaks.",
        "# Pool\n\nThe pool is old. It leaks.\n\nSize: 8\n\nMore.\n",
        "see http://a.b\nor: no",
        "[1, 2]",
        "{}",
        "",
    ],
)
def test_a_text_that_is_no_transcript_has_no_turns(text: str) -> None:
    assert transcript(text) == []


def test_messages_are_found_at_any_depth_with_the_time_of_what_they_lie_in() -> None:
    sessions = [
        {"date": "2023/05/08 (Mon) 13:56", "turns": [{"role": "user", "content": 'Hi, "you"\n'}]},
        {
            "date": "2023-05-09",
            "turns": [{"speaker": "Ann", "text": "Größe", "timestamp": "2023-05-09T10:00:00+01:00"}],
        },
    ]
    for spelled in (json.dumps(sessions), json.dumps({"sessions": sessions}, ensure_ascii=False, indent=2)):
        turns = found(spelled).found.turns
        assert [(t.speaker, t.text) for t in turns] == [("user", 'Hi, "you"\n'), ("Ann", "Größe")]
        assert [format_time(t.said_at) for t in turns] == ["2023-05-08T13:56:00Z", "2023-05-09T09:00:00Z"]
        assert json.loads(turns[0].place.of(spelled)) == sessions[0]["turns"][0]  # type: ignore[index]


def test_a_message_replies_to_what_it_names_else_to_the_last_of_somebody_else() -> None:
    chat: list[dict[str, Any]] = [
        {"id": "a", "speaker": "Ann", "text": "1"},
        {"id": "b", "speaker": "Bob", "text": "2"},
        {"id": "c", "speaker": "Bob", "text": "3"},
        {"id": "d", "speaker": "Zoe", "text": "4", "reply_to": "a"},
    ]
    turns = transcript(json.dumps(chat))
    at = {turn.place.start: turn.text for turn in turns}
    assert [at.get(turn.replies_to) for turn in turns] == [None, "1", "1", "1"]


def test_stamped_turns_and_messages_with_times_of_their_own_answer_one_another() -> None:
    lines = "[2023-05-08 13:56] Ann: Hi.\n[2023-05-08 13:57] Bob: Hello.\n"
    messages = json.dumps(
        [
            {"role": "user", "content": "Hi.", "timestamp": "2024-01-02T03:04:00Z"},
            {"role": "assistant", "content": "Hello.", "timestamp": "2024-01-02T03:05:00Z"},
        ]
    )
    for text in (lines, messages):
        first, second = transcript(text)
        assert second.replies_to == first.place.start
        assert second.said_at - first.said_at == 60_000_000


@pytest.mark.parametrize("when", [1704164640, 1704164640.0, 1704164640000, "2024-01-02T03:04:00Z"])
def test_a_time_may_be_seconds_or_milliseconds_since_1970(when: float | str) -> None:
    (turn,) = transcript(json.dumps([{"role": "user", "content": "Hi.", "timestamp": when}]))
    assert format_time(turn.said_at) == "2024-01-02T03:04:00Z"


def test_messages_may_stand_one_a_line() -> None:
    text = '{"role": "user", "content": "Hi."}\n{"role": "assistant", "content": "Hello."}\n'
    assert said(text) == [("user", "Hi."), ("assistant", "Hello.")]


def test_a_turn_answers_what_it_quotes() -> None:
    turns = transcript("Ann: I was in Paris.\nBob: Fine.\nZoe: > I was in Paris.\nReally?\nBob: Yes.\n")
    assert turns[2].replies_to == turns[0].place.start


def test_what_stands_in_an_escaped_message_is_placed_at_the_message() -> None:
    text = json.dumps([{"speaker": "Ann", "text": "Hm.\nWe saw Bob."}, {"speaker": "Bob", "text": "Yes."}])
    bob = next(m for m in found(text).found.mentions if m.name == "Bob")
    assert bob.place.of(text).startswith("{")


HOSTILE = {
    "lists": "[" * 50_000,
    "objects": '[{"a":' * 5_000,
    "turns": "A: b\n" * 5_000,
    "label": "a" * 50_000 + ":",
    "garbage": '{"a":1}}',
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_documents_stay_quick_and_raise_nothing(text: str) -> None:
    transcript(text)


PIECES = [
    "Ann",
    "Bob",
    "user",
    ": ",
    ":",
    "\n",
    "hi",
    " ",
    "[2025-03-03]",
    "## 3 March 2025",
    '{"role":',
    '"content":',
    '"a"',
    "}",
    "[",
    "]",
    ",",
]


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_whatever_the_text_every_turn_stands(text: str) -> None:
    assert found(text).dropped == {}


def _locomo() -> list[dict[str, Any]]:
    path = DATA / "locomo" / "locomo_dev.json.gz"
    if not path.exists():
        pytest.skip(f"no data at {path}")
    found: list[dict[str, Any]] = json.loads(gzip.decompress(path.read_bytes()))
    return found


def test_whole_conversations_come_apart_into_the_turns_they_were_made_of() -> None:
    for conversation in _locomo():
        lines, last = [], 0
        for turn in conversation["turns"]:
            if turn["session"] != last:
                last = turn["session"]
                lines.append(f"## Session {last}, {turn['date']}")
            lines.append(f"{turn['speaker']}: {turn['text']}")
        right = [(t["speaker"], t["text"].strip()) for t in conversation["turns"]]
        assert said("\n".join(lines)) == right
        whole = found(json.dumps(conversation["turns"]))
        assert [(t.speaker, t.text.strip()) for t in whole.found.turns] == right
        assert "not-verbatim" not in whole.dropped


def test_chats_with_an_assistant_come_apart_into_their_messages() -> None:
    path = DATA / "longmemeval" / "lme_oracle97_dev.json.gz"
    if not path.exists():
        pytest.skip(f"no data at {path}")
    for question in json.loads(gzip.decompress(path.read_bytes()))[:10]:
        for session in question["haystack_sessions"]:
            turns = found(json.dumps(session)).found.turns
            assert [(t.speaker, t.text) for t in turns] == [(m["role"], m["content"]) for m in session]
