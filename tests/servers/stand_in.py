"""A stand-in for Java and Neo4j together, for tests of the launcher: it answers `-version`, takes the port from the
configuration file and says hello in Bolt. Run as a program; the first argument says how it behaves.
"""

from __future__ import annotations

import signal
import socket
import sys
from pathlib import Path

BOLT_5_8 = bytes.fromhex("00000805")


def port_of(words: list[str]) -> int:
    folder = next(word.partition("=")[2] for word in words if word.startswith("--config-dir="))
    rows = (Path(folder) / "neo4j.conf").read_text(encoding="utf-8").splitlines()
    return int(next(row for row in rows if row.startswith("server.bolt.listen_address=")).rpartition(":")[2])


def serve(port: int) -> None:
    with socket.create_server(("127.0.0.1", port)) as server:
        while True:
            line, _ = server.accept()
            with line:
                line.recv(20)
                line.sendall(BOLT_5_8)


def main(behaviour: str, words: list[str]) -> int:
    if words == ["-version"]:
        print('openjdk version "25.0.2" 2026-01-20', file=sys.stderr)  # noqa: T201
        return 0
    if behaviour == "dies":
        print("Caused by: there is no room on the disk", "\tat some.Class(Some.java:1)", sep="\n")  # noqa: T201
        return 3
    if behaviour == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if behaviour == "mute":
        signal.pause()
    serve(port_of(words))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
