"""Which calls are resolved, to what, and why the others aren't. The rule under test: never by name alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from graphmem.core.extraction import Extraction
from graphmem.core.provenance import Method

Found = Callable[[Mapping[str, str]], Extraction]

POOL = """\
class Base:
    def close(self): ...

class ConnectionPool(Base):
    def __init__(self, size): self.size = size
    def acquire(self): ...
    def release(self, item):
        self.check(item)
        self.close()
    def check(self, item): ...
    @classmethod
    def small(cls): return cls(1)
    @staticmethod
    def log(): ...
    @property
    def idle(self): ...

def make(): return ConnectionPool(4)
"""


def edges(extraction: Extraction, kind: str) -> set[tuple[str, str]]:
    """Source and target of the edges of a type, by qualified name."""
    names = {entity.symbol: entity.qualified_name for entity in extraction.entities}
    return {(names[edge.source], names[edge.target]) for edge in extraction.edges if edge.type == kind}


def calls(extraction: Extraction, source: str) -> set[str]:
    return {target for origin, target in edges(extraction, "calls") if origin == source}


def reasons(extraction: Extraction) -> dict[str, str]:
    return {site.callee: site.reason for site in extraction.unresolved}


def test_self_reaches_the_class_and_its_bases(found: Found) -> None:
    extraction = found({"src/pool.py": POOL})
    assert calls(extraction, "src.pool.ConnectionPool.release") == {
        "src.pool.ConnectionPool.check",
        "src.pool.Base.close",
    }
    assert edges(extraction, "inherits") == {("src.pool.ConnectionPool", "src.pool.Base")}


def test_a_class_that_is_called_is_instantiated_and_its_initialiser_called(found: Found) -> None:
    extraction = found({"src/pool.py": POOL})
    assert ("src.pool.make", "src.pool.ConnectionPool") in edges(extraction, "instantiates")
    assert ("src.pool.ConnectionPool.small", "src.pool.ConnectionPool") in edges(extraction, "instantiates")
    assert calls(extraction, "src.pool.make") == {"src.pool.ConnectionPool.__init__"}


@pytest.mark.parametrize(
    "line",
    [
        "from src.pool import ConnectionPool; ConnectionPool(1).release(2)",
        "from src.pool import ConnectionPool as P; p = P(1); p.release(2)",
        "import src.pool; p = src.pool.ConnectionPool(1); p.release(2)",
        "import src.pool as pools; pools.ConnectionPool.release(p, 2)",
        "from src import pool; p: object = pool.ConnectionPool(1); p.release(2)",
        "from src.pool import *; p = ConnectionPool(1); p.release(2)",
        "from src.api import Pool; p = Pool(1); [p.release(x) for x in y]",
        "from src import api as a, pool as b; p = a.Pool(1); p.release(2)",
    ],
)
def test_a_method_is_found_through_every_form_of_import(found: Found, line: str) -> None:
    files = {"src/pool.py": POOL, "src/api.py": "from .pool import ConnectionPool as Pool", "use.py": line}
    assert "src.pool.ConnectionPool.release" in calls(found(files), "use")


def test_relative_imports_and_re_exports_lead_to_the_definition(found: Found) -> None:
    extraction = found({
        "app/__init__.py": "from .db import make, Pool",
        "app/db/__init__.py": "from .pool import *\nfrom . import pool",
        "app/db/pool.py": "__all__ = ['make', 'Pool', '_hidden']\ndef make(): ...\ndef _hidden(): ...\nclass Pool: ...",
        "app/web/view.py": "from .. import make\nfrom ..db import pool, _hidden\ndef f():\n make()\n pool.Pool()\n"
        " _hidden()",
    })  # fmt: skip
    assert calls(extraction, "app.web.view.f") == {"app.db.pool.make", "app.db.pool._hidden"}
    assert edges(extraction, "instantiates") == {("app.web.view.f", "app.db.pool.Pool")}


def test_imports_lead_to_files_and_to_what_is_imported_by_name(found: Found) -> None:
    extraction = found({
        "src/pool.py": POOL + "LIMIT = 3\n",
        "src/__init__.py": "",
        "app.py": "import os, src.pool\nfrom src.pool import make, LIMIT\nfrom src import pool",
    })  # fmt: skip
    assert edges(extraction, "imports") == {
        ("app", "src.pool"),
        ("app", "src.pool.make"),
        ("app", "src.pool.LIMIT"),
        ("app", "src"),
    }


@pytest.mark.parametrize(
    ("importer", "line", "expected"),
    [
        ("tests/test_pool.py", "from app.pool import make", True),  # src layout, package with __init__
        ("main.py", "from ns.pool import make", True),  # src layout, without __init__
        ("tools/run.py", "from task import make", True),  # scripts beside each other
        ("main.py", "from task import make", False),  # but not from elsewhere
        ("tools/run.py", "from json import make", False),  # the standard library wins there
        ("main.py", "from twice.pool import make", False),  # two roots hold it
        ("src/app/x.py", "from pool import make", False),  # a sibling isn't importable by its bare name
    ],
)
def test_an_absolute_import_follows_the_search_path(found: Found, importer: str, line: str, expected: bool) -> None:
    make = "def make(): ...\n"
    files = {
        "src/app/__init__.py": "", "src/app/pool.py": make, "src/ns/pool.py": make, "tools/task.py": make,
        "tools/json.py": make, "a/twice/__init__.py": "", "a/twice/pool.py": make, "b/twice/__init__.py": "",
        "b/twice/pool.py": make,
    }  # fmt: skip
    extraction = found(files | {importer: f"{line}\nmake()\n"})
    assert bool(edges(extraction, "calls")) is expected


def test_a_test_tests_what_it_calls_directly(found: Found) -> None:
    extraction = found({
        "src/pool.py": POOL,
        "tests/test_pool.py": "from src.pool import ConnectionPool, make\n"
        "def test_release():\n    pool = ConnectionPool(1)\n    pool.release(1)\n    pool.release(2)\n"
        "def helper(): make()\n",
    })  # fmt: skip
    assert edges(extraction, "tests") == {
        ("tests.test_pool.test_release", "src.pool.ConnectionPool.__init__"),
        ("tests.test_pool.test_release", "src.pool.ConnectionPool.release"),
    }


def test_two_calls_are_one_edge_with_the_place_of_the_first(found: Found) -> None:
    extraction = found({"m.py": "def g(): ...\ndef f():\n    g()\n    g()\n"})
    (edge,) = [edge for edge in extraction.edges if edge.type == "calls"]
    assert edge.span is not None
    assert (edge.span.line_start, edge.method, edge.level) == (3, Method.RESOLVED, "L1")
    assert edge.evidence == ("m.py", "f().")


def test_names_are_looked_up_as_scopes_have_them(found: Found) -> None:
    extraction = found({"m.py": """\
def target(): ...
class C:
    def target(self): ...
    def method(self): target()
    def shadowed(self, target): target()
def outer():
    def target(): ...
    def inner(): target()
    inner()
def local():
    target = 1
    target()
def comprehension(): return [target() for target in ()]
def changed():
    global later
    later = 2
def later(): ...
def use(): later()
"""})  # fmt: skip
    assert edges(extraction, "calls") == {
        ("m.C.method", "m.target"),
        ("m.outer.inner", "m.outer.target"),
        ("m.outer", "m.outer.inner"),
    }


@pytest.mark.parametrize(
    "source",
    [
        "if x:\n    def f(): 1\nelse:\n    def f(): 2\nf()",
        "def f(): 1\nf = wrap(f)\nf()",
        "try:\n    from a import f\nexcept ImportError:\n    def f(): ...\nf()",
        "class A:\n    def f(self): ...\np = A()\np = B()\np.f()",
        "class A:\n    def f(self): ...\ndef g(p):\n    p.f()",
        "class A:\n    def f(self): ...\np = A()\ndef g():\n    p.f()",
        "class A:\n    def f(self): ...\n    def g(self):\n        self.f = 1\n        self.f()",
        "class A:\n    def f(self): ...\n    def g(self):\n        self = other\n        self.f()",
        "from outside import Base\nclass M:\n    def f(self): ...\nclass A(Base, M):\n    def g(self): self.f()",
        "class A:\n    @property\n    def f(self): ...\n    def g(self): self.f()",
        "class A:\n    @staticmethod\n    def g(self): self.f()\n    def f(self): ...",
        "from m import other\nother.f()\ndef f(): ...",
        "def f(): ...\nx['f'](); x.f(); getattr(x, 'f')(); (lambda: f)()()",
    ],
)
def test_what_could_mean_two_things_is_never_an_edge(found: Found, source: str) -> None:
    extraction = found({"a.py": "def f(): ...", "m.py": source})
    assert edges(extraction, "calls") == set()
    assert extraction.unresolved


def test_the_last_definition_wins_when_both_always_run(found: Found) -> None:
    extraction = found({"m.py": "def f(): 1\nf()\ndef f(): 2\ndef g(): f()\n"})
    assert {(e.source, e.target) for e in extraction.edges if e.type == "calls"} == {
        ("python m/", "python m/f()."),
        ("python m/g().", "python m/f(+1)."),
    }


def test_the_method_order_of_a_diamond_is_followed(found: Found) -> None:
    source = """\
class A:
    def f(self): ...
class B(A): pass
class C(A):
    def f(self): ...
class D(B, C):
    def g(self): self.f()
"""
    assert calls(found({"m.py": source}), "m.D.g") == {"m.C.f"}


def test_an_unresolved_call_says_why(found: Found) -> None:
    extraction = found({"m.py": """\
import os
from requests import get
class T(os.PathLike):
    def m(self): self.inherited()
def f(a):
    os.path.join(a)
    get(a).json()
    len(a)
    "".join(a)
    a.close()
    a()
    a[0]()
"""})  # fmt: skip
    assert reasons(extraction) == {
        "os.path.join": "external",
        "get": "external",
        "get().json": "external",
        "len": "builtin",
        "<literal>.join": "builtin",
        "a.close": "unknown-receiver",
        "self.inherited": "external",
        "a": "dynamic",
        "<expression>": "dynamic",
    }
    assert {site.source for site in extraction.unresolved} == {"python m/f().", "python m/T#m()."}


def test_a_call_in_a_broken_stretch_is_named_so(found: Found) -> None:
    extraction = found({"m.py": "def g(): ...\ndef f(): g()\ndef broken():\n    x = [g(, 1\n\ndef h():\n    g()\n"})
    assert reasons(extraction)["g"] == "syntax-error"
    assert edges(extraction, "calls") == {("m.f", "m.g")}


def test_circles_of_imports_stars_bases_and_assignments_come_to_an_end(found: Found) -> None:
    extraction = found({
        "a.py": "from b import *\nfrom b import x\nclass A(B): pass\nclass B(A): pass\nA().m()\nx()\ny()",
        "b.py": "from a import *\nfrom a import x\np = q()\nq = p()\np.m(); q.m()\nr = r()\nr.m()",
    })  # fmt: skip
    assert edges(extraction, "calls") == set()


def test_a_long_line_of_re_exports_does_not_exhaust_the_stack(found: Found) -> None:
    files = {f"m{n}.py": f"from m{n + 1} import f\nf()" for n in range(2_000)}
    files |= {f"c{n}.py": f"from c{n + 1} import C\nclass C(C):\n    def m(self): self.f()" for n in range(2_000)}
    assert found(files | {"m2000.py": "def f(): ..."}).entities


def test_the_order_of_the_files_makes_no_difference(found: Found) -> None:
    files = {"b.py": "from a import f\nf()", "a.py": "def f(): ...", "z.md": "# Z\n", "c.txt": "c"}
    assert found(files) == found(dict(reversed(files.items())))
