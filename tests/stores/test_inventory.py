"""The inventory of places that hold content is complete: the real SQLite schema, the declared Neo4j classes, the
in-memory store's attributes and the caches of the code have no place that it doesn't name, and it names no other."""

from __future__ import annotations

import ast
import sqlite3
from pathlib import Path

from graphmem.adapters.store_memory import MemoryStore
from graphmem.adapters.store_sqlite import SqliteStore
from graphmem.core import inventory
from tests.memories import KEY

ROOT = Path(__file__).resolve().parents[2]


def test_every_column_of_the_sqlite_file_is_in_the_inventory(tmp_path: Path) -> None:
    SqliteStore(tmp_path / "memory.db", identity_key=KEY).close()
    db = sqlite3.connect(tmp_path / "memory.db")
    columns = db.execute(
        "SELECT s.name || '.' || c.name FROM sqlite_schema s JOIN pragma_table_xinfo(s.name) c WHERE s.type = 'table'"
    )
    assert {name for (name,) in columns} == set(inventory.places(inventory.SQLITE))


def test_every_property_of_the_graph_model_is_in_the_inventory() -> None:
    from graphmem.adapters.store_neo4j.models import NODES, Edge
    from graphmem.adapters.store_neo4j.schema import types_of

    named = inventory.places(inventory.NEO4J)
    known = {name.partition(".")[0] for name in named}
    declared = {f"edge.{name}" for name in types_of(Edge)}
    for model in NODES:
        label = next((base.__name__ for base in model.__mro__ if base.__name__ in known), "")
        declared |= {f"{label}.{name}" for name in types_of(model)} if label else set()
        assert label or model.__name__ == "Node", f"{model.__name__} isn't in the inventory"
    assert declared == set(named)


def test_every_structure_of_the_in_memory_store_is_in_the_inventory() -> None:
    assert set(vars(MemoryStore(KEY))) == set(inventory.places(inventory.MEMORY))


def test_every_cache_of_the_code_is_in_the_inventory() -> None:
    cached = {name for path in sorted((ROOT / "graphmem").rglob("*.py")) for name in caches_in(path)}
    assert cached == {name for name in inventory.ELSEWHERE if name.startswith("graphmem.")}


def caches_in(path: Path) -> set[str]:
    """Functions that remember their results, by their whole names."""
    module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    found = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef) and any("cache" in ast.unparse(d) for d in node.decorator_list):
            found.add(f"{module}.{node.name}")
        if isinstance(node, ast.Assign) and "cache(" in ast.unparse(node.value):
            found |= {f"{module}.{ast.unparse(target)}" for target in node.targets}
    return found
