"""What Neo4j reads before it runs. Lives here: its configuration, its first password, and writing files that only the
user can read. Lives elsewhere: when they are written (server)."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path

from graphmem.adapters.server_neo4j.loopback import HOST

USER = "neo4j"  # the first user's name can't be chosen
PASSWORD_BYTES = 24
SALT_BYTES = 32
HASH_ROUNDS = 1_024  # of the one scheme that Neo4j reads from its initial login file
HEAP = "1g"
PAGE_CACHE = "256m"

_NEVER_CHANGES = {
    "server.default_listen_address": HOST,
    "server.http.enabled": "false",
    "server.https.enabled": "false",
    "dbms.security.auth_enabled": "true",
    # Nothing is told to anybody.
    "dbms.usage_report.enabled": "false",
    "dbms.fleet_manager.enabled": "false",
    "server.fleet_discovery.enabled": "false",
    # So that a caller's deadline is kept to; the server looks every two seconds by itself.
    "db.transaction.monitor.check.interval": "100ms",
    # A laptop's measure.
    "server.memory.pagecache.size": PAGE_CACHE,
    "db.tx_log.rotation.size": "32m",  # each of two databases sets that much aside; 256 MB by default
    # Else a stop waits ten seconds for callers who have gone already.
    "internal.dbms.bolt.netty_server_shutdown_quiet_period_duration": "0s",
    "internal.server.bolt.connection_shutdown_wait_time": "1s",
    # A setting that another version doesn't have is passed over with a warning in the log.
    "server.config.strict_validation.enabled": "false",
}


def configuration(port: int) -> str:
    """The text of neo4j.conf for a port: loopback only, with authentication, telling nothing to anybody."""
    address = f"{HOST}:{port}"
    settings = _NEVER_CHANGES | {"server.bolt.listen_address": address, "server.bolt.advertised_address": address}
    lines = ["# Written by graphmem at each start; changes made here are lost.", *map("=".join, settings.items())]
    return "\n".join(lines) + "\n"


def initial_login(password: str, salt: bytes) -> str:
    """The line of auth.ini that gives the first user a password, as `neo4j-admin dbms set-initial-password` writes it.

    It is written here so that the password never stands on a command line, where others could read it.
    """
    digest = hashlib.sha256(salt + password.encode()).digest()
    for _ in range(HASH_ROUNDS - 1):
        digest = hashlib.sha256(digest).digest()
    return f"{USER}:SHA-256,{digest.hex()},{salt.hex()},{HASH_ROUNDS}:\n"


def write_private(path: Path, text: str) -> None:
    """Write a file whole or not at all, readable by the user alone from its first byte on."""
    unfinished = path.with_name(path.name + ".unfinished")
    with suppress(FileNotFoundError):
        unfinished.unlink()
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
    unfinished.replace(path)
