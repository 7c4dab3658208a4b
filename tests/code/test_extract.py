"""Which extractor a file goes to, and one result for all files."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from graphmem.code import extract, extractor_name
from graphmem.core.extraction import Extraction, SourceFile

Found = Callable[[Mapping[str, str]], Extraction]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("src/pool.py", "python"),
        ("pool.pyi", "python"),
        ("README.md", "markdown"),
        ("README.MARKDOWN", "markdown"),
        ("README", "text"),
        ("docs.py/notes.rst", "text"),
        ("Makefile", "text"),
        ("pyproject.toml", "text"),
    ],
)
def test_the_name_of_a_file_chooses_the_extractor(path: str, name: str) -> None:
    assert extractor_name(path) == name


def test_every_part_of_the_result_is_in_its_order(found: Found) -> None:
    extraction = found({"z.py": "def b(): a()\ndef a(): b(c)\n", "a.md": "# One\n# Two\n", "m.txt": "m"})
    places = [(entity.path, entity.span.byte_start if entity.span else 0) for entity in extraction.entities]
    assert places == sorted(places)
    starts = [(passage.path, passage.span.byte_start) for passage in extraction.passages]
    assert starts == sorted(starts)
    keys = [(edge.type, edge.source, edge.target) for edge in extraction.edges]
    assert keys == sorted(keys)


def test_progress_is_told_once_for_each_file() -> None:
    told: list[str] = []
    files = [SourceFile(path, "", "") for path in ("b.py", "a.md", "c.txt")]
    extract(files, told.append)
    assert sorted(told) == ["a.md", "b.py", "c.txt"]


def test_no_files_give_nothing() -> None:
    assert extract([]) == Extraction()
