"""Threads that share the in-memory store take turns. Lives here: the lock around each of a class's public methods.
Lives elsewhere: what the methods do."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import wraps
from threading import RLock
from typing import Any, TypeVar

C = TypeVar("C", bound=type)


def in_turn(kind: C) -> C:
    """The class with a lock that its public methods hold, one for all of its instances; a generator is run to its end
    within."""
    lock = RLock()
    for name, method in inspect.getmembers(kind, inspect.isfunction):
        if not name.startswith("_"):
            setattr(kind, name, _locked(method, lock))
    return kind


def _locked(method: Callable[..., Any], lock: AbstractContextManager[bool]) -> Callable[..., Any]:
    @wraps(method)
    def call(*arguments: Any, **named: Any) -> Any:
        with lock:
            found = method(*arguments, **named)
            return iter(list(found)) if isinstance(found, Iterator) else found

    return call
