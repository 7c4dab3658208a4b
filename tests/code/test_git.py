"""Reading commits from the object store, with repositories that dulwich makes and no git binary."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from dulwich import porcelain
from dulwich.objects import Blob
from dulwich.repo import Repo

from graphmem.code.git import GitState, describe, list_files_at, resolve_revision
from graphmem.code.walk import list_files
from graphmem.core.errors import InvalidInput, NotFound

Tree = Callable[[Mapping[str, str | bytes]], Path]
AUTHOR = b"Ada <ada@example.org>"


def commit(root: Path, message: str) -> str:
    porcelain.add(root)
    made = porcelain.commit(root, message.encode(), author=AUTHOR, committer=AUTHOR)
    return made.decode()


@pytest.fixture
def repository(tree: Tree) -> Path:
    root = tree({"src/pool.py": "size = 1\n", "README.md": "# Pool\n"})
    Repo.init(root, default_branch=b"main").close()
    return root


def texts(root: Path, revision: str) -> dict[str, str]:
    return {file.path: file.text for file in list_files_at(root, revision).files}


def test_outside_of_a_repository_there_is_no_state(tmp_path: Path) -> None:
    assert describe(tmp_path) is None


def test_a_repository_without_commits_has_no_head_and_no_files_at_a_revision(repository: Path) -> None:
    assert describe(repository) == GitState(repository, "", "main", True)
    with pytest.raises(InvalidInput, match="no commits"):
        list_files_at(repository, "HEAD")


def test_state_names_head_branch_and_whether_the_tree_differs(repository: Path) -> None:
    head = commit(repository, "first")
    assert describe(repository / "src") == GitState(repository, head, "main", False)
    (repository / "src/pool.py").write_text("size = 2\n")
    changed = describe(repository)
    assert changed is not None
    assert changed.dirty


def test_an_untracked_file_makes_a_tree_dirty_and_an_ignored_one_does_not(repository: Path) -> None:
    (repository / ".gitignore").write_text("*.log\n")
    head = commit(repository, "first")
    (repository / "run.log").write_text("noise")
    assert describe(repository) == GitState(repository, head, "main", False)
    (repository / "new.py").write_text("")
    assert describe(repository) == GitState(repository, head, "main", True)


def test_a_clean_checkout_and_its_commit_hold_the_same_files(repository: Path) -> None:
    head = commit(repository, "first")
    assert list_files_at(repository, head).files == list_files(repository).files


def test_commits_branches_tags_and_short_ids_name_revisions(repository: Path) -> None:
    first = commit(repository, "first")
    porcelain.tag_create(repository, b"v1", message=b"one", author=AUTHOR, annotated=True)
    porcelain.branch_create(repository, "früh")
    (repository / "src/pool.py").write_text("size = 2\n")
    second = commit(repository, "second")
    for old in (first, first[:8], "v1", "früh", "refs/tags/v1"):
        assert resolve_revision(repository, old) == first
        assert texts(repository, old)["src/pool.py"] == "size = 1\n"
    for new in (second, "HEAD", "main"):
        assert texts(repository, new)["src/pool.py"] == "size = 2\n"


@pytest.mark.parametrize("revision", ["nosuch", "0" * 40, "abcd", "", "../x", "a b", "HEAD:src", "\0"])
def test_an_unknown_revision_is_not_found(repository: Path, revision: str) -> None:
    commit(repository, "first")
    with pytest.raises(NotFound):
        list_files_at(repository, revision)


def test_a_blob_is_not_a_revision(repository: Path) -> None:
    commit(repository, "first")
    with Repo(str(repository)) as opened:
        blob = Blob.from_string(b"size = 1\n")
        assert blob.id in opened.object_store
    with pytest.raises(NotFound):
        list_files_at(repository, blob.id.decode())


def test_a_plain_directory_has_no_revisions(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no git repository"):
        list_files_at(tmp_path, "HEAD")


def test_a_bare_repository_is_read_like_any_other(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    head = commit(repository, "first")
    bare = tmp_path_factory.mktemp("bare") / "pool.git"
    porcelain.clone(str(repository), str(bare), bare=True).close()
    assert texts(bare, "main") == {"src/pool.py": "size = 1\n", "README.md": "# Pool\n"}
    state = describe(bare)
    assert state is not None
    assert (state.head, state.dirty) == (head, False)


def test_below_a_directory_paths_are_relative_to_it_even_when_it_is_gone(repository: Path) -> None:
    commit(repository, "first")
    assert texts(repository / "src", "HEAD") == {"pool.py": "size = 1\n"}
    (repository / "src/pool.py").unlink()
    (repository / "src").rmdir()
    assert texts(repository / "src", "HEAD") == {"pool.py": "size = 1\n"}
    assert texts(repository / "src/pool.py", "HEAD") == {"pool.py": "size = 1\n"}


def test_what_a_commit_holds_beside_text_is_reported(tree: Tree) -> None:
    root = tree({"a.bin": b"\0", "node_modules/x.js": "", "env/pyvenv.cfg": "", "env/x.py": "", "big.txt": "x" * 99})
    (root / "link.py").symlink_to("a.bin")
    Repo.init(root).close()
    commit(root, "first")
    listing = list_files_at(root, "HEAD", max_bytes=50)
    assert listing.files == ()
    assert listing.skipped == (
        ("a.bin", "binary"),
        ("big.txt", "over 50 bytes"),
        ("env/", "virtual environment"),
        ("link.py", "symbolic link"),
        ("node_modules/", "installed packages"),
    )
