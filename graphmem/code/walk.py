"""Reading a work tree. Lives here: the walk over directories with ignore rules, links and errors.
Lives elsewhere: the rules that commits share (listing), commits themselves (git). Ignore patterns
mean what gitignore(5) says, through dulwich."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dulwich.errors import NotGitRepository
from dulwich.ignore import IgnoreFilterManager
from dulwich.repo import Repo

from graphmem.code.listing import (
    MAX_FILE_BYTES,
    VENV_MARKER,
    Listing,
    admit,
    directory_skip_reason,
    make_listing,
    printable_path,
    size_skip_reason,
)
from graphmem.core.errors import NotFound
from graphmem.core.extraction import SourceFile

__all__ = ["Listing", "list_files"]


def list_files(root: Path, *, max_bytes: int = MAX_FILE_BYTES) -> Listing:
    """Read the text files under a directory, or one file; paths are relative to `root` (one file:
    its name).

    Whatever isn't read is in `skipped` with a reason; a directory that isn't entered stands there
    once. Files that a repository tracks are read even where an ignore pattern names them, as git
    does.

    Raises:
        NotFound: nothing exists at `root`.
    """
    if not root.exists():
        raise NotFound(f"no file or directory at {str(root)!r}")
    real = root.resolve()
    if real.is_file():
        outcomes = [(real.name, _read(real, real.name, max_bytes))]
    else:
        outcomes = list(_walk(real, _ignore_rules(real), max_bytes))
    return make_listing(
        (found for _, found in outcomes if isinstance(found, SourceFile)),
        ((path, found) for path, found in outcomes if isinstance(found, str)),
    )


@dataclass(frozen=True, slots=True)
class _IgnoreRules:
    """Ignore patterns with the root's place below them, and what the repository tracks in spite of
    them."""

    patterns: IgnoreFilterManager
    prefix: str
    tracked: frozenset[str]
    in_repository: bool

    def ignores(self, path: str) -> bool:
        full = self.prefix + path
        if full.rstrip("/") in self.tracked:
            return False
        if path.endswith("/"):
            return self.patterns.may_prune_directory(full)
        return bool(self.patterns.is_ignored(full))


def _ignore_rules(root: Path) -> _IgnoreRules:
    try:
        repository = Repo.discover(str(root))
    except NotGitRepository:
        return _plain_rules(root)
    with repository:
        top = Path(repository.path).resolve()
        if repository.bare or not root.is_relative_to(top):
            return _plain_rules(root)
        patterns = IgnoreFilterManager.from_repo(repository)
        prefix = "" if root == top else root.relative_to(top).as_posix() + "/"
        if prefix and patterns.may_prune_directory(prefix):
            return _plain_rules(root)
        return _IgnoreRules(patterns, prefix, _tracked_paths(repository), True)


def _plain_rules(root: Path) -> _IgnoreRules:
    return _IgnoreRules(IgnoreFilterManager(str(root), [], False), "", frozenset(), False)


def _tracked_paths(repository: Repo) -> frozenset[str]:
    """Every path in the index and every directory above one."""
    tracked: set[str] = set()
    for raw in repository.open_index():
        path = os.fsdecode(raw)
        while path and path not in tracked:
            tracked.add(path)
            path = path.rpartition("/")[0]
    return frozenset(tracked)


def _walk(root: Path, rules: _IgnoreRules, max_bytes: int) -> Iterator[tuple[str, SourceFile | str]]:
    pending = [""]
    while pending:
        directory = pending.pop()
        try:
            with os.scandir(root / directory) as listed:
                entries = sorted(listed, key=lambda entry: entry.name)
        except OSError as error:
            yield directory or "./", _unreadable(error)
            continue
        for entry in entries:
            path = directory + entry.name
            if entry.is_dir(follow_symlinks=False):
                reason = _directory_reason(entry, path + "/", rules)
                if reason is None:
                    pending.append(path + "/")
                else:
                    yield _shown(path + "/"), reason
            else:
                yield _shown(path), _file_outcome(root, path, rules, max_bytes)


def _directory_reason(entry: os.DirEntry[str], path: str, rules: _IgnoreRules) -> str | None:
    if printable_path(os.fsencode(path)) is None:
        return "name isn't UTF-8"
    reason = directory_skip_reason(entry.name)
    if reason is not None:
        return reason
    directory = Path(entry.path)
    try:
        if (directory / VENV_MARKER).exists():
            return "virtual environment"
        if rules.in_repository and (directory / ".git").exists():
            return "another git repository"
        return "ignored" if rules.ignores(path) else None
    except OSError as error:
        return _unreadable(error)


def _file_outcome(root: Path, path: str, rules: _IgnoreRules, max_bytes: int) -> SourceFile | str:
    if printable_path(os.fsencode(path)) is None:
        return "name isn't UTF-8"
    try:
        if rules.ignores(path):
            return "ignored"
        place = root / path
        if place.is_symlink():
            reason = _link_reason(root, place)
            if reason is not None:
                return reason
        return _read(place, path, max_bytes)
    except (OSError, RuntimeError) as error:
        return _unreadable(error)


def _link_reason(root: Path, link: Path) -> str | None:
    target = link.resolve()
    if not target.is_relative_to(root):
        return "symbolic link that leaves the tree"
    if not target.exists():
        return "broken symbolic link"
    return "symbolic link to a directory" if target.is_dir() else None


def _read(place: Path, path: str, max_bytes: int) -> SourceFile | str:
    try:
        status = place.stat()
        if not stat.S_ISREG(status.st_mode):
            return "not a regular file"
        return size_skip_reason(status.st_size, max_bytes) or admit(path, place.read_bytes())
    except OSError as error:
        return _unreadable(error)


def _unreadable(error: Exception) -> str:
    return f"unreadable: {type(error).__name__}"


def _shown(path: str) -> str:
    return os.fsencode(path).decode("utf-8", "replace")
