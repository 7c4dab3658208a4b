"""Reading git repositories without a git binary. Lives here: the state of a checkout and the files
of a commit, through dulwich. Lives elsewhere: the files of a work tree (walk) and the rules both
share (listing)."""

from __future__ import annotations

import stat
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from dulwich import porcelain
from dulwich.errors import NotGitRepository, RefFormatError
from dulwich.object_store import iter_tree_contents
from dulwich.objects import Blob, Commit, TreeEntry
from dulwich.objectspec import AmbiguousShortId, parse_commit
from dulwich.refs import HEADREF
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
from graphmem.core.errors import InvalidInput, NotFound
from graphmem.core.extraction import SourceFile

_BRANCH_PREFIX = "refs/heads/"


@dataclass(frozen=True, slots=True)
class GitState:
    """A checkout: its top directory (bare: the repository), head commit ("" before the first),
    branch ("" when detached) and whether tracked or unignored files differ from that commit."""

    repository_root: Path
    head: str
    branch: str
    dirty: bool


def describe(root: Path) -> GitState | None:
    """The state of the repository that holds `root`, or None outside of one; the repository isn't
    written to."""
    try:
        repository = Repo.discover(str(root))
    except NotGitRepository:
        return None
    with repository:
        return GitState(
            repository_root=Path(repository.path).resolve(),
            head=_head(repository),
            branch=_branch(repository),
            dirty=not repository.bare and _is_dirty(repository),
        )


def resolve_revision(root: Path, revision: str) -> str:
    """The full commit id of a commit, branch, tag or short id.

    Raises:
        InvalidInput: no repository at `root`, none with commits, or a short id that fits
            several commits.
        NotFound: the repository has no such revision.
    """
    with _open(root) as repository:
        return _commit(repository, revision).id.decode("ascii")


def list_files_at(root: Path, revision: str, *, max_bytes: int = MAX_FILE_BYTES) -> Listing:
    """Read the text files of a commit below `root` from the object store; paths are relative to
    `root`.

    Works on bare repositories and needs nothing checked out. Raises: as `resolve_revision`.
    """
    with _open(root) as repository:
        tree = _commit(repository, revision).tree
        prefix = _prefix(repository, root)
        files: list[SourceFile] = []
        skipped: list[tuple[str, str]] = []
        entries = [
            (path, entry)
            for entry in iter_tree_contents(repository.object_store, tree)
            if (path := _below(prefix, entry)) is not None
        ]
        environments = {
            str(PurePosixPath(path).parent) for path, _ in entries if PurePosixPath(path).name == VENV_MARKER
        }
        for path, entry in entries:
            found = _directory_outcome(path, environments) or (
                path,
                _read(repository, path, entry, max_bytes),
            )
            if isinstance(found[1], SourceFile):
                files.append(found[1])
            else:
                skipped.append((found[0], found[1]))
        return make_listing(files, skipped)


def _open(root: Path) -> Repo:
    try:
        return Repo.discover(str(root))
    except NotGitRepository as error:
        raise InvalidInput(
            f"no git repository at {str(root)!r}",
            hint="leave the revision out to read the directory as it is",
        ) from error


def _commit(repository: Repo, revision: str) -> Commit:
    if not repository.refs.as_dict():
        raise InvalidInput(
            f"the repository at {repository.path!r} has no commits",
            hint="commit something first, or leave the revision out",
        )
    try:
        return parse_commit(repository, revision.encode("utf-8"))
    except AmbiguousShortId as error:
        raise InvalidInput(f"several commits start with {revision!r}", hint="write more digits") from error
    except (KeyError, ValueError, RefFormatError) as error:
        raise NotFound(
            f"no commit, branch or tag {revision!r} in {repository.path!r}",
            hint="a shallow clone lacks older commits",
        ) from error


def _head(repository: Repo) -> str:
    try:
        return repository.head().decode("ascii")
    except KeyError:
        return ""


def _branch(repository: Repo) -> str:
    target = repository.refs.get_symrefs().get(HEADREF, b"").decode("utf-8", "replace")
    return target.removeprefix(_BRANCH_PREFIX) if target.startswith(_BRANCH_PREFIX) else ""


def _is_dirty(repository: Repo) -> bool:
    status = porcelain.status(repository, untracked_files="normal", optional_locks=False)
    return bool(any(status.staged.values()) or status.unstaged or status.untracked)


def _prefix(repository: Repo, root: Path) -> PurePosixPath:
    top = Path(repository.path).resolve()
    place = root.resolve()
    if repository.bare or not place.is_relative_to(top):
        return PurePosixPath()
    return PurePosixPath(place.relative_to(top).as_posix())


def _below(prefix: PurePosixPath, entry: TreeEntry) -> str | None:
    """The entry's path relative to the prefix, None where it lies elsewhere; the prefix itself
    keeps its name."""
    path = PurePosixPath((entry.path or b"").decode("utf-8", "surrogateescape"))
    if not path.is_relative_to(prefix):
        return None
    return path.name if path == prefix else str(path.relative_to(prefix))


def _directory_outcome(path: str, environments: set[str]) -> tuple[str, str] | None:
    """The outermost directory on the way to `path` that is never entered, with the reason."""
    for directory in reversed(PurePosixPath(path).parents[:-1]):
        reason = directory_skip_reason(directory.name)
        if str(directory) in environments:
            reason = "virtual environment"
        if reason is not None:
            return f"{directory}/", reason
    return None


def _read(repository: Repo, path: str, entry: TreeEntry, max_bytes: int) -> SourceFile | str:
    raw = path.encode("utf-8", "surrogateescape")
    if printable_path(raw) is None:
        return "name isn't UTF-8"
    mode = entry.mode or 0
    if not stat.S_ISREG(mode):
        return "symbolic link" if stat.S_ISLNK(mode) else "another git repository"
    try:
        blob = repository.object_store[entry.sha] if entry.sha else None
    except KeyError:
        blob = None
    if not isinstance(blob, Blob):
        return "object missing from the repository"
    data = blob.data
    return size_skip_reason(len(data), max_bytes) or admit(path, data)
