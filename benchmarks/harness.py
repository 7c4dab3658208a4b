"""What the benchmarks share. Lives here: their arguments, their tables, and promises with their goals. Lives elsewhere:
what is measured (the modules beside)."""

from __future__ import annotations

import argparse
import json
import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

WIDTH = 110  # columns of a table, also where there is no terminal
COMPARISONS = {"<=": operator.le, "<": operator.lt, ">=": operator.ge}


@dataclass(frozen=True, slots=True)
class Promise:
    """A figure with what it is meant to reach. Without a goal it is only reported."""

    name: str
    figure: float
    goal: float | None = None
    sense: str = "<="
    note: str = ""

    @property
    def verdict(self) -> str:
        if self.goal is None:
            return ""
        return "ok" if COMPARISONS[self.sense](self.figure, self.goal) else "short"


@dataclass(frozen=True, slots=True)
class Arguments:
    """How a benchmark was asked to run."""

    quick: bool
    data: Path | None
    json: Path | None


def arguments(description: str) -> Arguments:
    """Read the command line that all benchmarks have in common."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--quick", action="store_true", help="smaller sizes, for a run within a minute")
    parser.add_argument("--data", type=Path, help="what to measure on instead of the default")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there")
    found = parser.parse_args()
    return Arguments(found.quick, found.data, found.json)


def show(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table; numbers stand to the right."""
    table = Table(title=title, title_justify="left")
    for place, column in enumerate(columns):
        table.add_column(column, justify="right" if place else "left")
    for row in rows:
        table.add_row(*(cell if isinstance(cell, str) else spelled(cell) for cell in row))
    Console(width=WIDTH).print(table)


def spelled(number: object) -> str:
    """A number with three telling digits, whole numbers with separators."""
    if isinstance(number, int):
        return f"{number:,}"
    return f"{number:,.0f}" if isinstance(number, float) and number >= 100 else f"{number:.3g}"  # noqa: PLR2004


def finish(promises: Sequence[Promise], file: Path | None) -> None:
    """Print each promise with its goal, and write the figures to a file where one was named."""
    show(
        "promises",
        ("promise", "goal", "figure", "", "note"),
        [
            (p.name, "" if p.goal is None else f"{p.sense} {p.goal:g}", spelled(p.figure), p.verdict, p.note)
            for p in promises
        ],
    )
    if file is not None:
        figures = {p.name: round(p.figure, 6) for p in promises}
        file.write_text(json.dumps({"figures": figures}, indent=2) + "\n", encoding="utf-8")
