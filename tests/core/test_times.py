"""The one rule of timestamps: everything is UTC, and what has no offset is taken as UTC."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.core.errors import InvalidInput
from graphmem.core.intervals import TIME_MAX, TIME_MIN
from graphmem.core.times import format_time, parse_time, to_micros

DAY = 86_400_000_000


def test_a_naive_timestamp_is_taken_as_utc() -> None:
    assert parse_time("1970-01-02T00:00:00") == parse_time("1970-01-02T00:00:00Z") == DAY
    assert to_micros(datetime(1970, 1, 2)) == to_micros(datetime(1970, 1, 2, tzinfo=UTC)) == DAY


def test_a_date_alone_is_its_midnight_in_utc() -> None:
    assert parse_time("1970-01-02") == DAY


def test_an_offset_is_converted() -> None:
    assert parse_time("1970-01-02T01:30:00+01:30") == DAY
    assert to_micros(datetime(1970, 1, 1, 19, tzinfo=timezone(timedelta(hours=-5)))) == DAY


def test_microseconds_are_kept_and_space_around_is_not() -> None:
    assert parse_time(" 1970-01-01T00:00:00.000001Z ") == 1


@pytest.mark.parametrize("text", ["", "soon", "2026-13-01", "2026-02-30", "10:00", "1970-01-01T00:00:00+99:00", "0"])
def test_anything_else_is_refused_with_a_hint(text: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        parse_time(text)
    assert "2026-03-02" in refused.value.hint


def test_a_refusal_shows_only_the_beginning_of_what_was_given() -> None:
    with pytest.raises(InvalidInput) as refused:
        parse_time("x" * 10_000)
    assert len(str(refused.value)) < 100


@given(st.datetimes())
def test_what_is_written_reads_back_the_same(moment: datetime) -> None:
    micros = to_micros(moment)
    text = format_time(micros)
    assert micros == TIME_MIN or (text is not None and text.endswith("Z") and parse_time(text) == micros)


def test_open_ends_have_no_timestamp() -> None:
    assert format_time(TIME_MIN) is format_time(TIME_MAX) is None
    assert format_time(TIME_MAX - 1) == "9999-12-31T23:59:59.999999Z"
