"""A Python file as passages: each line in exactly one, definitions whole, broken files too."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping

from hypothesis import given
from hypothesis import strategies as st

from graphmem.code import extract
from graphmem.core.extraction import Extraction, SourceFile

Found = Callable[[Mapping[str, str]], Extraction]

POOL = '''"""Lends connections."""
import queue

# Builds one.
def make():
    def inner():
        return 1
    return inner

LIMIT = 10

class Pool:
    """A pool."""
    size = 0

    # Gives one back.
    @staticmethod
    def release():
        pass

    idle = 1

    def acquire(self):
        pass


class Lease(Pool): ...
'''


def read(text: str) -> Extraction:
    return extract([SourceFile("src/pool.py", text, "sha256:0")])


def assert_covers(text: str, extraction: Extraction) -> None:
    assert "".join(passage.text for passage in extraction.passages) == text
    source = text.encode()
    for passage in extraction.passages:
        assert source[passage.span.byte_start : passage.span.byte_end] == passage.text.encode()
    anchors = [passage.anchor for passage in extraction.passages]
    assert len(set(anchors)) == len(anchors)
    assert {edge.evidence for edge in extraction.edges} <= {(p.path, p.anchor) for p in extraction.passages}


def test_functions_class_heads_methods_and_module_lines_are_passages() -> None:
    passages = {passage.anchor: passage for passage in read(POOL).passages}
    assert list(passages) == [
        "module", "make().", "module-2", "Pool#", "Pool#release().", "Pool#-2", "Pool#acquire().", "Lease#",
    ]  # fmt: skip
    assert passages["make()."].text.startswith("# Builds one.\ndef make():\n    def inner():")
    assert passages["Pool#"].text == 'class Pool:\n    """A pool."""\n    size = 0\n\n'
    assert passages["Pool#release()."].text.startswith("    # Gives one back.\n    @staticmethod")
    assert passages["Pool#release()."].title == "src.pool.Pool.release"
    assert passages["Pool#-2"].about == "python src.pool/Pool#"
    assert passages["module-2"].about == "python src.pool/"
    assert_covers(POOL, read(POOL))


def test_the_head_of_a_file_stays_with_the_module_even_if_it_is_a_comment() -> None:
    anchors = [passage.anchor for passage in read("# Licence.\n\ndef f(): ...\n").passages]
    assert anchors == ["module", "f()."]


def test_an_edge_points_to_the_passage_that_shows_it() -> None:
    edges = {(edge.type, edge.target): edge for edge in read(POOL).edges}
    inherits = edges["inherits", "python src.pool/Pool#"]
    assert inherits.evidence == ("src/pool.py", "Lease#")
    contains = edges["contains", "python src.pool/Pool#acquire()."]
    assert contains.evidence == ("src/pool.py", "Pool#acquire().")


def test_a_file_that_cannot_be_parsed_is_covered_and_reported() -> None:
    text = "def good():\n    pass\n\ndef broken(:\n    x = (\n\nclass A:\n    def m(self):\n        good()\n"
    extraction = read(text)
    assert_covers(text, extraction)
    assert [path for path, _ in extraction.problems] == ["src/pool.py"]
    assert "line 4" in extraction.problems[0][1]
    assert "python src.pool/good()." in {entity.symbol for entity in extraction.entities}


def test_an_empty_file_is_an_entity_without_passages() -> None:
    extraction = read("")
    assert [entity.kind for entity in extraction.entities] == ["file"]
    assert extraction.passages == ()


def test_deep_nesting_of_any_kind_is_read_without_recursion() -> None:
    deep = 10_000
    texts = [
        "x = " + "(" * deep + ")" * deep,
        "f(" * deep + ")" * deep,
        "x" + ".a" * deep + "()",
        "x" + ".a()" * deep,
        "[" * deep + "x" + "]" * deep + " = y",
        " = ".join(["x"] * deep),
        "lambda: " * deep + "f()",
        "(" * deep,
        "if x: pass\n" + "elif x: pass\n" * deep,
    ]
    for text in texts:
        assert_covers(text, read(text))


def test_nested_definitions_deeper_than_the_stack_are_read() -> None:
    text = "".join(f"{' ' * depth}def f{depth}():\n" for depth in range(1_200)) + " " * 1_200 + "pass\n"
    assert_covers(text, read(text))


LINES = st.lists(
    st.sampled_from([
        "def f():", "    def m(self): f()", "class A:", "class B(A): pass", "    x = 1", "", "# c", "    # c",
        "    @property", "@dec", "x = (", ")", "if x:", "    return 1", '"""', "f()", "else:", "\x0c", "é = 'ß🎉'",
        "from . import a", "import src.pool as p", "        pass", "x = 1; y = 2", "\ufeff", "\\",
    ]),
    max_size=25,
)  # fmt: skip


@given(lines=LINES, ending=st.sampled_from(["\n", "\r\n", "\r"]), last=st.booleans())
def test_every_line_is_in_exactly_one_passage_whatever_the_file_says(lines: list[str], ending: str, last: bool) -> None:
    text = ending.join(lines) + (ending if last else "")
    extraction = read(text)
    assert_covers(text, extraction)
    symbols = [entity.symbol for entity in extraction.entities]
    assert len(set(symbols)) == len(symbols)
    assert {edge.source for edge in extraction.edges} | {edge.target for edge in extraction.edges} <= set(symbols)


def test_a_large_module_is_covered() -> None:
    text = inspect.getsource(typing)
    assert_covers(text, read(text))
