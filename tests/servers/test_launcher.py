"""Starting, finding and stopping a server, with a stand-in for Java and Neo4j that is quick and can misbehave."""

from __future__ import annotations

import json
import os
import socket
import stat
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from graphmem.adapters.server_neo4j import ManagedNeo4j, process, server
from graphmem.adapters.server_neo4j.loopback import is_free, speaks_bolt
from graphmem.core.errors import CorruptStore, GraphmemError, InvalidInput, StoreUnavailable, Unsupported
from tests.servers import stand_in

Launcher = Callable[..., ManagedNeo4j]


@pytest.fixture
def launcher(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Launcher]:
    """Makes launchers, on one data folder unless told otherwise, whose server behaves as asked; what still runs at the
    end is stopped."""
    made: list[ManagedNeo4j] = []

    def make(behaviour: str = "well", version: str = "2026.08.1", home: str = "home") -> ManagedNeo4j:
        java = tmp_path / behaviour / "bin" / "java"
        java.parent.mkdir(parents=True, exist_ok=True)
        java.write_text(f'#!/bin/sh\nexec {sys.executable} {stand_in.__file__} {behaviour} "$@"\n', encoding="utf-8")
        java.chmod(0o755)
        one = ManagedNeo4j(
            tmp_path / home, cache=tmp_path / "cache", version=version, java_home=str(java.parent.parent)
        )
        monkeypatch.setattr(one.library, "ready", lambda **_: tmp_path)
        made.append(one)
        return one

    monkeypatch.setattr(process, "STOP_TIMEOUT_S", 0.5)
    yield make
    for one in made:
        with suppress(GraphmemError):
            one.stop()


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_start_returns_when_bolt_answers_and_stop_when_it_has_ended(launcher: Launcher) -> None:
    one = launcher()
    state = one.start()
    port = int((state.url or "").rpartition(":")[2])
    assert state.running and speaks_bolt(port)
    assert state.uptime_s is not None and state.uptime_s < 60
    assert one.stop()
    assert is_free(port)
    assert not one.status().running
    assert not one.stop()


def test_starts_at_the_same_time_make_one_server(launcher: Launcher) -> None:
    several = [launcher() for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        pids = {state.pid for state in pool.map(ManagedNeo4j.start, several)}
    assert len(pids) == 1


def test_starts_at_the_same_time_on_several_folders_never_share_a_port(launcher: Launcher) -> None:
    several = [launcher(home=f"home-{n}") for n in range(4)]
    with ThreadPoolExecutor(4) as pool:
        states = list(pool.map(ManagedNeo4j.start, several))
    assert len({state.url for state in states}) == len(several)
    assert all(one.status().running for one in several)


def test_the_port_stays_the_same_over_restarts(launcher: Launcher) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    assert (launcher().start(port=port).url or "").endswith(f":{port}")
    launcher().stop()
    assert (launcher().start().url or "").endswith(f":{port}")


def test_a_taken_port_is_refused_when_asked_for_and_avoided_when_not(launcher: Launcher, taken_port: int) -> None:
    with pytest.raises(StoreUnavailable, match=f"port {taken_port} is taken"):
        launcher().start(port=taken_port)
    launcher().start()
    launcher().stop()
    state_file = launcher().home / "server.json"
    remembered = json.loads(state_file.read_text(encoding="utf-8")) | {"port": taken_port}
    state_file.write_text(json.dumps(remembered), encoding="utf-8")
    assert str(taken_port) not in (launcher().start().url or "")


@pytest.mark.parametrize("port", [-1, 0, 80, 65_536])
def test_a_number_that_is_no_port_is_refused(launcher: Launcher, port: int) -> None:
    with pytest.raises(InvalidInput, match="no port to use"):
        launcher().start(port=port)


def test_a_number_of_a_process_that_is_somebody_elses_is_stale(launcher: Launcher) -> None:
    one = launcher()
    first = one.start()
    one.stop()
    state_file = one.home / "server.json"
    state_file.write_text(json.dumps({"version": "2026.08.1", "port": 7687, "pid": os.getpid()}), encoding="utf-8")
    assert not one.status().running
    assert not one.stop()
    assert psutil.pid_exists(os.getpid())
    assert one.start().pid not in (first.pid, os.getpid())


def test_a_killed_server_is_noticed_and_started_again(launcher: Launcher) -> None:
    one = launcher()
    victim = psutil.Process(one.start().pid)
    victim.kill()
    victim.wait(10)
    assert not one.status().running
    assert one.start().pid != victim.pid


def test_a_server_that_ignores_the_request_to_stop_is_killed(launcher: Launcher) -> None:
    one = launcher("stubborn")
    pid = one.start().pid
    assert one.stop()
    assert pid is not None
    assert process.find(pid, one.home) is None


def test_a_server_that_dies_at_its_start_is_reported_with_its_last_words(launcher: Launcher) -> None:
    with pytest.raises(StoreUnavailable) as failure:
        launcher("dies").start()
    assert str(failure.value) == ("Neo4j ended at its start (exit code 3): Caused by: there is no room on the disk")
    assert failure.value.hint.startswith("the whole log is ")
    assert not launcher().status().running


def test_a_server_that_never_answers_is_given_up_and_ended(launcher: Launcher, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "START_TIMEOUT_S", 0.5)
    one = launcher("mute")
    with pytest.raises(StoreUnavailable, match="didn't answer within"):
        one.start()
    assert not one.status().running


def test_the_password_is_made_once_and_only_the_user_can_read_it(launcher: Launcher) -> None:
    one = launcher()
    one.start()
    first = one.password()
    one.stop()
    one.start()
    assert one.password() == first
    assert len(first) == 32
    private = (one.password_file, one.home / "data/dbms/auth.ini", one.home / "conf/neo4j.conf")
    assert {stat.S_IMODE(file.stat().st_mode) for file in private} == {0o600}
    assert stat.S_IMODE(one.home.stat().st_mode) == 0o700
    assert first not in (one.home / "data/dbms/auth.ini").read_text(encoding="utf-8")


def test_data_without_its_password_is_refused(launcher: Launcher) -> None:
    one = launcher()
    one.start()
    one.stop()
    (one.home / "data/databases/system").mkdir(parents=True)
    one.password_file.unlink()
    with pytest.raises(CorruptStore, match="its password file is gone"):
        one.start()
    with pytest.raises(StoreUnavailable, match="there is no password"):
        one.password()


def test_data_of_a_newer_version_is_refused_and_of_an_older_one_taken(launcher: Launcher) -> None:
    one = launcher()
    one.start()
    one.stop()
    with pytest.raises(CorruptStore, match=r"was used with Neo4j 2026\.08\.1, which 2026\.07\.1 can't read"):
        launcher(version="2026.07.1").start()
    assert launcher(version="2026.10.0").start().version == "2026.10.0"
    with pytest.raises(InvalidInput, match=r"Neo4j 2026\.10\.0 runs already"):
        one.start()


@pytest.mark.parametrize("version", ["5.26.0", "2025.12.1", "2026.8.1", "../../etc", "2026.08.1-SNAPSHOT", ""])
def test_a_version_that_is_none_is_refused(launcher: Launcher, version: str) -> None:
    with pytest.raises(InvalidInput, match="not a version"):
        launcher(version=version)


def test_a_folder_of_something_else_is_left_alone(launcher: Launcher) -> None:
    one = launcher()
    one.home.mkdir()
    (one.home / "thesis.txt").write_text("years of work", encoding="utf-8")
    with pytest.raises(CorruptStore, match="holds something else"):
        one.start()
    assert [file.name for file in one.home.iterdir()] == ["thesis.txt"]


def test_data_that_cannot_be_used_is_said_so(launcher: Launcher) -> None:
    one = launcher()
    one.home.write_text("a file where the folder should be", encoding="utf-8")
    for use in (one.start, one.status):
        with pytest.raises(StoreUnavailable, match="can't be used"):
            use()
    one.home.unlink()
    one.start()
    one.stop()
    (one.home / "server.json").write_text("{", encoding="utf-8")
    for use in (one.start, one.status, one.stop):
        with pytest.raises(CorruptStore, match="can't be understood"):
            use()


def test_too_little_room_is_said_before_anything_starts(launcher: Launcher, monkeypatch: pytest.MonkeyPatch) -> None:
    one = launcher()
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=5 << 20))
    with pytest.raises(StoreUnavailable, match="has 5 MB left, and Neo4j needs 256 MB"):
        one.start()


def test_without_the_extra_the_message_names_it(launcher: Launcher, monkeypatch: pytest.MonkeyPatch) -> None:
    one = launcher()
    one.start()
    with monkeypatch.context() as without, pytest.raises(Unsupported) as failure:
        without.setitem(sys.modules, "psutil", None)
        one.status()
    assert "pip install 'graphmem[neo4j-local]'" in failure.value.hint


def test_the_log_gives_its_last_lines_and_goes_on(launcher: Launcher) -> None:
    one = launcher()
    assert one.log(10) == []
    one.start()
    one.log_file.write_bytes(b"first\nsecond\n\xff third\n")
    assert one.log(2) == ["second", "\ufffd third"]
    assert one.log(0) == []
    lines = one.follow()
    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(next, lines)
        while not coming.done():
            with one.log_file.open("ab") as stream:
                stream.write(b"added\n")
        assert coming.result() == "added"
