"""Authority by configuration: who weighs how much for which keys, and what a key's default is. Lives here: the rules,
their precedence, and reading them from TOML text. Lives elsewhere: the belief rule (core.belief) and the file itself
(wiring).

A pattern is literal text in which `*` stands for any characters, also none, and `?` for exactly one. Of the rules that
match, the most specific decides: most literal characters in the key's pattern, then in the source's, then in the
kind's, then the one that stands first in the file.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

from graphmem.core.belief import Candidate, Voice
from graphmem.core.errors import InvalidInput
from graphmem.core.records import Key, canonical

AUTHORITY_LIMIT = 1_000_000_000  # in either direction; every store keeps such numbers exactly
CONCLUSION = "conclusion"  # the source kind of a record that was never asserted, only concluded
ANY = "*"


class Specificity(NamedTuple):
    """Literal characters of a rule's patterns; the greater decides."""

    key: int
    source: int
    kind: int


@dataclass(frozen=True, slots=True)
class Rule:
    """Sources of a kind whose locator matches have this authority for the keys that match; `line` is its header's."""

    key: str
    source: str
    kind: str
    authority: int
    line: int

    @property
    def specificity(self) -> Specificity:
        return Specificity(_literals(self.key), _literals(self.source), _literals(self.kind))

    def mismatch(self, key: Key, locator: str, kind: str) -> str:
        """The first of key, source and kind that doesn't match, or nothing."""
        asked = {"key": (self.key, str(key)), "source": (self.source, locator), "kind": (self.kind, kind)}
        return next((part for part, (pattern, text) in asked.items() if not matches(pattern, text)), "")


@dataclass(frozen=True, slots=True)
class Default:
    """The value (canonical JSON) of the keys that match, where nothing is believed."""

    key: str
    value: str
    line: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one rule for a key and source: it decides, or why it doesn't."""

    rule: Rule
    decides: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Authority:
    """A configuration: its name for people, its rules and defaults, each most specific first."""

    name: str = ""
    rules: tuple[Rule, ...] = ()
    defaults: tuple[Default, ...] = ()

    def deciding(self, key: Key, locator: str, kind: str) -> Rule | None:
        """The most specific rule that matches."""
        return next((rule for rule in self.rules if not rule.mismatch(key, locator, kind)), None)

    def default(self, key: Key) -> str | None:
        """The declared default of a key, as canonical JSON."""
        return next((d.value for d in self.defaults if matches(d.key, str(key))), None)

    def weigh(self, candidates: Iterable[Candidate], key: Key | None = None) -> tuple[Candidate, ...]:
        """The candidates with the authority that the rules give their sources for a key (default: their own); a source
        that no rule speaks of keeps what it was written with."""
        return tuple(self._weighed(c, key or c.record.key) for c in candidates)

    def _weighed(self, found: Candidate, key: Key | None) -> Candidate:
        if key is None or not self.rules:
            return found
        said = found.voices or (Voice("", CONCLUSION, found.authority, found.observed_at),)
        best = max((self._of(voice, key), voice.observed_at) for voice in said)
        return replace(found, authority=best[0], observed_at=best[1])

    def _of(self, voice: Voice, key: Key) -> int:
        rule = self.deciding(key, voice.locator, voice.kind)
        return voice.authority if rule is None else rule.authority

    def explain(self, key: Key, locator: str, kind: str) -> tuple[Verdict, ...]:
        """Every rule, most specific first, with what became of it."""
        deciding = self.deciding(key, locator, kind)
        return tuple(_verdict(rule, deciding, rule.mismatch(key, locator, kind)) for rule in self.rules)


UNCONFIGURED = Authority()


def _verdict(rule: Rule, deciding: Rule | None, mismatch: str) -> Verdict:
    if mismatch:
        return Verdict(rule, False, f"its {mismatch} doesn't match")
    if deciding is None or rule is deciding:
        return Verdict(rule, True, "the most specific rule that matches")
    pairs = zip(Specificity._fields, rule.specificity, deciding.specificity, strict=True)
    part = next((f"less specific in its {name}" for name, mine, best in pairs if mine != best), "later in the file")
    return Verdict(rule, False, f"{part} than line {deciding.line}")


def _literals(pattern: str) -> int:
    return len(pattern) - pattern.count("*") - pattern.count("?")


def matches(pattern: str, text: str) -> bool:
    """Whether a text is what a pattern stands for."""
    return _compiled(pattern).fullmatch(text) is not None


@lru_cache(maxsize=4_096)
def _compiled(pattern: str) -> re.Pattern[str]:
    parts = re.findall(r"\*+|\?|[^*?]+", pattern)
    return re.compile("".join(".*" if p[0] == "*" else "." if p == "?" else re.escape(p) for p in parts), re.DOTALL)


# Reading.

# The fields of each table: the type of its value, and what it is when it is left out (... for never).
FIELDS: Mapping[str, Mapping[str, tuple[type, Any]]] = {
    "rule": {"key": (str, ANY), "source": (str, ANY), "kind": (str, ANY), "authority": (int, ...)},
    "default": {"key": (str, ...), "value": (object, ...)},
}
TYPE_NAMES = {str: "text", int: "a whole number"}


def parse_authority(text: str, name: str) -> Authority:
    """Read the TOML text of a configuration that people know as `name`.

    Raises InvalidInput, with the name and the line, for what isn't TOML, unknown tables and fields, missing fields,
    values of another type, and two tables that speak of the same.
    """
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        at = re.search(r"line (\d+)", str(error))
        line = int(at[1]) if at else len(text.splitlines())
        raise _wrong(name, line, f"it isn't TOML: {error}", "see the examples in docs/how-to/authority.md") from error
    place = _Place(name, text.splitlines())
    for table, rows in found.items():
        if table not in FIELDS or not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise place.wrong(place.word(table), f"{table!r} isn't a list of rules or defaults", "write [[rule]]")
    rules = [Rule(**row) for row in _tables(place, "rule", found)]
    defaults = [_default(place, row) for row in _tables(place, "default", found)]
    return Authority(
        name,
        tuple(sorted(rules, key=lambda r: r.specificity, reverse=True)),
        tuple(sorted(defaults, key=lambda d: _literals(d.key), reverse=True)),
    )


@dataclass(frozen=True, slots=True)
class _Place:
    """Where in the file something stands, as near as its lines tell."""

    name: str
    lines: list[str]

    def header(self, table: str, index: int) -> int:
        """The line of the index-th [[table]], from 1; that of its first mention where it is written otherwise."""
        pattern = re.compile(rf"\s*\[\[\s*{table}\s*\]\]")
        found = [number for number, line in enumerate(self.lines, 1) if pattern.match(line)]
        return found[index] if index < len(found) else self.word(table)

    def word(self, word: str) -> int:
        return next((number for number, line in enumerate(self.lines, 1) if word in line), 1)

    def field(self, header: int, field: str) -> int:
        """The line below a header that sets a field; the header's where none does."""
        pattern = re.compile(rf"\s*[\"']?{re.escape(field)}[\"']?\s*=")
        for number, line in enumerate(self.lines[header:], header + 1):
            if line.lstrip().startswith("[["):
                break
            if pattern.match(line):
                return number
        return header

    def wrong(self, line: int, what: str, hint: str) -> InvalidInput:
        return _wrong(self.name, line, what, hint)


def _wrong(name: str, line: int, what: str, hint: str) -> InvalidInput:
    return InvalidInput(f"{name}, line {line}: {what}", hint=hint)


def _tables(place: _Place, table: str, found: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The tables of one name, whole and with their lines, each about something of its own."""
    seen: dict[tuple[str, ...], int] = {}
    made = []
    for index, row in enumerate(found.get(table, ())):
        line = place.header(table, index)
        whole = _checked(place, table, row, line)
        about = tuple(whole[field] for field in ("key", "source", "kind") if field in whole)
        if about in seen:
            raise place.wrong(line, f"the {table} of line {seen[about]} speaks of the same", "leave one of them out")
        seen[about] = line
        made.append(whole | {"line": line})
    return made


def _checked(place: _Place, table: str, row: Mapping[str, Any], line: int) -> dict[str, Any]:
    fields = FIELDS[table]
    for field, value in row.items():
        here = place.field(line, field)
        if field not in fields:
            raise place.wrong(here, f"a {table} has no field {field!r}", f"use: {', '.join(fields)}")
        kind = fields[field][0]
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise place.wrong(here, f"{field} must be {TYPE_NAMES[kind]}", f"write: {_example(field)}")
        if value == "" and field != "value":
            raise place.wrong(here, f"{field} is empty", "leave it out, or write * for any")
        if isinstance(value, int) and kind is int and abs(value) > AUTHORITY_LIMIT:
            raise place.wrong(here, f"{field} is out of range", f"use at most {AUTHORITY_LIMIT} in either direction")
    missing = [field for field, (_, default) in fields.items() if default is ... and field not in row]
    if missing:
        raise place.wrong(line, f"the {table} says no {missing[0]}", f"add: {_example(missing[0])}")
    return {field: row.get(field, default) for field, (_, default) in fields.items()}


def _example(field: str) -> str:
    return {"authority": "authority = 10", "value": 'value = "text"'}.get(field, f'{field} = "pattern*"')


def _default(place: _Place, row: Mapping[str, Any]) -> Default:
    try:
        value = canonical(row["value"])
    except InvalidInput as error:
        line = place.field(row["line"], "value")
        raise place.wrong(line, "the value isn't JSON", "give text, a number, a list or a table") from error
    return Default(row["key"], value or "null", row["line"])
