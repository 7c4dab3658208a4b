"""Reading a work tree: what is read, what is passed over, and that nothing is passed over in silence."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from dulwich import porcelain

from graphmem.code.listing import Listing
from graphmem.code.walk import list_files
from graphmem.core.errors import NotFound

Tree = Callable[[Mapping[str, str | bytes]], Path]


def paths(listing: Listing) -> list[str]:
    return [file.path for file in listing.files]


def test_files_come_sorted_with_the_hash_of_their_bytes(tree: Tree) -> None:
    listing = list_files(tree({"b.py": "x = 'ä'\r\n", "a/z.md": "# Pool\n", "a.txt": ""}))
    assert paths(listing) == ["a.txt", "a/z.md", "b.py"]
    assert listing.files[2].text == "x = 'ä'\r\n"
    assert listing.files[2].content_hash == "sha256:" + hashlib.sha256("x = 'ä'\r\n".encode()).hexdigest()
    assert listing.skipped == ()


def test_an_empty_directory_is_an_empty_listing(tmp_path: Path) -> None:
    assert list_files(tmp_path) == Listing()


def test_a_missing_root_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        list_files(tmp_path / "nowhere")


def test_one_file_can_be_the_root(tree: Tree) -> None:
    root = tree({"src/pool.py": "pool = 1\n", "src/other.py": ""})
    assert paths(list_files(root / "src/pool.py")) == ["pool.py"]


def test_what_is_not_text_is_skipped_with_a_reason(tree: Tree) -> None:
    root = tree({"image.png": b"\x89PNG\0", "latin.txt": b"caf\xe9", "big.txt": "x" * 11, "ok.txt": "y" * 10})
    listing = list_files(root, max_bytes=10)
    assert paths(listing) == ["ok.txt"]
    assert listing.skipped == (
        ("big.txt", "over 10 bytes"),
        ("image.png", "binary"),
        ("latin.txt", "not UTF-8 at byte 3"),
    )


@pytest.mark.parametrize("name", [".git", "node_modules", "__pycache__", ".venv", ".mypy_cache"])
def test_tool_directories_are_reported_once_and_never_entered(tree: Tree, name: str) -> None:
    listing = list_files(tree({f"{name}/one.py": "", f"{name}/two.py": "", "pool.py": ""}))
    assert paths(listing) == ["pool.py"]
    assert [path for path, _ in listing.skipped] == [f"{name}/"]


def test_a_virtual_environment_is_known_by_its_marker_whatever_its_name(tree: Tree) -> None:
    listing = list_files(tree({"my-env/pyvenv.cfg": "home = /usr\n", "my-env/lib/x.py": ""}))
    assert listing == Listing((), (("my-env/", "virtual environment"),))


def test_nested_ignore_files_hold_in_a_plain_directory(tree: Tree) -> None:
    root = tree({
        ".gitignore": "*.log\n!keep.log\n/build/\n",
        "a.log": "", "keep.log": "", "build/x.py": "", "sub/build/x.py": "",
        "sub/.gitignore": "secret.py\n", "sub/secret.py": "", "secret.py": "",
    })  # fmt: skip
    listing = list_files(root)
    assert paths(listing) == [".gitignore", "keep.log", "secret.py", "sub/.gitignore", "sub/build/x.py"]
    assert listing.skipped == (("a.log", "ignored"), ("build/", "ignored"), ("sub/secret.py", "ignored"))


def test_the_ignore_rules_of_the_repository_hold_for_a_directory_inside_it(tree: Tree) -> None:
    root = tree({".gitignore": "/src/generated/\n*.tmp\n", "src/generated/x.py": "", "src/a.tmp": "", "src/b.py": ""})
    porcelain.init(root).close()
    listing = list_files(root / "src")
    assert paths(listing) == ["b.py"]
    assert listing.skipped == (("a.tmp", "ignored"), ("generated/", "ignored"))


def test_a_tracked_file_is_read_even_where_a_pattern_names_it(tree: Tree) -> None:
    root = tree({"dist/kept.py": "x = 1\n", "dist/built.py": ""})
    porcelain.init(root).close()
    porcelain.add(root, [root / "dist/kept.py"])
    (root / ".gitignore").write_text("dist/\n")
    listing = list_files(root)
    assert paths(listing) == [".gitignore", "dist/kept.py"]
    assert (".git/", "version control data") in listing.skipped
    assert ("dist/built.py", "ignored") in listing.skipped


def test_links_are_followed_only_to_files_inside_the_tree(tree: Tree, tmp_path_factory: pytest.TempPathFactory) -> None:
    root = tree({"real.py": "x = 1\n", "sub/y.py": ""})
    outside = tmp_path_factory.mktemp("outside") / "secret.py"
    outside.write_text("password = 1\n")
    (root / "inside.py").symlink_to("real.py")
    (root / "leaves.py").symlink_to(outside)
    (root / "leaves").symlink_to(outside.parent)
    (root / "loop").symlink_to(".")
    (root / "broken.py").symlink_to("gone.py")
    (root / "self.py").symlink_to("self.py")
    listing = list_files(root)
    assert paths(listing) == ["inside.py", "real.py", "sub/y.py"]
    reasons = dict(listing.skipped)
    assert reasons["leaves.py"] == reasons["leaves"] == "symbolic link that leaves the tree"
    assert reasons["loop"] == "symbolic link to a directory"
    assert reasons["broken.py"] == "broken symbolic link"
    assert "self.py" in reasons


def test_a_pipe_is_reported_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert list_files(tmp_path).skipped == (("pipe", "not a regular file"),)


def test_a_file_that_cannot_be_read_is_reported(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tree({"closed.py": "", "open.py": ""})
    read = Path.read_bytes

    def refuse(path: Path) -> bytes:
        if path.name == "closed.py":
            raise PermissionError(13, "no")
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", refuse)
    listing = list_files(root)
    assert paths(listing) == ["open.py"]
    assert listing.skipped == (("closed.py", "unreadable: PermissionError"),)


def test_a_name_that_is_not_text_is_reported(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9.py")).touch()
    assert list_files(tmp_path).skipped == (("caf\ufffd.py", "name isn't UTF-8"),)
