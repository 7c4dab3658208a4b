"""Timestamps at the edge of the core: text and datetimes to microseconds in UTC and back. The clock itself is a port.

The one stated rule: everything is UTC; a timestamp without an offset is taken as UTC; a date alone is its midnight."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from graphmem.core.errors import InvalidInput
from graphmem.core.intervals import TIME_MAX, TIME_MIN

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def to_micros(moment: datetime) -> int:
    """Microseconds since the epoch; a naive datetime is read as UTC."""
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (moment - _EPOCH) // _MICROSECOND


def parse_time(text: str) -> int:
    """Microseconds of an ISO 8601 date or timestamp. Raises InvalidInput on anything else."""
    try:
        return to_micros(datetime.fromisoformat(text.strip()))
    except (ValueError, OverflowError) as error:
        raise InvalidInput(
            f"not an ISO 8601 time: {text[:40]!r}",
            hint="write 2026-03-02 or 2026-03-02T10:00:00+01:00",
        ) from error


def format_time(micros: int) -> str | None:
    """ISO 8601 in UTC with a Z; None for the open ends TIME_MIN and TIME_MAX."""
    if micros <= TIME_MIN or micros >= TIME_MAX:
        return None
    text = (_EPOCH + timedelta(microseconds=micros)).isoformat()
    return text.replace("+00:00", "Z")
