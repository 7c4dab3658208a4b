"""Names of Python modules. Lives here: which module a path is and which file an import means. Lives
elsewhere: what the files say (python_syntax). The rules are those of Python's import system:
packages before modules, a search path of source roots."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from itertools import count

_SUFFIXES = (".py", ".pyi")
_INIT = "__init__"
# Directories that hold packages without being one, by the convention of packaging tools.
_SOURCE_ROOT = "src"


def module_key(path: str) -> str:
    """The path of a module without suffix; a package is its directory, the package at the very top
    is ""."""
    stem = path.rpartition(".")[0]
    directory, _, name = stem.rpartition("/")
    return directory if name == _INIT else stem


def module_names(paths: Iterable[str]) -> dict[str, str]:
    """The dotted module path of each file; of files that share one, all but the first get (+1),
    (+2).

    The first is the one that Python imports: a package before a module, source before stub.
    """
    names: dict[str, str] = {}
    taken: set[str] = set()
    for path in sorted(paths, key=_precedence):
        plain = module_key(path).replace("/", ".") or _INIT
        marked = (f"{plain}(+{number})" for number in count(1))
        name = plain if plain not in taken else next(m for m in marked if m not in taken)
        taken.add(name)
        names[path] = name
    return names


def _precedence(path: str) -> tuple[bool, bool, str]:
    return path.endswith(_SUFFIXES[1]), not _is_package(path), path


def _is_package(path: str) -> bool:
    return path.rpartition("/")[2].partition(".")[0] == _INIT


class ModuleIndex:
    """The modules of one repository: finds what an import in one of its files means.

    A module is named by its key (`module_key`); a directory of modules without __init__ is a
    namespace package and has a key but no file.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        self._files: dict[str, str] = {}
        self._directories: set[str] = {""}
        for path in sorted(paths, key=_precedence):
            self._files.setdefault(module_key(path), path)
            directory = path.rpartition("/")[0]
            while directory not in self._directories:
                self._directories.add(directory)
                directory = directory.rpartition("/")[0]
        self._packages = {key for key, path in self._files.items() if _is_package(path)}
        roots = {self._root_of(key) for key in self._packages}
        sources = {d for d in self._directories if d.rpartition("/")[2] == _SOURCE_ROOT}
        self._roots_of_package: dict[str, list[str]] = {}
        for key in sorted(self._packages):
            directory, _, name = key.rpartition("/")
            if directory in roots | sources:
                self._roots_of_package.setdefault(name, []).append(directory)

    def file(self, key: str) -> str | None:
        """The file of a module, None for a namespace package."""
        return self._files.get(key)

    def child(self, key: str, name: str) -> str | None:
        """The key of a submodule, None where there is none or the module isn't a package."""
        below = _join(key, name.replace(".", "/"))
        return below if self._exists(below) and (key in self._directories) else None

    def resolve(self, importer: str, level: int, module: str) -> str | None:
        """The key of the module that an import in the file `importer` means, None for one outside
        of the repository.

        `level` counts leading dots. An absolute name is looked for beside the importer's own top
        package, then at the top of the repository and in its src directory, then in every other
        source root, where it must be unique. The standard library wins over modules that lie
        anywhere but at the top or in src, and over every namespace package.
        """
        below = module.replace(".", "/")
        if level:
            return self._relative(importer, level, below)
        top = module.partition(".")[0]
        own = self._root_of(module_key(importer))
        standard = top in sys.stdlib_module_names
        for root in ("", _SOURCE_ROOT) if standard else (own, "", _SOURCE_ROOT):
            candidate = _join(root, top)
            found = candidate in self._files if standard else self._exists(candidate)
            if found and root not in self._packages:
                return self._existing(root, below)
        if standard:
            return None
        others = self._roots_of_package.get(top, ())
        return self._existing(others[0], below) if len(others) == 1 else None

    def _relative(self, importer: str, level: int, below: str) -> str | None:
        directory = importer.rpartition("/")[0]
        for _ in range(level - 1):
            if not directory:
                return None
            directory = directory.rpartition("/")[0]
        return self._existing(directory, below) if below else directory

    def _existing(self, root: str, below: str) -> str | None:
        key = _join(root, below)
        return key if self._exists(key) else None

    def _exists(self, key: str) -> bool:
        return key in self._files or key in self._directories

    def _root_of(self, key: str) -> str:
        """The directory that must be on the search path for this module: the one above its top
        package."""
        directory = key if key in self._packages else key.rpartition("/")[0]
        while directory and directory in self._packages:
            directory = directory.rpartition("/")[0]
        return directory


def _join(root: str, below: str) -> str:
    return f"{root}/{below}" if root and below else root or below
