"""One call of the command line. Lives here: what every command gets (its output, the memory to open), how a command is
described, and how given words become arguments of Memory. Lives elsewhere: the commands."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from graphmem.core.errors import InvalidInput
from graphmem.entrances.cli.options import Group
from graphmem.entrances.cli.output import Output

if TYPE_CHECKING:
    from graphmem.memory import Memory

STANDARD_INPUT = "-"


@dataclass(frozen=True, slots=True)
class Call:
    """What was asked for on every command: which memory, whose, by whom, and where the answer goes."""

    command: str
    out: Output
    memory: str | None = None
    tenant: str | None = None
    writer: str | None = None

    def open(self, *, policies: Sequence[str] | None = None) -> Memory:
        """The memory, to write to; it is made where there is none."""
        return self._open(create=True, policies=policies)

    def read(self, *, policies: Sequence[str] | None = None) -> Memory:
        """The memory, to ask; asking never makes one."""
        return self._open(create=False, policies=policies)

    def _open(self, *, create: bool, policies: Sequence[str] | None) -> Memory:
        from graphmem.wiring import open_memory

        limits = tuple(policies) if policies else None
        return open_memory(self.memory, tenant=self.tenant, writer=self.writer, policies=limits, create=create)


@dataclass(frozen=True, slots=True)
class Command:
    """A command: its name, what it does (a function that returns the exit code), its options, and one example."""

    name: str
    run: Callable[..., int]
    example: str
    options: Group = ()


def given(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that were given, as Memory's keyword arguments."""
    kept = {name: value for name, value in options.items() if value is not None and value is not False and value != []}
    for name, read in READERS.items():
        if name in kept:
            kept[name] = read(kept[name])
    return kept


def json_or_text(said: str) -> object:
    """The JSON value that the words spell, or else the words."""
    try:
        return json.loads(said, parse_constant=_refuse)
    except ValueError:
        return said


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def commit_or_time(said: str) -> int | str:
    """A commit number where the words are digits alone, else a time."""
    return int(said) if said.isascii() and said.isdigit() else said


def pairs(said: Sequence[str]) -> dict[str, str]:
    """NAME=VALUE words as a mapping. Raises InvalidInput for a word without a name or an equals sign."""
    found = {}
    for word in said:
        name, equals, value = word.partition("=")
        if not (equals and name.strip()):
            raise InvalidInput(f"not a condition: {word[:80]!r}", hint="write --condition NAME=VALUE")
        found[name.strip()] = value
    return found


READERS: Mapping[str, Callable[[Any], object]] = {
    "value": json_or_text,
    "default": json_or_text,
    "known_at": commit_or_time,
    "conditions": pairs,
}


def text_or_input(said: str) -> str:
    """The words, or standard input to its end where they are a lone dash. Raises InvalidInput when it isn't UTF-8."""
    if said != STANDARD_INPUT:
        return said
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput("standard input isn't UTF-8", hint="convert it first, for example with iconv") from error
