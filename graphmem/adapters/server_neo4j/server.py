"""A local Neo4j from its first start to its stop. Lives here: the order of steps, and what is said when one fails.
Lives elsewhere: each step (java, library, loopback, configuration, process, state)."""

from __future__ import annotations

import secrets
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from graphmem.adapters.server_neo4j import configuration, logs, loopback, process, state
from graphmem.adapters.server_neo4j.configuration import USER, write_private
from graphmem.adapters.server_neo4j.fetch import unwritable
from graphmem.adapters.server_neo4j.java import Java, find_java
from graphmem.adapters.server_neo4j.library import Library
from graphmem.adapters.server_neo4j.resolve import DEFAULT_VERSION, numbers
from graphmem.adapters.server_neo4j.state import Remembered
from graphmem.adapters.server_neo4j.turns import turn
from graphmem.core.errors import CorruptStore, InvalidInput, StoreUnavailable
from graphmem.ports.server import OnProgress, ServerState

START_TIMEOUT_S = 180.0
TURN_WAIT_S = 240.0  # longer than a start may take
LOOK_AGAIN_S = 0.1
NEEDED_BYTES = 256 << 20  # an empty data folder has 130 MB
PORT_TAKEN = "already in use"  # in what Java says of an address
TOLD_LINES = 4  # of the log, in the message about a start that failed
TOLD_CHARS = 200  # of each
FOLDERS = ("conf", "data/dbms", "logs", "run", "plugins")
OWN_MARK = "lock"  # the first file of a folder of ours


class ManagedNeo4j:
    """One user's Neo4j Community with its data below `data`; see `graphmem.ports.server.LocalServer`.

    `cache` holds the programs, `repository` says where they come from (empty: Maven Central), `java_home` which Java is
    tried first (may be empty).
    """

    def __init__(
        self, data: Path, *, cache: Path, version: str = DEFAULT_VERSION, repository: str = "", java_home: str = ""
    ) -> None:
        numbers(version)
        self.home = data.expanduser().absolute()
        self.version = version
        self.library = Library(cache, version, repository)
        self.java_home = java_home
        self.password_file = self.home / "password"
        self.log_file = self.home / "logs" / "neo4j.log"
        self._console = self.home / "logs" / "console.log"  # what is said before the log is open, or by Java itself
        self._state_file = self.home / "server.json"
        self._children: list[subprocess.Popen[bytes]] = []  # kept, so that one that ends is noticed

    def start(
        self, *, port: int | None = None, verify: bool = False, on_progress: OnProgress | None = None
    ) -> ServerState:
        with self._alone("starting"):
            now = self.status()
            if now.running:
                return self._as_wanted(now, port)
            last = state.recall(self._state_file)
            self._refuse_newer_data(last)
            java = find_java(self.java_home)
            jars = self.library.ready(verify=verify, on_progress=on_progress)
            chosen = loopback.choose(port, last.port if last else None)
            if not self._launch(java, jars, chosen):  # another program took the port in the meantime
                chosen = loopback.choose(port or loopback.any_port(), None)
                if not self._launch(java, jars, chosen):
                    raise loopback.taken(chosen)
            return self.status()

    def stop(self) -> bool:
        if not self._state_file.exists():
            return False
        with self._alone("starting or stopping"):
            last = state.recall(self._state_file)
            running = process.find(last.pid, self.home) if last and last.pid else None
            if running:
                process.end(running)
            if last and last.pid:
                state.remember(self._state_file, Remembered(last.version, last.port))
        return running is not None

    def status(self) -> ServerState:
        with self._readable():
            last = state.recall(self._state_file)
        found = process.find(last.pid, self.home) if last and last.pid else None
        version = last.version if last else None
        if not (last and found):
            return ServerState(False, self.home, self.password_file, self.log_file, version)
        url = f"neo4j://{USER}@{loopback.HOST}:{last.port}"
        uptime_s = max(0.0, time.time() - found.create_time())
        return ServerState(True, self.home, self.password_file, self.log_file, version, last.pid, url, uptime_s)

    def password(self) -> str:
        with self._readable():
            if not self.password_file.exists():
                raise StoreUnavailable(f"there is no password at {self.password_file}", hint="graphmem neo4j start")
            return self.password_file.read_text(encoding="utf-8").strip()

    def log(self, count: int) -> list[str]:
        with self._readable():
            return logs.tail(self.log_file, count)

    def follow(self) -> Iterator[str]:
        return logs.follow(self.log_file)

    @contextmanager
    def _alone(self, doing: str) -> Iterator[None]:
        """The folder, with nobody else starting or stopping a server on it."""
        with self._readable():
            self.home.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._refuse_foreign_folder()
            with turn(self.home / OWN_MARK, f"{doing} Neo4j", wait_s=TURN_WAIT_S):
                yield

    @contextmanager
    def _readable(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise unwritable(self.home, error) from error

    def _as_wanted(self, now: ServerState, port: int | None) -> ServerState:
        """The server that runs, if it is the one that was asked for. Raises InvalidInput."""
        if port is not None and now.url and not now.url.endswith(f":{port}"):
            raise InvalidInput(f"Neo4j runs already, at {now.url}", hint="graphmem neo4j stop, then start it again")
        if now.version != self.version:
            raise InvalidInput(f"Neo4j {now.version} runs already", hint="graphmem neo4j stop, then start it again")
        return now

    def _refuse_foreign_folder(self) -> None:
        names = {file.name for file in self.home.iterdir()}
        if names and OWN_MARK not in names:
            raise CorruptStore(f"{self.home} holds something else", hint="give a folder that is new or empty")

    def _refuse_newer_data(self, last: Remembered | None) -> None:
        if last and numbers(last.version) > numbers(self.version):
            raise CorruptStore(
                f"{self.home} was used with Neo4j {last.version}, which {self.version} can't read",
                hint=f"give --version {last.version}, or another folder",
            )

    def _prepare(self, port: int) -> None:
        """Everything that has to be there before the first start, and the configuration for this one."""
        free = shutil.disk_usage(self.home).free
        if free < NEEDED_BYTES:
            raise StoreUnavailable(
                f"{self.home} has {free >> 20} MB left, and Neo4j needs {NEEDED_BYTES >> 20} MB to start",
                hint="make room, or give another folder",
            )
        for folder in FOLDERS:
            (self.home / folder).mkdir(parents=True, exist_ok=True, mode=0o700)
        write_private(self.home / "conf" / "neo4j.conf", configuration.configuration(port))
        used = (self.home / "data" / "databases" / "system").exists()
        if not self.password_file.exists():
            if used:
                raise CorruptStore(
                    f"{self.home} has data, and its password file is gone",
                    hint=f"put the password back into {self.password_file}, or give another folder",
                )
            write_private(self.password_file, secrets.token_urlsafe(configuration.PASSWORD_BYTES) + "\n")
        if not used:
            login = configuration.initial_login(self.password(), secrets.token_bytes(configuration.SALT_BYTES))
            write_private(self.home / "data" / "dbms" / "auth.ini", login)

    def _launch(self, java: Java, jars: Path, port: int) -> bool:
        """Start the process and wait until it answers; False when the port turned out to be taken.

        Raises StoreUnavailable when the process ends for another reason, or takes too long; then it is killed.
        """
        self._prepare(port)
        log_from = logs.size(self.log_file)
        child = process.spawn(process.command(java, jars, self.home), self.home, self._console)
        self._children.append(child)
        state.remember(self._state_file, Remembered(self.version, port, child.pid))
        try:
            what = self._wait(child, port)
        except BaseException:
            child.kill()
            child.wait()
            raise
        if not what:
            return True
        said = [*logs.since(self._console, 0), *logs.since(self.log_file, log_from)]
        if any(PORT_TAKEN in line for line in said):
            return False
        raise self._failed(what, said)

    def _wait(self, child: subprocess.Popen[bytes], port: int) -> str:
        """Wait until Bolt answers and return nothing, or what is wrong with the process, which has ended then."""
        deadline = time.monotonic() + START_TIMEOUT_S
        while child.poll() is None:
            if loopback.speaks_bolt(port) and process.listens(child.pid, port):
                return ""
            if time.monotonic() > deadline:
                child.kill()
                child.wait()
                return f"Neo4j didn't answer within {START_TIMEOUT_S:.0f} seconds"
            time.sleep(LOOK_AGAIN_S)
        return f"Neo4j ended at its start (exit code {child.returncode})"

    def _failed(self, what: str, said: Sequence[str]) -> StoreUnavailable:
        """What to say of a failed start, with the log's last words."""
        lines = (line.strip() for line in said)
        told = [line[:TOLD_CHARS] for line in lines if line and not line.startswith(("at ", "..."))][-TOLD_LINES:]
        return StoreUnavailable(
            f"{what}: {' | '.join(told) or 'it said nothing'}", hint=f"the whole log is {self.log_file}"
        )
