"""Constraints and indexes as values. Lives here: their Cypher, how the database tells of them, and what the classes of
models declare. Lives elsewhere: comparing and installing (schema)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from graphmem.adapters.store_neo4j.models import NODES, Base, Ranges

UNIQUE, RANGE, FULLTEXT, LOOKUP = "unique", "range", "fulltext", "lookup"
EITHER = frozenset({UNIQUE, RANGE})  # two that can't both stand on the same properties


@dataclass(frozen=True, slots=True)
class Index:
    """A uniqueness constraint or an index; the label of a look-up index is the kind of things that it finds."""

    name: str
    kind: str
    label: str
    properties: tuple[str, ...] = ()
    analyzer: str = ""

    def __str__(self) -> str:
        words = [self.kind, f"{self.label}({', '.join(self.properties)})" if self.properties else self.label]
        return " ".join([*words, self.analyzer] if self.analyzer else words)

    @property
    def species(self) -> str:
        """The word of CREATE and DROP."""
        return "constraint" if self.kind == UNIQUE else "index"

    @property
    def place(self) -> tuple[str, tuple[str, ...]]:
        """What it is on."""
        return self.label, self.properties

    def does_for(self, other: Index) -> bool:
        """Whether it does what the other is declared for; only a full-text index is asked for by its name."""
        same = (self.kind, self.place, self.analyzer) == (other.kind, other.place, other.analyzer)
        return same and (other.kind != FULLTEXT or self.name == other.name)

    def bars(self, other: Index) -> bool:
        """Whether the other can't be made beside it."""
        return self.name == other.name or (self.place == other.place and {self.kind, other.kind} <= EITHER)

    def statement(self) -> str:
        """The Cypher that makes it."""
        each = ", ".join(f"n.`{p}`" for p in self.properties)
        match self.kind:
            case "unique":
                return f"CREATE CONSTRAINT {self.name} IF NOT EXISTS FOR (n:{self.label}) REQUIRE ({each}) IS UNIQUE"
            case "fulltext":
                options = f"OPTIONS {{indexConfig: {{`fulltext.analyzer`: '{self.analyzer}'}}}}"
                made = f"CREATE FULLTEXT INDEX {self.name} IF NOT EXISTS FOR (n:{self.label}) ON EACH [{each}]"
                return f"{made} {options}"
            case "lookup":
                found = "(n) ON EACH labels(n)" if self.label == "NODE" else "()-[n]-() ON EACH type(n)"
                return f"CREATE LOOKUP INDEX {self.name} IF NOT EXISTS FOR {found}"
            case _:
                return f"CREATE INDEX {self.name} IF NOT EXISTS FOR (n:{self.label}) ON ({each})"


def told(row: Mapping[str, Any]) -> Index:
    """An index as the database tells of it."""
    kind = UNIQUE if row["owned"] else str(row["type"]).lower()
    label = "|".join(row["labels"]) if row["labels"] else row["entity_type"]
    return Index(row["name"], kind, label, tuple(row["properties"] or ()), row["analyzer"] or "")


def declared() -> Iterator[Index]:
    """What the classes declare, and the two look-up indexes, which a new database has by itself."""
    for model in NODES:
        yield from _of(model)
    yield Index("labels_of_nodes", LOOKUP, "NODE")
    yield Index("types_of_relationships", LOOKUP, "RELATIONSHIP")


def _of(model: type[Base]) -> Iterator[Index]:
    """The constraints and indexes of one class; inherited ones stand at the label that they come from."""
    label = model.__label__
    for name, found in vars(model).items():
        kind = UNIQUE if getattr(found, "unique_index", False) else RANGE
        if getattr(found, "is_indexed", False):
            on = found.db_property or name
            yield Index(getattr(found, "index_name", f"{label.lower()}_{on}"), kind, label, (on,))
    ranges: Ranges = vars(model).get("ranges", {})
    for name, properties in ranges.items():
        yield Index(name, RANGE, label, properties)
    for name, (properties, how) in vars(model).get("fulltext", {}).items():
        yield Index(name, FULLTEXT, label, properties, how.analyzer)
