"""How an answer leaves the command line. Lives here: the three forms (for people at a terminal, plain for pipes and
files, JSON for programs) behind one Output. Lives elsewhere: the words (show) and the documents (shapes)."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from graphmem.entrances.cli.blocks import Block, Line, plain, printable

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.text import Text

SHAPE_VERSION = 1

# What each style of a part looks like at a terminal.
STYLES: Mapping[str, str] = {
    "": "",
    "dim": "dim",
    "edge": "magenta",
    "good": "green",
    "head": "bold",
    "id": "cyan",
    "bad": "red",
    "warn": "yellow",
}


class Form(StrEnum):
    """Who reads: a person at a terminal, a pipe or file (plain ASCII but for record text), or a program."""

    PEOPLE = "people"
    PLAIN = "plain"
    JSON = "json"


class Output:
    """Where a command puts its answer.

    `say(blocks)` shows lines and trees at once and is silent for programs; the renderers of `show` make the blocks,
    lazily. `answer(command, result, blocks)` ends a command: programs get the one JSON document with `result`, people
    the blocks. `wide` adds nothing of its own to foreign text: each part is made harmless on its way out.
    """

    def __init__(self, form: Form, *, colour: bool = True) -> None:
        self.form = form
        self.colour = colour
        self._console: Console | None = None

    @classmethod
    def choose(cls, *, as_json: bool, colour: bool) -> Output:
        """The form that suits where standard output goes; NO_COLOR in the environment speaks against colour."""
        form = Form.JSON if as_json else Form.PEOPLE if sys.stdout.isatty() else Form.PLAIN
        return cls(form, colour=colour and not os.environ.get("NO_COLOR"))

    def say(self, blocks: Iterable[Block]) -> None:
        """Show blocks to people; programs wait for the answer."""
        if self.form is Form.PLAIN:
            for text in plain(blocks):
                sys.stdout.write(text + "\n")
        elif self.form is Form.PEOPLE:
            for block in blocks:
                self.console.print(_rich(block))

    def answer(self, command: str, result: Mapping[str, Any], blocks: Iterable[Block] = ()) -> None:
        """Give the command's answer in the form asked for."""
        if self.form is Form.JSON:
            self.document(command, result=result)
        else:
            self.say(blocks)

    def report(self, command: str, result: Mapping[str, Any], blocks: Iterable[Block], form: str, report: str) -> None:
        """Give the answer, or, where a form for reports was asked for, the report: its text, or within the document."""
        if not form:
            self.answer(command, result, blocks)
        elif self.form is Form.JSON:
            self.document(command, result={"format": form, "text": report, "partial": result["partial"]})
        else:
            sys.stdout.write(report)

    def document(self, command: str, **body: Any) -> None:
        """Print the one JSON document of a command. It is ASCII, so that no terminal or encoding can spoil it."""
        sys.stdout.write(json.dumps({"graphmem": SHAPE_VERSION, "command": command, **body}) + "\n")

    @property
    def console(self) -> Console:
        if self._console is None:
            from rich.console import Console

            self._console = Console(
                color_system="auto" if self.colour else None, markup=False, highlight=False, emoji=False
            )
        return self._console


def _rich(block: Block) -> RenderableType:
    from rich.padding import Padding
    from rich.tree import Tree as RichTree

    if isinstance(block, Line):
        return Padding(_text(block), (0, 0, 0, block.indent), expand=False)
    top = RichTree("", hide_root=True, guide_style="dim")
    above = [top]
    for depth, row in block.clamped().rows:
        del above[depth + 1 :]
        above.append(above[-1].add(_text(row)))
    return top


def _text(row: Line) -> Text:
    from rich.text import Text

    return Text.assemble(*((printable(part.text), STYLES[part.style]) for part in row.parts))
