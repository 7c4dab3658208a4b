"""Python files to entities, edges and passages. Lives here: the way from files to one Extraction.
Lives elsewhere: reading a file (python_syntax), cutting it (python_passages), linking files
(python_resolve, python_links).

A symbol is SCIP-like: `python src.pool/ConnectionPool#release().` names the module by its path from
the repository root."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from graphmem.code.python_facts import FILE
from graphmem.code.python_links import Linker, PythonFile
from graphmem.code.python_modules import module_names
from graphmem.code.python_passages import split
from graphmem.code.python_syntax import read_module
from graphmem.code.spans import LineIndex
from graphmem.core.extraction import Extraction, FoundEntity, Passage, SourceFile


def extract_python(files: Sequence[SourceFile], on_file: Callable[[str], None] | None = None) -> Extraction:
    """Everything found in the Python files of one repository, calls between them resolved by scope
    and import.

    A call that isn't resolved to a definition of these files is an UnresolvedSite. A file that
    can't be parsed gives what can be read of it and an entry in `problems`. `on_file` is told each
    path when the file has been read.

    Raises:
        Unsupported: the Python grammar isn't installed.
    """
    names = module_names(file.path for file in files)
    read: dict[str, PythonFile] = {}
    entities: list[FoundEntity] = []
    passages: list[Passage] = []
    problems: list[tuple[str, str]] = []
    for file in sorted(files, key=lambda file: file.path):
        read[file.path] = found = _read(file, names[file.path])
        entities.extend(_entities(file, found))
        passages.extend(found.passages.passages)
        problems.extend(_problems(found))
        if on_file is not None:
            on_file(file.path)
    linker = Linker(read)
    for path in read:
        linker.link(path)
    return Extraction(
        entities=tuple(entities),
        passages=tuple(passages),
        edges=tuple(linker.edges),
        unresolved=tuple(linker.unresolved),
        problems=tuple(problems),
    )


def _read(file: SourceFile, module: str) -> PythonFile:
    source = file.text.encode("utf-8")
    facts = read_module(file.path, source)
    lines = LineIndex(source)
    passages = split(file.path, source, lines, facts.definitions, module)
    return PythonFile(facts, module, lines, passages)


def _entities(file: SourceFile, found: PythonFile) -> Iterator[FoundEntity]:
    yield FoundEntity(
        symbol=found.symbol(FILE),
        kind="file",
        name=file.path.rpartition("/")[2],
        qualified_name=found.module,
        path=file.path,
        span=found.lines.span(0, len(file.text.encode("utf-8"))),
        content_hash=file.content_hash,
        structural_hash=found.facts.structural_hash,
    )
    for index, definition in enumerate(found.facts.definitions):
        yield FoundEntity(
            symbol=found.symbol(index),
            kind=definition.kind,
            name=definition.name,
            qualified_name=f"{found.module}.{definition.dotted}",
            path=file.path,
            span=found.lines.span(definition.start, definition.end),
            content_hash=definition.content_hash,
            structural_hash=definition.structural_hash,
        )


def _problems(found: PythonFile) -> Iterator[tuple[str, str]]:
    offsets = found.facts.error_offsets
    if offsets:
        line = found.lines.row(offsets[0]) + 1
        more = f" and {len(offsets) - 1} more" if len(offsets) > 1 else ""
        yield found.facts.path, f"syntax error at line {line}{more}"
