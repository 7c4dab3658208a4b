"""Fixtures that run a test over every store, for the conftest.py of each folder that needs them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from graphmem.ports.store import Store
from tests.conformance.stores import FLEETING, PARAMETERS, STORES, Place
from tests.memories import KEY


@pytest.fixture(params=PARAMETERS)
def backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """Where this test's memory may be."""
    return Place(tmp_path, partial(request.getfixturevalue, "neo4j"))


@pytest.fixture
def store(backend: str, place: Place) -> Iterator[Store]:
    """An empty store of each kind."""
    made = STORES[backend](place, KEY)
    yield made
    made.close()


@pytest.fixture
def reopened(backend: str, place: Place, store: Store) -> Iterator[Callable[[], Store]]:
    """Closes the store and opens the same memory again."""
    if backend in FLEETING:
        pytest.skip("this store keeps nothing")
    opened: list[Store] = []

    def again() -> Store:
        store.close()
        opened.append(STORES[backend](place, KEY))
        return opened[-1]

    yield again
    for one in opened:
        one.close()
