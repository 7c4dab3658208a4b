"""Sources to extract from, and repositories to read, for the tests of code."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from graphmem.code import extract
from graphmem.core.extraction import Extraction, SourceFile


def sources(files: Mapping[str, str]) -> list[SourceFile]:
    """Files as a listing gives them."""
    return [
        SourceFile(path, text, f"sha256:{hashlib.sha256(text.encode()).hexdigest()}") for path, text in files.items()
    ]


@pytest.fixture
def found() -> Callable[[Mapping[str, str]], Extraction]:
    """Extracts from files given as path and text."""
    return lambda files: extract(sources(files))


@pytest.fixture
def tree(tmp_path: Path) -> Callable[[Mapping[str, str | bytes]], Path]:
    """Writes files below a fresh directory and returns it."""

    def write(files: Mapping[str, str | bytes]) -> Path:
        for path, content in files.items():
            place = tmp_path / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content if isinstance(content, bytes) else content.encode())
        return tmp_path

    return write
