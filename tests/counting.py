"""A store that counts. Lives here: a wrapper around any store that notes each call of each method, so that tests
can hold the number of calls that a use case makes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from graphmem.ports.store import Store


class CountingStore:
    """The wrapped store, with `calls` by method name; `identity_key` is a property and isn't a call."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.calls: Counter[str] = Counter()

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.store, name)
        return self._counted(name, found) if callable(found) else found

    def _counted(self, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            self.calls[name] += 1
            return method(*arguments, **named)

        return call
