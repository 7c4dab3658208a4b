"""The system's wall clock as the clock port; it never runs backwards within a process."""

from __future__ import annotations

import time


class SystemClock:
    """Microseconds of the system's wall clock, held back from going backwards."""

    def __init__(self) -> None:
        self._last = 0

    def now(self) -> int:
        self._last = max(self._last + 1, time.time_ns() // 1_000)
        return self._last
