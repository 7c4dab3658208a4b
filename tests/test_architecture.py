"""ARCHITECTURE.md tells the truth: its table lists the parts that exist, and its picture shows the
imports that the code has. Which imports are allowed at all is said by the import contracts in
pyproject.toml.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "graphmem"
PAGE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")

OPENED_UP = ("adapters", "entrances")
"""The parts whose members the table lists one by one."""


def members(folder: Path) -> set[str]:
    """The modules and packages directly inside a package, as the table writes them."""
    modules = {path for path in folder.glob("*.py") if path.name != "__init__.py"}
    packages = {path.parent for path in folder.glob("*/__init__.py")}
    return {path.relative_to(ROOT).as_posix() for path in modules} | {
        f"{path.relative_to(ROOT).as_posix()}/" for path in packages
    }


def existing_parts() -> set[str]:
    return members(PACKAGE).union(*(members(PACKAGE / part) for part in OPENED_UP))


def imported_modules(path: Path) -> Iterator[str]:
    """What a file imports; `from a import b` counts as `a.b`. The linter bans relative imports."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def real_imports() -> set[tuple[str, str]]:
    """Pairs of parts; the front door `graphmem/__init__.py` is no part of its own."""
    parts = {Path(name).stem for name in members(PACKAGE)}
    pairs = {
        (path.relative_to(PACKAGE).parts[0].removesuffix(".py"), module.split(".")[1])
        for path in PACKAGE.rglob("*.py")
        for module in imported_modules(path)
        if module.startswith("graphmem.")
    }
    return {(a, b) for a, b in pairs if a != b and {a, b} <= parts}


def test_table_lists_the_parts_that_exist() -> None:
    listed = re.findall(r"^\| `(graphmem/[^`]+)` \|", PAGE, flags=re.MULTILINE)
    assert sorted(listed) == sorted(existing_parts())


def test_picture_shows_the_imports_that_the_code_has() -> None:
    drawn = re.findall(r"^ +(\w+) --> (\w+)$", PAGE, flags=re.MULTILINE)
    assert sorted(drawn) == sorted(real_imports())
