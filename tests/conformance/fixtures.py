"""Fixtures that run a test over every store, for the conftest.py of each folder that needs them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from graphmem.ports.store import Store
from tests.conformance.stores import FLEETING, STORES
from tests.memories import KEY


@pytest.fixture(params=STORES)
def backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def store(backend: str, tmp_path: Path) -> Iterator[Store]:
    """An empty store of each kind."""
    made = STORES[backend](tmp_path, KEY)
    yield made
    made.close()


@pytest.fixture
def reopened(backend: str, tmp_path: Path, store: Store) -> Iterator[Callable[[], Store]]:
    """Closes the store and opens the same memory again."""
    if backend in FLEETING:
        pytest.skip("this store keeps nothing")
    opened: list[Store] = []

    def again() -> Store:
        store.close()
        opened.append(STORES[backend](tmp_path, KEY))
        return opened[-1]

    yield again
    for one in opened:
        one.close()
