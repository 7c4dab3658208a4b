"""The commands that run a local Neo4j: neo4j start, stop, status, logs. Lives here: them, their words and their JSON.
Lives elsewhere: the server (wiring gives it), the memory that is kept in it, neo4j schema (neo4j_schema)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from graphmem.core.errors import InvalidInput
from graphmem.entrances.cli import neo4j_schema, options, progress
from graphmem.entrances.cli.blocks import Block, Line, Part, line
from graphmem.entrances.cli.call import Call, Command
from graphmem.entrances.cli.failures import FINE, NOTHING
from graphmem.entrances.cli.output import Form

if TYPE_CHECKING:
    from graphmem.ports.server import LocalServer, ServerState

NAME = "neo4j"
ABOUT = "Run a local Neo4j, and look after a Neo4j's schema."
LINES = 40  # of the log, unless a number is given
MINUTE_S, HOUR_S, DAY_S = 60, 3_600, 86_400


def start(
    call: Call, *, data: str | None = None, version: str | None = None, port: int | None = None, verify: bool = False
) -> int:
    """Start it in the background; the first start downloads it."""
    server = _server(data, version)
    was_running = server.status().running
    with progress.starting(call.out) as on_progress:
        state = server.start(port=port, verify=verify, on_progress=on_progress)
    call.out.answer(call.command, state_json(state) | {"changed": not was_running}, _started(state, was_running))
    return FINE


def stop(call: Call, *, data: str | None = None) -> int:
    """Stop it cleanly; its data stays."""
    server = _server(data)
    changed = server.stop()
    said = line("Neo4j has stopped" if changed else Part("Neo4j wasn't running", "warn"))
    call.out.answer(call.command, state_json(server.status()) | {"changed": changed}, [said])
    return FINE


def status(call: Call, *, data: str | None = None, show_password: bool = False) -> int:
    """Say whether it runs and where; the exit code is 1 when it doesn't."""
    server = _server(data)
    if show_password and call.out.form is not Form.PEOPLE:
        raise InvalidInput("a password is shown at a terminal only", hint=f"read {server.status().password_file}")
    state = server.status()
    call.out.answer(call.command, state_json(state), _told(state, server.password() if show_password else ""))
    return FINE if state.running else NOTHING


def logs(call: Call, *, data: str | None = None, lines: int | None = None, follow: bool = False) -> int:
    """Show the end of its log."""
    if follow and call.out.form is Form.JSON:
        raise InvalidInput("a log that goes on is no JSON document", hint="leave out --follow or --json")
    server = _server(data)
    found = server.log(LINES if lines is None else lines)
    call.out.answer(call.command, {"lines": found}, map(line, found))
    if follow:
        _follow(call, server)
    return FINE if found or follow else NOTHING


def _follow(call: Call, server: LocalServer) -> None:
    """Show lines as they come, until Ctrl-C."""
    try:
        for text in server.follow():
            call.out.say([line(text)])
            sys.stdout.flush()
    except KeyboardInterrupt:
        return


def _server(data: str | None, version: str | None = None) -> LocalServer:
    from graphmem.wiring import local_neo4j

    return local_neo4j(data, version=version)


def state_json(state: ServerState) -> dict[str, Any]:
    """A server as it is now; what is unknown is null."""
    return {
        "running": state.running,
        "version": state.version,
        "pid": state.pid,
        "url": state.url,
        "uptime_s": None if state.uptime_s is None else round(state.uptime_s, 1),
        "data": str(state.data),
        "password_file": str(state.password_file),
        "log_file": str(state.log_file),
    }


def _started(state: ServerState, was_running: bool) -> Iterator[Block]:
    yield from _told(state)
    if not was_running:
        yield line("To keep memories in it, say:")
        yield line(f"export GRAPHMEM_MEMORY={state.url}", indent=2)


def _told(state: ServerState, password: str = "") -> Iterator[Line]:
    name = Part(f"Neo4j {state.version}" if state.version else "Neo4j", "head")
    if state.running:
        runs = Part("runs", "good")
        yield line(name, " ", runs, f" at {state.url} (pid {state.pid}, up {_span(state.uptime_s or 0)})")
    else:
        yield line(name, " ", Part("isn't running", "warn"))
    yield line(f"data: {state.data}", indent=2)
    yield line(f"password: {password or f'in {state.password_file}'}", indent=2)
    yield line(f"log: {state.log_file}", indent=2)


def _span(seconds: float) -> str:
    """A duration in its two largest units."""
    whole = int(seconds)
    if whole < MINUTE_S:
        return f"{whole} s"
    if whole < HOUR_S:
        return f"{whole // MINUTE_S} min {whole % MINUTE_S} s"
    if whole < DAY_S:
        return f"{whole // HOUR_S} h {whole % HOUR_S // MINUTE_S} min"
    return f"{whole // DAY_S} d {whole % DAY_S // HOUR_S} h"


DATA = (options.text("data", "Its data folder; else GRAPHMEM_NEO4J_DATA, else the user's own.", metavar="DIR"),)
COMMANDS = (
    Command(
        f"{NAME} start",
        start,
        "graphmem neo4j start",
        (
            *DATA,
            options.number("port", "Its port on the loopback address; default: the last one, or a free one."),
            options.text("version", "Which Neo4j; default: the one that graphmem is tested with.", metavar="V"),
            options.switch("verify", "Read every program file again and compare its checksum."),
        ),
    ),
    Command(f"{NAME} stop", stop, "graphmem neo4j stop", DATA),
    Command(
        f"{NAME} status",
        status,
        "graphmem neo4j status --json",
        (*DATA, options.switch("show_password", "Show the password too; at a terminal only.")),
    ),
    Command(
        f"{NAME} logs",
        logs,
        "graphmem neo4j logs --follow",
        (
            *DATA,
            options.number("lines", f"How many lines from its end; default: {LINES}."),
            options.switch("follow", "Go on showing lines as they are written.", flag="--follow -f"),
        ),
    ),
    neo4j_schema.COMMAND,
)
