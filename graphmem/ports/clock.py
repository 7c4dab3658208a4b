"""The clock port: the one place where "now" enters."""

from __future__ import annotations

from typing import Protocol


class Clock(Protocol):
    """Tells the wall time."""

    def now(self) -> int:
        """Microseconds since the epoch, UTC; never less than an earlier answer of the same clock."""
        ...
