"""The Cypher statements as files. Lives here: finding and reading them. Lives elsewhere: the statements, in cypher/ at
the project's root, which the wheel ships as graphmem/cypher."""

from __future__ import annotations

from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[2]


@cache
def statement(name: str) -> str:
    """The text of a statement by its path without the ending, such as read/find."""
    places = (PACKAGE / "cypher", PACKAGE.parent / "cypher")
    folder = next(place for place in places if place.is_dir())
    return (folder / f"{name}.cypher").read_text(encoding="utf-8")


def names(group: str) -> tuple[str, ...]:
    """The names of a group's statements, sorted."""
    places = (PACKAGE / "cypher", PACKAGE.parent / "cypher")
    folder = next(place for place in places if place.is_dir())
    return tuple(f"{group}/{path.stem}" for path in sorted((folder / group).glob("*.cypher")))
