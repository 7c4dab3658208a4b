"""The jars of one version of Neo4j in the user's cache. Lives here: keeping them complete and unchanged, by a manifest
of their checksums. Lives elsewhere: which they are (resolve) and how they come (fetch)."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from graphmem.adapters.server_neo4j.configuration import write_private
from graphmem.adapters.server_neo4j.fetch import fetch, unwritable
from graphmem.adapters.server_neo4j.resolve import Jar, pinned, resolve
from graphmem.adapters.server_neo4j.turns import turn
from graphmem.core.errors import StoreUnavailable
from graphmem.ports.server import OnProgress, Progress

MANIFEST = "manifest.json"
WAIT_S = 600.0  # for another process that is downloading the same
SPARE_BYTES = 50 << 20  # left on the disk beside the jars


@dataclass(frozen=True, slots=True)
class Seen:
    """A jar as it was when it was last checked."""

    sha256: str
    size: int
    mtime_ns: int


class Library:
    """The jars of a version below a cache folder; `repository` is empty for Maven Central."""

    def __init__(self, cache: Path, version: str, repository: str) -> None:
        self.version = version
        self.repository = repository
        self.folder = cache / version
        self.jars = self.folder / "lib"

    def ready(self, *, verify: bool = False, on_progress: OnProgress | None = None) -> Path:
        """The folder of jars, after fetching what is missing or changed and removing what doesn't belong there.

        A jar whose size and time are those of the manifest counts as unchanged; `verify` reads each one again.
        Raises what `fetch` and `resolve` raise, StoreUnavailable when the cache can't be written.
        """
        try:
            self.jars.mkdir(parents=True, exist_ok=True)
            with turn(self.folder / "lock", f"downloading Neo4j {self.version}", wait_s=WAIT_S):
                self._complete(verify, on_progress)
        except OSError as error:
            raise unwritable(self.folder, error) from error
        return self.jars

    def _complete(self, verify: bool, on_progress: OnProgress | None) -> None:
        seen = self._manifest()
        jars = pinned(self.version) or tuple(Jar(path, s.size, s.sha256) for path, s in seen.items())
        if not jars:
            if on_progress:
                on_progress(Progress(0, 0, 0, 0))
            jars = resolve(self.version, self.repository)
        sound = {jar.path for jar in jars if self._is_sound(jar, None if verify else seen.get(jar.path))}
        missing = [jar for jar in jars if jar.path not in sound]
        if missing:
            self._leave_room(missing)
            fetched = {jar.path: jar for jar in fetch(missing, self.jars, self.repository, on_progress)}
            jars = tuple(fetched.get(jar.path, jar) for jar in jars)
        self._remove_strays({jar.name for jar in jars})
        self._record(jars, seen)

    def _is_sound(self, jar: Jar, seen: Seen | None) -> bool:
        file = self.jars / jar.name
        if not file.is_file() or not jar.sha256:
            return False
        now = file.stat()
        if now.st_size != jar.size:
            return False
        if seen and (seen.sha256, seen.mtime_ns) == (jar.sha256, now.st_mtime_ns):
            return True
        with file.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest() == jar.sha256

    def _leave_room(self, jars: Sequence[Jar]) -> None:
        wanted = sum(jar.size for jar in jars) + SPARE_BYTES
        free = shutil.disk_usage(self.folder).free
        if free < wanted:
            raise StoreUnavailable(
                f"Neo4j needs {wanted >> 20} MB for its programs, and {self.folder} has {free >> 20} MB left",
                hint="make room, or name another cache folder in XDG_CACHE_HOME",
            )

    def _remove_strays(self, names: set[str]) -> None:
        """Everything in the folder is on the class path, so nothing else may be there."""
        for file in self.jars.iterdir():
            if file.name not in names:
                file.unlink()

    def _manifest(self) -> dict[str, Seen]:
        """What the manifest says, nothing where it is absent or unreadable."""
        with suppress(OSError, ValueError, TypeError):
            found = json.loads((self.folder / MANIFEST).read_text(encoding="ascii"))
            return {path: Seen(*values) for path, values in found.items()}
        return {}

    def _record(self, jars: Sequence[Jar], seen: Mapping[str, Seen]) -> None:
        now = {
            jar.path: Seen(jar.sha256, jar.size, (self.jars / jar.name).stat().st_mtime_ns)
            for jar in sorted(jars, key=lambda jar: jar.path)
        }
        if now != seen:
            rows = {path: [s.sha256, s.size, s.mtime_ns] for path, s in now.items()}
            write_private(self.folder / MANIFEST, json.dumps(rows, indent=0) + "\n")
