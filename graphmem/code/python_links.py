"""Edges between the entities of Python files. Lives here: which edges a file's facts give and where
their evidence is. Lives elsewhere: what a name means (python_resolve). Between two entities there
is one edge of a type, shown at its first site."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from graphmem.code.python_facts import CALL, FILE, CallSite, Chain, ImportSite, ModuleFacts
from graphmem.code.python_modules import ModuleIndex
from graphmem.code.python_passages import PassageMap
from graphmem.code.python_resolve import Resolver, Value
from graphmem.code.spans import LineIndex
from graphmem.core.extraction import FoundEdge, UnresolvedSite
from graphmem.core.provenance import Method

# Levels as in the code graph's table of edges: read off the syntax, or resolved by scopes and imports.
_SYNTACTIC = (Method.SYNTACTIC, "L0")
_RESOLVED = (Method.RESOLVED, "L1")


@dataclass(frozen=True, slots=True)
class PythonFile:
    """One file with its dotted module name and everything that was read off it."""

    facts: ModuleFacts
    module: str
    lines: LineIndex
    passages: PassageMap

    def symbol(self, index: int) -> str:
        """The symbol of a definition of this file, or of the file itself for FILE."""
        descriptor = self.facts.definitions[index].descriptor if index != FILE else ""
        return f"python {self.module}/{descriptor}"


class Linker:
    """Collects the edges and the unresolved calls of all files of a repository."""

    def __init__(self, files: Mapping[str, PythonFile]) -> None:
        self._files = files
        self._index = ModuleIndex(files)
        facts = {path: file.facts for path, file in files.items()}
        self._resolver = Resolver(facts, self._index)
        self._edges: dict[tuple[str, str, str], FoundEdge] = {}
        self.unresolved: list[UnresolvedSite] = []

    @property
    def edges(self) -> Iterator[FoundEdge]:
        """The edges so far, in the order in which they were found."""
        yield from self._edges.values()

    def link(self, path: str) -> None:
        """Add the edges that start in one file."""
        file = self._files[path]
        self._link_definitions(file)
        for imported in file.facts.imports:
            self._link_import(file, imported)
        for site in file.facts.calls:
            self._link_call(file, site)

    def _add(
        self,
        file: PythonFile,
        kind: str,
        source: str,
        target: str,
        place: tuple[int, int],
        how: tuple[Method, str] = _RESOLVED,
    ) -> None:
        if (kind, source, target) in self._edges:
            return
        span = file.lines.span(*place)
        path = file.facts.path
        evidence = (path, file.passages.anchor(span.line_start))
        self._edges[kind, source, target] = FoundEdge(kind, source, target, *how, path, span, evidence)

    def _link_definitions(self, file: PythonFile) -> None:
        for index, found in enumerate(file.facts.definitions):
            symbol, place = file.symbol(index), (found.start, found.end)
            self._add(file, "contains", file.symbol(found.parent), symbol, place, _SYNTACTIC)
            if found.kind == "class":
                for base in self._resolver.bases(Value("class", file.facts.path, index)):
                    if base.kind == "class":
                        self._add(file, "inherits", symbol, self._symbol(base), place)

    def _link_import(self, file: PythonFile, site: ImportSite) -> None:
        source, place = file.symbol(FILE), (site.start, site.end)
        path = file.facts.path
        named = site.name if site.name != "*" else ""
        for name in dict.fromkeys(("", named)):
            value = self._resolver.imported(path, site.level, site.module, name)
            target = self._symbol(value)
            if target and target != source:
                self._add(file, "imports", source, target, place)

    def _link_call(self, file: PythonFile, site: CallSite) -> None:
        owner = file.facts.scopes[site.scope].owner
        source, place = file.symbol(owner), (site.start, site.end)
        value = self._resolver.call(file.facts.path, site)
        if value.kind == "unknown":
            span = file.lines.span(*place)
            self.unresolved.append(UnresolvedSite(source, written(site.chain), value.path, file.facts.path, span))
            return
        if value.kind == "class":
            self._add(file, "instantiates", source, self._symbol(value), place)
            value = self._resolver.class_attribute(value, "__init__")
        if value.kind != "function":
            return
        target = self._symbol(value)
        self._add(file, "calls", source, target, place)
        if owner != FILE and file.facts.definitions[owner].kind == "test":
            self._add(file, "tests", source, target, place)

    def _symbol(self, value: Value) -> str:
        """The symbol behind a value, "" where it has none in this repository."""
        if value.kind == "unknown":
            return ""
        path = self._index.file(value.path) if value.kind == "module" else value.path
        return self._files[path].symbol(value.ordinal) if path is not None else ""


def written(chain: Chain) -> str:
    """A chain as it reads in the source, arguments left out."""
    return "".join(part if part == CALL else f".{part}" for part in chain).lstrip(".")
