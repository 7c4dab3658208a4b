"""The log of a local server. Lives here: its last lines, and lines as they come, across rotation."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path

LOOK_AGAIN_S = 0.3
LAST_BYTES = 1 << 20  # where the last lines are looked for


def tail(file: Path, count: int) -> list[str]:
    """The last lines of a file, oldest first; none where there is no file."""
    try:
        with file.open("rb") as stream:
            stream.seek(max(0, stream.seek(0, os.SEEK_END) - LAST_BYTES))
            return [raw.decode("utf-8", "replace").rstrip("\r\n") for raw in deque(stream, maxlen=max(0, count))]
    except FileNotFoundError:
        return []


def follow(file: Path) -> Iterator[str]:
    """Whole lines that are added to a file from now on; a file that begins anew is read from its beginning."""
    position = file.stat().st_size if file.exists() else 0
    while True:
        size = file.stat().st_size if file.exists() else 0
        position = 0 if size < position else position
        if size > position:
            with file.open("rb") as stream:
                stream.seek(position)
                added = stream.read(size - position)
            whole = added[: added.rfind(b"\n") + 1]
            position += len(whole)
            yield from whole.decode("utf-8", "replace").splitlines()
        time.sleep(LOOK_AGAIN_S)
