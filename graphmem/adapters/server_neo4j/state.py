"""What is remembered about a local server between commands. Lives here: the file that says it, read and written.
Lives elsewhere: whether the process that it names is there (process)."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from graphmem.adapters.server_neo4j.configuration import write_private
from graphmem.core.errors import CorruptStore


@dataclass(frozen=True, slots=True)
class Remembered:
    """The version that the data was last used with, the port it was served on, and the process, 0 after a stop."""

    version: str
    port: int
    pid: int = 0


def recall(file: Path) -> Remembered | None:
    """What the file says, None where there is none. Raises CorruptStore when it can't be understood."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        return Remembered(str(found["version"]), int(found["port"]), int(found["pid"]))
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError) as error:
        raise CorruptStore(f"{file} can't be understood", hint="move it away if no Neo4j runs there") from error


def remember(file: Path, now: Remembered) -> None:
    """Write it, whole or not at all."""
    write_private(file, json.dumps(asdict(now)) + "\n")
