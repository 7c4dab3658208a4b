"""neo4j schema. Lives here: the command, its words and its JSON. Lives elsewhere: the comparison and the installing
(wiring gives them), the other commands of the group (neo4j)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

from graphmem.entrances.cli import options
from graphmem.entrances.cli.blocks import Block, Line, Part, line
from graphmem.entrances.cli.call import Call, Command
from graphmem.entrances.cli.failures import FINE, NOTHING
from graphmem.ports.schema import Deviation, SchemaReport, State

STYLES = {State.MISSING: "bad", State.DIFFERENT: "bad", State.EXTRA: "dim"}


def schema(call: Call, *, install: bool = False) -> int:
    """Compare a database's constraints, indexes and properties with those that graphmem needs."""
    from graphmem.wiring import neo4j_schema

    with closing(neo4j_schema(call.memory)) as found:
        installed = found.install() if install else ()
        report = found.report()
    call.out.answer(call.command, schema_json(report, installed), _told(report, installed))
    return FINE if report.equal else NOTHING


def schema_json(report: SchemaReport, installed: Sequence[str]) -> dict[str, Any]:
    """A comparison, and what was installed before it."""
    return {
        "location": report.location,
        "schema_version": report.version,
        "equal": report.equal,
        "installed": list(installed),
        "deviations": [
            {
                "state": d.state.value,
                "kind": d.kind,
                "name": d.name,
                "declared": d.declared or None,
                "found": d.found or None,
            }
            for d in report.deviations
        ],
        "partial": report.partial,
    }


def _told(report: SchemaReport, installed: Sequence[str]) -> Iterator[Block]:
    version = f"schema version {report.version}" if report.version else "no memory yet"
    yield line(Part(report.location, "head"), f": {version}")
    if installed:
        yield line(Part("installed", "good"), f" ({len(installed)}): {', '.join(installed)}", indent=2)
    for deviation in report.deviations:
        yield _deviation(deviation)
    if report.equal:
        yield line(Part("everything that graphmem needs is there", "good"), indent=2)
    yield from _advice(report)


def _deviation(found: Deviation) -> Line:
    needed = f": needs {found.declared}" if found.declared else ""
    there = f", has {found.found}" if found.declared and found.found else ""
    extra = f": {found.found}" if not found.declared else ""
    return line(
        Part(found.state.value, STYLES[found.state]), f" {found.kind} {found.name}{needed}{there}{extra}", indent=2
    )


def _advice(report: SchemaReport) -> Iterator[Line]:
    if any(d.state is State.MISSING for d in report.deviations):
        yield line("install what is missing with: graphmem neo4j schema --install", indent=2)
    for d in report.deviations:
        if d.state is State.DIFFERENT and d.kind != "property":
            yield line(f"in the way of another: DROP {d.kind.upper()} {d.name}, then install", indent=2)
    if report.partial:
        yield line(Part("properties were looked at on a sample only", "warn"), indent=2)


COMMAND = Command(
    "neo4j schema",
    schema,
    "graphmem neo4j schema --install",
    (options.switch("install", "Make the constraints and indexes that are missing."),),
)
