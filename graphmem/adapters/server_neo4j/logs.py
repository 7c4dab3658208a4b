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


def size(file: Path) -> int:
    """How long a file is, 0 where there is none."""
    return file.stat().st_size if file.exists() else 0


def since(file: Path, position: int) -> list[str]:
    """The lines from a position on, at most LAST_BYTES of them; all where the file has begun anew."""
    if not file.exists():
        return []
    with file.open("rb") as stream:
        end = stream.seek(0, os.SEEK_END)
        stream.seek(max(position if position <= end else 0, end - LAST_BYTES))
        return stream.read().decode("utf-8", "replace").splitlines()


def follow(file: Path) -> Iterator[str]:
    """Whole lines that are added to a file from now on; a file that begins anew is read from its beginning."""
    position = size(file)
    while True:
        end = size(file)
        position = 0 if end < position else position
        if end > position:
            with file.open("rb") as stream:
                stream.seek(position)
                added = stream.read(end - position)
            whole = added[: added.rfind(b"\n") + 1]
            position += len(whole)
            yield from whole.decode("utf-8", "replace").splitlines()
        time.sleep(LOOK_AGAIN_S)
