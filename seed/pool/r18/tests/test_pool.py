"""What callers of the connection pool rely on."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from src.pool import ConnectionPool, PoolTimeout


class WatchedCondition(threading.Condition):
    """A condition that tells when somebody starts to wait on it."""

    def __init__(self) -> None:
        super().__init__()
        self.somebody_waits = threading.Event()

    def wait(self, timeout: float | None = None) -> bool:
        self.somebody_waits.set()
        return super().wait(timeout)


def test_returned_connection_is_used_again() -> None:
    pool = ConnectionPool(object, size=1)
    connection = pool.acquire(timeout_s=0)
    pool.release(connection)
    assert pool.acquire(timeout_s=0) is connection


def test_pool_never_opens_more_than_its_size() -> None:
    pool = ConnectionPool(object, size=1)
    pool.acquire(timeout_s=0)
    with pytest.raises(PoolTimeout):
        pool.acquire(timeout_s=0)


def test_waiter_notified_on_return() -> None:
    pool = ConnectionPool(object, size=1)
    pool.returned = WatchedCondition()
    connection = pool.acquire(timeout_s=0)
    with ThreadPoolExecutor(max_workers=1) as threads:
        waiter = threads.submit(pool.acquire, timeout_s=30)
        pool.returned.somebody_waits.wait(timeout=30)
        pool.release(connection)
        try:
            assert waiter.result(timeout=0.5) is connection
        finally:
            wake_everybody(pool)


def wake_everybody(pool: ConnectionPool) -> None:
    """Let a forgotten waiter go, so that its thread ends with the test."""
    with pool.returned:
        pool.returned.notify_all()
