"""Ports of this machine's loopback address. Lives here: finding a free one, and asking one whether Bolt answers.
Lives elsewhere: the driver, which isn't needed for that."""

from __future__ import annotations

import socket
from contextlib import suppress

from graphmem.core.errors import InvalidInput, StoreUnavailable

HOST = "127.0.0.1"
USUAL_PORT = 7687  # registered for Bolt
LOWEST_PORT, HIGHEST_PORT = 1024, 65535  # below are the system's own
ANSWER_TIMEOUT_S = 2.0

# Bolt handshake: a magic number, then four proposals, here 5.0 to 5.8 and nothing else.
_HELLO = bytes.fromhex("6060b017 00080805 00000000 00000000 00000000")
_NONE_SUITS = bytes(4)


def choose(wanted: int | None, last: int | None) -> int:
    """The wanted port, else the last one used, else the usual one, else any that is free.

    Raises InvalidInput for a number that no port has, StoreUnavailable when the wanted port is taken.
    """
    if wanted is None:
        return next((port for port in (last, USUAL_PORT) if port and is_free(port)), 0) or any_port()
    if not LOWEST_PORT <= wanted <= HIGHEST_PORT:
        raise InvalidInput(f"{wanted} is no port to use", hint=f"give one from {LOWEST_PORT} to {HIGHEST_PORT}")
    if not is_free(wanted):
        raise taken(wanted)
    return wanted


def taken(port: int) -> StoreUnavailable:
    return StoreUnavailable(
        f"port {port} is taken by another program", hint="leave out --port to get a free one, or give another"
    )


def is_free(port: int) -> bool:
    """Whether a server could listen there."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True


def any_port() -> int:
    """A port that is free now."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


def speaks_bolt(port: int) -> bool:
    """Whether a Bolt server answers a handshake there."""
    with suppress(OSError), socket.create_connection((HOST, port), timeout=ANSWER_TIMEOUT_S) as line:
        line.sendall(_HELLO)
        answer = line.recv(len(_NONE_SUITS))
        return len(answer) == len(_NONE_SUITS) and answer != _NONE_SUITS
    return False
