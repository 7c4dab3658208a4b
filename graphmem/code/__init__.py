"""From files to what a memory keeps of them. Lives here: the choice of an extractor by a file's
name, and one result for all files. Lives elsewhere: the extractors (documents, python), reading
files (walk, git)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import PurePosixPath

from graphmem.code.documents import extract_markdown, extract_text
from graphmem.code.python import extract_python
from graphmem.core.extraction import Extraction, SourceFile

# Goes up whenever the same file would give other entities, edges, passages or symbols than before.
EXTRACTOR_VERSION = "1"

_TEXT = "text"
_EXTRACTOR_BY_SUFFIX = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".py": "python",
    ".pyi": "python",
}
_DOCUMENT_EXTRACTORS = {"markdown": extract_markdown, _TEXT: extract_text}


def extractor_name(path: str) -> str:
    """The extractor that a file of this name goes to: python, markdown, or text for everything
    else."""
    return _EXTRACTOR_BY_SUFFIX.get(PurePosixPath(path).suffix.lower(), _TEXT)


def extract(files: Sequence[SourceFile], on_file: Callable[[str], None] | None = None) -> Extraction:
    """Everything found in the files of one repository, each part in its own fixed order.

    Entities, passages and unresolved sites are sorted by path and place, edges by type, source and
    target; the order of `files` makes no difference. `on_file` is told each path when the file has
    been read.

    Raises:
        Unsupported: a grammar isn't installed.
    """
    parts = []
    for file in files:
        found_in_document = _DOCUMENT_EXTRACTORS.get(extractor_name(file.path))
        if found_in_document is not None:
            parts.append(found_in_document(file))
            if on_file is not None:
                on_file(file.path)
    python_files = [file for file in files if extractor_name(file.path) == "python"]
    return _sorted([*parts, extract_python(python_files, on_file)])


def _sorted(parts: Sequence[Extraction]) -> Extraction:
    entities = chain.from_iterable(part.entities for part in parts)
    passages = chain.from_iterable(part.passages for part in parts)
    edges = chain.from_iterable(part.edges for part in parts)
    unresolved = chain.from_iterable(part.unresolved for part in parts)
    problems = chain.from_iterable(part.problems for part in parts)
    return Extraction(
        tuple(sorted(entities, key=lambda e: (e.path, e.span.byte_start if e.span else 0, e.symbol))),
        tuple(sorted(passages, key=lambda p: (p.path, p.span.byte_start))),
        tuple(sorted(edges, key=lambda e: (e.type, e.source, e.target))),
        tuple(sorted(unresolved, key=lambda u: (u.path, u.span.byte_start, u.span.byte_end, u.callee))),
        tuple(sorted(problems)),
    )
