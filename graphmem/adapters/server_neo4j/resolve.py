"""Which jars a version of Neo4j consists of. Lives here: the shipped list with its checksums, and asking Maven Central
through jgo for other versions. Lives elsewhere: getting them (fetch), keeping them (library).

jgo's own resolver is pure Python, so neither Maven nor Java is needed. The shipped list saves its hundreds of requests
and pins every checksum.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from graphmem.core.errors import GraphmemError, InvalidInput, StoreUnavailable, Unsupported

DEFAULT_VERSION = "2026.08.1"
OLDEST_VERSION = (2026,)
GROUP, ARTIFACT = "org.neo4j", "neo4j"
TIMEOUT_S = 30
_CALENDAR_VERSION = re.compile(r"\d{4}\.\d{2}\.\d+")


@dataclass(frozen=True, slots=True)
class Jar:
    """A jar by its path in a Maven repository; size and sha256 are 0 and empty until they are known."""

    path: str
    size: int = 0
    sha256: str = ""

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]


def numbers(version: str) -> tuple[int, ...]:
    """A version as numbers that can be compared. Raises InvalidInput unless it is one of Neo4j 2026 or later."""
    if not _CALENDAR_VERSION.fullmatch(version) or (found := tuple(map(int, version.split(".")))) < OLDEST_VERSION:
        raise InvalidInput(f"not a version of Neo4j: {version[:40]!r}", hint=f"write it like {DEFAULT_VERSION}")
    return found


def pinned(version: str) -> tuple[Jar, ...]:
    """The shipped list of a version's jars, in order of path; empty for other versions than the default."""
    file = Path(__file__).with_name(f"{version}.jars")
    if not file.is_file():
        return ()
    rows = (line.split() for line in file.read_text(encoding="ascii").splitlines())
    return tuple(Jar(path, int(size), sha256) for sha256, size, path in rows)


def resolve(version: str, repository: str) -> tuple[Jar, ...]:
    """A version's jars as the repository's project files say, in order of path. About 350 requests, one by one.

    Raises Unsupported without jgo, InvalidInput for a version that isn't there, StoreUnavailable without a network.
    """
    try:
        from jgo.maven import MavenContext, PythonResolver
        from requests import RequestException
    except ImportError as error:
        raise not_installed() from error
    with TemporaryDirectory(prefix="graphmem-neo4j-") as poms:
        context = MavenContext(
            resolver=PythonResolver(),
            repo_cache=Path(poms),
            remote_repos={"repository": source(repository)},
            timeout=TIMEOUT_S,
        )
        try:
            own, others = context.resolver.resolve([context.create_dependency(f"{GROUP}:{ARTIFACT}:{version}")])
        except RequestException as error:
            raise unreachable(source(repository)) from error
        except RuntimeError as error:  # what jgo raises for a project file that isn't there
            raise InvalidInput(
                f"there is no Neo4j {version} in the repository", hint=f"leave out --version to get {DEFAULT_VERSION}"
            ) from error
    files = (dependency.artifact for dependency in (*own, *others))
    return tuple(Jar(path) for path in sorted({f"{f.component.path_prefix.as_posix()}/{f.filename}" for f in files}))


def source(repository: str) -> str:
    """The repository's address; the empty one is Maven Central, as jgo knows it. Raises Unsupported without jgo."""
    try:
        from jgo.constants import MAVEN_CENTRAL_URL
    except ImportError as error:
        raise not_installed() from error
    return (repository or MAVEN_CENTRAL_URL).rstrip("/")


def not_installed() -> GraphmemError:
    return Unsupported(
        "what a local Neo4j needs isn't installed", hint="pip install 'graphmem[neo4j-local]', then try again"
    )


def unreachable(address: str) -> GraphmemError:
    return StoreUnavailable(
        f"Neo4j can't be downloaded: {address} doesn't answer",
        hint="only the first start needs the network: connect and try again, or name a mirror of Maven Central in"
        " GRAPHMEM_MAVEN_REPOSITORY; what has come is kept",
    )
