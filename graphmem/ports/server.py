"""A database server on this machine that one user starts and stops. Lives here: the protocol, and what is told of such
a server. Lives elsewhere: how one is run (adapters), what people see of it (entrances)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the first download is; `total_bytes` is 0 where nobody knows it, `total_files` while it is listed."""

    files: int
    total_files: int
    bytes: int
    total_bytes: int


OnProgress = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class ServerState:
    """A server as it is now; `pid`, `url` and `uptime_s` are None unless it runs, `version` is None before its first
    start. `url` carries the user's name and never the password."""

    running: bool
    data: Path
    password_file: Path
    log_file: Path
    version: str | None = None
    pid: int | None = None
    url: str | None = None
    uptime_s: float | None = None


class LocalServer(Protocol):
    """One server with one data folder. Every method may be called at any time, from several processes."""

    def start(
        self, *, port: int | None = None, verify: bool = False, on_progress: OnProgress | None = None
    ) -> ServerState:
        """Start it in the background and return when it answers; one that runs already is left as it is.

        `port` on the loopback address must be free; by default it is the last one used, else the usual one, else any.
        `verify` reads every program file again and compares its checksum.

        Raises Unsupported when this installation can't run it, InvalidInput for a wrong port or version,
        StoreUnavailable when it can't be downloaded or started, CorruptStore for a data folder that isn't its own or is
        of a newer version.
        """
        ...

    def stop(self) -> bool:
        """Stop it cleanly and wait until it has ended; False when it didn't run. Raises StoreUnavailable."""
        ...

    def status(self) -> ServerState:
        """Whether it runs, and where. Raises CorruptStore for a data folder that isn't its own."""
        ...

    def password(self) -> str:
        """The password of its one user. Raises StoreUnavailable before the first start."""
        ...

    def log(self, count: int) -> list[str]:
        """The last lines of its log, oldest first; none before the first start."""
        ...

    def follow(self) -> Iterator[str]:
        """Lines as they are written to its log from now on, without end."""
        ...
