"""Which files are read and which are passed over, and why. Lives here: the listing value and the
rules that a work tree and a commit share. Lives elsewhere: reading a work tree (walk) and reading
commits (git)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from graphmem.code.spans import content_hash
from graphmem.core.extraction import SourceFile

# Two megabytes: above it lie data dumps and generated bundles, hardly ever text that people write.
MAX_FILE_BYTES = 2_000_000

# Directories that tools fill: their contents are copies or caches, never the project's own sources.
_TOOL_DIRECTORIES = {
    **dict.fromkeys((".git", ".hg", ".svn", ".bzr"), "version control data"),
    **dict.fromkeys((".venv", "venv", "site-packages", "__pypackages__"), "virtual environment"),
    **dict.fromkeys(("node_modules", "bower_components"), "installed packages"),
    **dict.fromkeys(("__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache"), "cache"),
    **dict.fromkeys((".hypothesis", ".cache", ".tox", ".nox", ".eggs"), "cache"),
    **dict.fromkeys((".ipynb_checkpoints", ".gradle", ".terraform"), "cache"),
}
# The file that `python -m venv` writes into every environment, whatever the directory is called.
VENV_MARKER = "pyvenv.cfg"


@dataclass(frozen=True, slots=True)
class Listing:
    """Files as read and paths passed over with the reason, both sorted by path; a directory's path
    ends with a slash."""

    files: tuple[SourceFile, ...] = ()
    skipped: tuple[tuple[str, str], ...] = ()


def make_listing(files: Iterable[SourceFile], skipped: Iterable[tuple[str, str]]) -> Listing:
    """A Listing in its fixed order."""
    ordered = sorted(files, key=lambda file: file.path)
    return Listing(tuple(ordered), tuple(sorted(set(skipped))))


def directory_skip_reason(name: str) -> str | None:
    """Why a directory of this name is never entered, or None."""
    return _TOOL_DIRECTORIES.get(name)


def size_skip_reason(size_bytes: int, max_bytes: int) -> str | None:
    """Why a file of this size isn't read, or None."""
    return f"over {max_bytes} bytes" if size_bytes > max_bytes else None


def admit(path: str, data: bytes) -> SourceFile | str:
    """The file as text with its hash, or the reason why its bytes aren't text."""
    if b"\0" in data:
        return "binary"
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        return f"not UTF-8 at byte {error.start}"
    return SourceFile(path, text, content_hash(data))


def printable_path(raw: bytes) -> str | None:
    """The path as text, or None where its bytes aren't UTF-8."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return None
