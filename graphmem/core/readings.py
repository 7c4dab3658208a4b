"""Dates and amounts in English prose. Lives here: where they stand and what they come to, as canonical JSON, and
whether a text holds a value. Lives elsewhere: the other things an extractor finds (adapters of ports.extractor).

A date is "YYYY-MM-DD" or "YYYY-MM"; money and quantities are objects of an amount and a currency or unit, as the text
spells it. A relative date has a value only where the time of observation is known.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

from graphmem.core.echo import compared
from graphmem.core.records import canonical

MONTHS = "january february march april may june july august september october november december".split()
WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
DAYS_FROM_NOW = {"today": 0, "yesterday": -1, "tomorrow": 1}
TRUTH = {"true": True, "yes": True, "on": True, "enabled": True, "false": False, "no": False, "off": False}
TRUTH |= {"disabled": False}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

_MONTH = "|".join(f"{m}|{m[:3]}\\.?" if m != "may" else m for m in MONTHS) + r"|sept\.?"
_DAY = r"(?P<d>[0-3]?\d)(?:st|nd|rd|th)?"
_YEAR = r"(?P<y>[12]\d{3})(?![\d-])"
_DATE = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?<![\w/-])(?P<y>[12]\d{3})(?P<s>[-/])(?P<mn>[01]\d)(?P=s)(?P<d>[0-3]\d)(?![\d-])",
        rf"(?<!\w){_DAY}\s(?:of\s)?(?P<m>{_MONTH}),?\s{_YEAR}",
        rf"(?<!\w)(?P<m>{_MONTH})\s{_DAY},\s?{_YEAR}",
        rf"(?<!\w)(?<!\d\s)(?P<m>{_MONTH})\s{_YEAR}",
    )
]
_RELATIVE = re.compile(
    rf"(?<!\w)(?:(?P<near>{'|'.join(DAYS_FROM_NOW)})|(?P<n>\d{{1,3}})\s(?P<unit>day|week)s?\sago|"
    rf"last\s(?P<weekday>{'|'.join(WEEKDAYS)}))(?!\w)",
    re.IGNORECASE,
)
_CLOCK = re.compile(r"(?<!\d)(?P<h>[0-2]?\d):(?P<m>[0-5]\d)(?::[0-5]\d)?\s?(?P<half>[ap]m)?(?!\w)", re.IGNORECASE)

NUMBER = r"(?<![\w.,])-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
_NUMBER = re.compile(rf"{NUMBER}(?![\w]|[.,]\d)")
SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "bn": 10**9, "k": 10**3, "m": 10**6}
_SCALE = rf"(?:\s?(?P<scale>{'|'.join(SCALES)})(?!\w))?"
_AMOUNT = r"(?P<n>(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)"
_CURRENCY = "USD|EUR|GBP|JPY|CHF|CNY|dollars?|euros?|pounds sterling|yen"
_MONEY = [
    re.compile(rf"(?P<c>[$€£¥])\s?{_AMOUNT}{_SCALE}(?!\w|[.,]\d)", re.IGNORECASE),
    re.compile(rf"(?<![\w.,$€£¥]){_AMOUNT}{_SCALE}\s(?P<c>{_CURRENCY})(?!\w)", re.IGNORECASE),
]
UNITS = """%|percent|°C|°F|kg|g|mg|tonnes?|tons?|lbs?|pounds?|oz|ounces?|km/h|mph|km²|km2|km|cm|mm|m|kilomet(?:er|re)s?|
met(?:er|re)s?|miles?|feet|foot|ft|inch(?:es)?|acres?|hectares?|ms|milliseconds?|s|seconds?|minutes?|min|hours?|h|days?|
weeks?|months?|years?|bytes?|kB|KB|MB|GB|TB|KiB|MiB|GiB|Hz|kHz|MHz|GHz|W|kW|MW|kWh|V|mAh|lit(?:er|re)s?|l|ml""".replace(
    "\n", ""
)
# The 1930s are no seconds.
_QUANTITY = re.compile(rf"(?P<n>{NUMBER})(?:[\s-]|(?!s(?!\w)))(?P<u>{UNITS})(?!\w|/)")


class Reading(NamedTuple):
    """A stretch of text that comes to a value: its sort (date, money, quantity), its place in characters, the value as
    canonical JSON."""

    sort: str
    start: int
    end: int
    value: str


def readings(text: str, observed_at: int = 0) -> list[Reading]:
    """Dates, money and quantities in reading order; of two that overlap the one named first here stands."""
    kept: list[Reading] = []
    for found in (*_dates(text, observed_at), *_moneys(text), *_quantities(text)):
        if not any(found.start < other.end and other.start < found.end for other in kept):
            kept.append(found)
    return sorted(kept, key=lambda r: r.start)


def _dates(text: str, observed_at: int) -> Iterator[Reading]:
    for pattern in _DATE:
        for found in pattern.finditer(text):
            if value := _calendar(found):
                yield _reading("date", found, value)
    for found in _RELATIVE.finditer(text) if observed_at else ():
        yield _reading("date", found, _counted(found, (_EPOCH + timedelta(microseconds=observed_at)).date()))


def _reading(sort: str, found: re.Match[str], value: object) -> Reading:
    return Reading(sort, found.start(), found.end(), canonical(value) or "")


def _calendar(found: re.Match[str]) -> str:
    """The date that was matched, or nothing for a 31st of February."""
    parts = found.groupdict()
    month = int(parts["mn"]) if parts.get("mn") else _month(parts["m"])
    try:
        day = date(int(parts["y"]), month, int(parts.get("d") or 1))
    except ValueError:
        return ""
    return day.isoformat() if parts.get("d") else day.isoformat()[:7]


def _month(name: str) -> int:
    return next(n for n, month in enumerate(MONTHS, 1) if month.startswith(name.lower()[:3]))


def _counted(found: re.Match[str], today: date) -> str:
    if near := found["near"]:
        days = DAYS_FROM_NOW[near.lower()]
    elif found["n"]:
        days = -int(found["n"]) * (7 if found["unit"].lower() == "week" else 1)
    else:
        days = -((today.weekday() - WEEKDAYS.index(found["weekday"].lower()) - 1) % 7 + 1)
    return (today + timedelta(days=days)).isoformat()


def moment_in(text: str) -> int:
    """The first calendar date in a text, with the first clock time beside it, in microseconds; 0 without a whole
    date. It is read as UTC."""
    found = next((r for r in readings(text) if r.sort == "date" and len(json.loads(r.value)) > len("YYYY-MM")), None)
    if found is None:
        return 0
    when = datetime.fromisoformat(json.loads(found.value)).replace(tzinfo=UTC)
    clock = _CLOCK.search(text)
    if clock:
        half = (clock["half"] or "").lower()
        hour = int(clock["h"]) % 12 + 12 * (half == "pm") if half else int(clock["h"])
        when += timedelta(hours=hour, minutes=int(clock["m"]))
    return (when - _EPOCH) // timedelta(microseconds=1)


def _moneys(text: str) -> Iterator[Reading]:
    for pattern in _MONEY:
        for found in pattern.finditer(text):
            amount = number(found["n"]) * SCALES.get((found["scale"] or "").lower(), 1)
            yield _reading("money", found, {"amount": _whole(amount), "currency": found["c"]})


def _quantities(text: str) -> Iterator[Reading]:
    for found in _QUANTITY.finditer(text):
        yield _reading("quantity", found, {"amount": number(found["n"]), "unit": found["u"]})


def number(said: str) -> int | float:
    """A number as written, with commas between its thousands."""
    return _whole(float(plain) if "." in (plain := said.replace(",", "")) else int(plain))


def _whole(amount: float) -> int | float:
    return int(amount) if amount == int(amount) else amount


def numbers(text: str) -> list[int | float]:
    """The numbers that stand alone in a text, in reading order."""
    return [number(found[0]) for found in _NUMBER.finditer(text)]


def sort_holds(text: str, sort: str, value: str, observed_at: int) -> bool:
    """Whether a reading of that sort in the text comes to the value."""
    return any(r.sort == sort and r.value == value for r in readings(text, observed_at))


def holds(text: str, value: str, observed_at: int = 0) -> bool:
    """Whether a text says a value (canonical JSON): its words, its number, its truth, or a date or amount of it."""
    said = json.loads(value)
    if any(r.value == value for r in readings(text, observed_at)):
        return True
    return any(isinstance(said, kind) and check(text, said) for kind, check in _HOLDS)


def _says_words(text: str, said: str) -> bool:
    return bool(said.strip()) and re.search(rf"(?<!\w){re.escape(compared(said))}(?!\w)", compared(text)) is not None


_HOLDS: tuple[tuple[type | tuple[type, ...], Callable[..., bool]], ...] = (
    (str, _says_words),
    (bool, lambda text, said: any(TRUTH.get(word) is said for word in re.findall(r"\w+", text.casefold()))),
    ((int, float), lambda text, said: not isinstance(said, bool) and said in numbers(text)),
)
