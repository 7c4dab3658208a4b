"""Python definitions as entities: symbols, kinds, spans and hashes. The oracle for what a file defines is `ast`."""

from __future__ import annotations

import ast
import hashlib
import inspect
import json
import textwrap
from collections.abc import Callable, Mapping
from types import ModuleType

import pytest

from graphmem.core.extraction import Extraction, FoundEntity

Found = Callable[[Mapping[str, str]], Extraction]

POOL = '''"""Lends connections."""

LIMIT = 10


class ConnectionPool:
    """A pool."""

    size = 0

    def acquire(self):
        def wait():
            return 1
        return wait()

    @property
    def idle(self):
        return 0

    class Lease:
        def close(self): ...


async def main():
    class Local:
        def run(self): ...
'''


def by_symbol(extraction: Extraction) -> dict[str, FoundEntity]:
    return {entity.symbol: entity for entity in extraction.entities}


def hashes(found: Found, body: str, symbol: str = "python pool/f().") -> tuple[str, str]:
    entity = by_symbol(found({"pool.py": body}))[symbol]
    return entity.content_hash, entity.structural_hash


def test_symbols_are_made_of_module_path_and_descriptors(found: Found) -> None:
    entities = by_symbol(found({"src/pool.py": POOL}))
    assert {symbol: entity.kind for symbol, entity in entities.items()} == {
        "python src.pool/": "file",
        "python src.pool/LIMIT.": "variable",
        "python src.pool/ConnectionPool#": "class",
        "python src.pool/ConnectionPool#acquire().": "method",
        "python src.pool/ConnectionPool#acquire().wait().": "function",
        "python src.pool/ConnectionPool#idle().": "method",
        "python src.pool/ConnectionPool#Lease#": "class",
        "python src.pool/ConnectionPool#Lease#close().": "method",
        "python src.pool/main().": "function",
        "python src.pool/main().Local#": "class",
        "python src.pool/main().Local#run().": "method",
    }
    acquire = entities["python src.pool/ConnectionPool#acquire()."]
    assert (acquire.name, acquire.qualified_name) == ("acquire", "src.pool.ConnectionPool.acquire")


def test_a_span_covers_the_decorators_and_the_hash_is_of_its_bytes(found: Found) -> None:
    idle = by_symbol(found({"src/pool.py": POOL}))["python src.pool/ConnectionPool#idle()."]
    assert idle.span is not None
    data = POOL.encode()[idle.span.byte_start : idle.span.byte_end]
    assert data == b"@property\n    def idle(self):\n        return 0"
    assert idle.content_hash == "sha256:" + hashlib.sha256(data).hexdigest()
    assert POOL.splitlines()[idle.span.line_start - 1].strip() == "@property"


def test_symbols_do_not_move_with_the_lines(found: Found) -> None:
    before = by_symbol(found({"src/pool.py": POOL})).keys()
    assert by_symbol(found({"src/pool.py": "# moved\n\n\n" + POOL})).keys() == before


def test_a_name_defined_twice_is_two_entities(found: Found) -> None:
    entities = by_symbol(found({"m.py": "def f(): 1\ndef f(): 2\ndef f(): 3\nclass A: 1\nclass A: 2\nf = 1\n"}))
    assert entities.keys() - {"python m/"} == {
        "python m/f().", "python m/f(+1).", "python m/f(+2).", "python m/A#", "python m/A(+1)#", "python m/f.",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("path", "module"),
    [
        ("pool.py", "pool"),
        ("app/__init__.py", "app"),
        ("app/db/pool.pyi", "app.db.pool"),
        ("src/app/pool.py", "src.app.pool"),
        ("__init__.py", "__init__"),
    ],
)
def test_the_module_path_is_the_path_of_the_file(found: Found, path: str, module: str) -> None:
    assert f"python {module}/" in by_symbol(found({path: ""}))


def test_files_that_share_a_module_path_stay_apart(found: Found) -> None:
    entities = by_symbol(found({"a.py": "x = 1", "a/__init__.py": "x = 1", "a.pyi": "x: int"}))
    assert {entity.symbol: entity.path for entity in entities.values() if entity.kind == "file"} == {
        "python a/": "a/__init__.py",
        "python a(+1)/": "a.py",
        "python a(+2)/": "a.pyi",
    }


@pytest.mark.parametrize(
    ("path", "source", "tests"),
    [
        ("test_pool.py", "def test_a(): ...\ndef check(): ...", {"test_a"}),
        ("tests/pool.py", "class Any:\n def test_b(self): ...", {"test_b"}),
        ("pool.py", "class TestPool:\n def test_c(self): ...\n def setup(self): ...", {"test_c"}),
        ("pool.py", "def test_d(): ...\nclass Pool:\n def test_e(self): ...", set()),
        ("test_pool.py", "def outer():\n def test_f(): ...", set()),
    ],
)
def test_a_test_is_known_by_its_name_and_its_place(found: Found, path: str, source: str, tests: set[str]) -> None:
    extraction = found({path: source})
    assert {entity.name for entity in extraction.entities if entity.kind == "test"} == tests


@pytest.mark.parametrize(
    "other",
    [
        "def f(a):\n  # why\n  if a:\n    g( a,1 )\n\n  return {'k' : [a]}  # done\n",
        "def f(a):\n\tif a:\n\t\tg(a,\n# inside\n\t\t  1)\n\treturn {'k':[\n\t a ] }\n",
        "x = 1\n\ndef f(a) :\n    if a :\n        g(a, \\\n 1)\n    return {'k': [a]}\n# after\n",
    ],
)
def test_comments_and_spacing_leave_the_structural_hash_alone(found: Found, other: str) -> None:
    base = "def f(a):\n    if a:\n        g(a, 1)\n    return {'k': [a]}\n"
    assert hashes(found, base)[1] == hashes(found, other)[1]
    assert hashes(found, base)[0] != hashes(found, other)[0]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("def f(a):\n if a:\n  b()\n c()\n", "def f(a):\n if a:\n  b()\n  c()\n"),
        ("def f():\n a\n (b)\n", "def f():\n a(b)\n"),
        ("def f():\n return 'a b'\n", "def f():\n return 'a  b'\n"),
        ("def f():\n return '# a'\n", "def f():\n return '# b'\n"),
        ('def f():\n return f"{x["#a"]}"\n', 'def f():\n return f"{x["#b"]}"\n'),
        ("def f():\n return not a\n", "def f():\n return nota\n"),
        ("@one\ndef f(): 1\n", "@two\ndef f(): 1\n"),
        ("def f(ä): 1\n", "def f(ö): 1\n"),
    ],
)
def test_whatever_changes_the_meaning_changes_the_structural_hash(found: Found, one: str, other: str) -> None:
    assert hashes(found, one)[1] != hashes(found, other)[1]


def test_the_structural_hash_does_not_depend_on_where_the_definition_stands(found: Found) -> None:
    plain = "def f(a):\n    return a\n"
    moved = "import os\nif os:\n    def g(): ...\n    def f(a):\n        return a\nelse:\n    pass\n"
    assert hashes(found, plain)[1] == hashes(found, moved)[1]


def test_every_assignment_to_a_module_variable_counts_in_its_hash(found: Found) -> None:
    one = hashes(found, "LIMIT = 1\nLIMIT = 2\n", "python pool/LIMIT.")
    assert one != hashes(found, "LIMIT = 1\nLIMIT = 3\n", "python pool/LIMIT.")


@pytest.mark.parametrize("module", [ast, inspect, json, textwrap, pytest, hashlib])
def test_definitions_and_their_lines_agree_with_the_standard_parser(found: Found, module: ModuleType) -> None:
    source = inspect.getsource(module)
    expected = {
        (node.name, min([node.lineno, *(d.lineno for d in node.decorator_list)]))
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    }
    entities = found({"module.py": source}).entities
    assert {
        (entity.name, entity.span.line_start)
        for entity in entities
        if entity.kind not in {"file", "variable"} and entity.span
    } == expected
