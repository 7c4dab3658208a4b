"""A bounded pool of connections that many threads share."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable


class PoolTimeout(Exception):
    """No connection became free before the caller's time was up."""


class ConnectionPool:
    """Hands out at most `size` connections; a caller who finds none waits for one to come back."""

    def __init__(self, connect: Callable[[], object], size: int) -> None:
        self.connect = connect
        self.size = size
        self.opened = 0
        self.idle: deque[object] = deque()
        self.returned = threading.Condition()

    def acquire(self, timeout_s: float) -> object:
        """Return an idle connection, or a new one while there is room, or raise PoolTimeout."""
        with self.returned:
            if not self.returned.wait_for(self.can_serve, timeout_s):
                raise PoolTimeout(f"no connection became free within {timeout_s} s")
            return self.idle.popleft() if self.idle else self.open_connection()

    def release(self, connection: object) -> None:
        """Take a connection back and wake one waiter."""
        with self.returned:
            self.idle.append(connection)
            self.returned.notify()

    def can_serve(self) -> bool:
        """Tell whether a caller can have a connection now; the caller holds the lock."""
        return bool(self.idle) or self.opened < self.size

    def open_connection(self) -> object:
        """Open one more connection; the caller holds the lock."""
        connection = self.connect()
        self.opened += 1
        return connection
