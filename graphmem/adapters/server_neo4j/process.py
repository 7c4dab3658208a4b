"""Neo4j as a process of its own. Lives here: its command line, starting it so that it outlives us, finding it again by
what it was started with, ending it. Lives elsewhere: when that is done (server)."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphmem.adapters.server_neo4j.configuration import HEAP
from graphmem.adapters.server_neo4j.java import Java
from graphmem.adapters.server_neo4j.resolve import not_installed
from graphmem.core.errors import StoreUnavailable

if TYPE_CHECKING:
    from psutil import Process

MAIN_CLASS = "org.neo4j.server.Neo4jCommunity"
SMALLEST_HEAP = "128m"
OPENED = ("java.nio", "java.io", "sun.nio.ch", "java.util.concurrent")  # packages that Neo4j reaches into
UNSAFE_WARNS_FROM = 24  # JEP 498: from this Java on, sun.misc.Unsafe has to be allowed by name to be silent
STOP_TIMEOUT_S = 60.0  # a clean stop writes a checkpoint; after that long it is killed
KILL_TIMEOUT_S = 10.0
ENDED = ("zombie", "dead")  # statuses of a process that is only waiting to be forgotten


def command(java: Java, jars: Path, home: Path) -> list[str]:
    """The command line of a server whose files are below `home`."""
    quiet = ["--sun-misc-unsafe-memory-access=allow"] if java.major >= UNSAFE_WARNS_FROM else []
    return [
        str(java.path),
        f"-Xms{SMALLEST_HEAP}",
        f"-Xmx{HEAP}",
        "-XX:+UseParallelGC",
        "-XX:+ExitOnOutOfMemoryError",
        "-Dfile.encoding=UTF-8",
        "--enable-native-access=ALL-UNNAMED",
        *quiet,
        *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in OPENED),
        "-cp",
        str(jars / "*"),
        MAIN_CLASS,
        _home_option(home),
        f"--config-dir={home / 'conf'}",
    ]


def _home_option(home: Path) -> str:
    return f"--home-dir={home}"


def spawn(words: list[str], home: Path, console: Path) -> subprocess.Popen[bytes]:
    """Start a process in a session of its own: it outlives us, and Ctrl-C in our terminal doesn't reach it."""
    apart: dict[str, Any] = {"start_new_session": True, "umask": 0o077}
    if sys.platform == "win32":
        apart = {"creationflags": subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP}
    with console.open("wb") as output:
        return subprocess.Popen(words, cwd=home, stdin=subprocess.DEVNULL, stdout=output, stderr=output, **apart)


def find(pid: int, home: Path) -> Process | None:
    """The running server with that number, or None where it has ended and the number is nobody's or somebody else's.

    Raises Unsupported without the extra.
    """
    try:
        import psutil
    except ImportError as error:
        raise not_installed() from error
    with suppress(psutil.Error):
        process = psutil.Process(pid)
        if process.status() not in ENDED and _home_option(home) in process.cmdline():
            return process
    return None


def listens(pid: int, port: int) -> bool:
    """Whether it is this process, and not another program's, that takes connections on a port."""
    import psutil

    with suppress(psutil.Error):
        taken = psutil.Process(pid).net_connections("tcp")
        return any(c.status == psutil.CONN_LISTEN and c.laddr.port == port for c in taken)
    return False


def end(process: Process) -> None:
    """Ask a server to stop, wait, and kill it when it doesn't.

    Raises StoreUnavailable when that can't be done.
    """
    import psutil

    try:
        process.terminate()
        try:
            process.wait(STOP_TIMEOUT_S)
        except psutil.TimeoutExpired:
            process.kill()
            process.wait(KILL_TIMEOUT_S)
    except psutil.NoSuchProcess:
        return
    except psutil.Error as error:
        raise StoreUnavailable(f"Neo4j (pid {process.pid}) can't be stopped", hint="stop it by hand") from error
