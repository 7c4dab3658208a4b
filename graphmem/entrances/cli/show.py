"""The words that people read about one record, a write, a belief and a store. Lives here: pure renderers from values to
blocks. Lives elsewhere: recall (show_recall), proofs (show_proof), the printing (output)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from graphmem.core.belief import Belief, Candidate
from graphmem.core.labels import Level, level_at
from graphmem.core.lifetimes import Said
from graphmem.core.provenance import Provenance
from graphmem.core.records import Assertion, Record
from graphmem.core.times import format_time
from graphmem.core.views import Held, Status
from graphmem.entrances.cli.blocks import Block, Line, Part, first_line, line
from graphmem.services.committing import Ack, Written
from graphmem.services.copying import KINDS, CopyReport
from graphmem.services.ingesting import IngestReport
from graphmem.services.transferring import ImportReport

ID_CHARS = 10  # of an id that people see; commands take the beginning of an id where it names one thing
LISTED = 20  # entries of a list that people see; programs get all
LEVEL_STYLES = {Level.OUT: "bad", Level.IN: "warn", Level.GROUNDED: "good"}

# What a verb did, what a dry run of it would do.
DEEDS: Mapping[str, str] = {
    "confirm": "confirmed",
    "consolidate": "kept",
    "remember": "remembered",
    "supersede": "superseded by",
    "justify": "justified by",
    "withdraw": "withdrew",
    "retract": "retracted",
    "reassert": "reasserted",
    "reject": "rejected",
    "unreject": "lifted the rejection of",
}


def short(name: str) -> Part:
    """The beginning of an id, as people see it."""
    return Part(name[:ID_CHARS], "id")


def level_word(level: int) -> Part:
    """OUT, IN or GROUNDED in its colour."""
    return Part(Level(level).name, LEVEL_STYLES[Level(level)])


def place(provenance: Provenance | None) -> str:
    """locator:lines@revision, as far as they are known."""
    if provenance is None:
        return "concluded from other records"
    span = provenance.span
    lines = f":{span.line_start}-{span.line_end}" if span else ""
    return provenance.locator + lines + (f"@{provenance.revision}" if provenance.revision else "")


def conditions(provenance: Provenance | None) -> str:
    """name=value of each condition."""
    return ", ".join(f"{name}={value}" for name, value in provenance.conditions) if provenance else ""


def record_line(name: str, record: Record | None, *, indent: int = 0) -> Line:
    """A record in one line: id, role and the first line of its text."""
    if record is None:
        return line(short(name), indent=indent)
    return line(short(name), f" {record.role.value}: ", first_line(record.text), indent=indent)


def held(found: Held, now: int) -> Iterator[Block]:
    """A record whole, with everybody who put it forward."""
    record = found.record
    yield line(Part(record.id, "id"), f" {record.role.value}, ", level_word(level_at(found.label, now)))
    for row in record.text.splitlines():
        yield line(row, indent=2)
    said = f"valid {validity(record)}; policy {record.policy}, {record.sensitivity}, retention {record.retention}"
    yield line(Part(said, "dim"), indent=2)
    if record.key:
        value = "" if record.value is None else f" = {first_line(record.value)}"
        yield line("speaks to ", Part(str(record.key), "head"), value, f", version {record.version}", indent=2)
    if found.block:
        yield line(Part(f"{found.block.kind.value} by {found.block.by}", "bad"), indent=2)
    for assertion in found.live:
        yield _said(assertion, "said by")
    for assertion, commit in found.withdrawn:
        yield _said(assertion, f"withdrawn in commit {commit}, said by")


def _said(assertion: Assertion, word: str) -> Line:
    traced, when = assertion.provenance, format_time(assertion.observed_at)
    return line(
        Part(f"{word} {place(traced)} ({traced.source_kind}), written by {traced.writer}, {when}", "dim"), indent=2
    )


def written(done: Written, held: Mapping[str, Held], *, dry_run: bool = False) -> Iterator[Block]:
    """What a write did, with the records that fell and rose."""
    if not done.changed:
        yield line(Part("nothing changed", "warn"), f": {done.verb} ", short(done.id), " found it so already")
    elif dry_run:
        yield line(Part("dry run", "warn"), f": {DEEDS[done.verb]} ", short(done.id), "; nothing was written")
    else:
        far = ", its jobs done" if done.ack is Ack.INDEXED else ""
        yield line(f"{DEEDS[done.verb]} ", Part(done.id, "id"), f" in commit {done.commit}{far}")
    yield from moved("fell", "bad", done.fell, held)
    yield from moved("rose", "good", done.rose, held)
    for turn in done.beliefs:
        yield line(Part(str(turn.key), "head"), f": {spoken(turn.before)} -> {spoken(turn.after)}")
    for note in done.notes:
        yield line(Part("note", "warn"), f": {note}")


def spoken(found: Said) -> str:
    """Who speaks for a key, and how many say otherwise."""
    if not found.record:
        return "nothing"
    name = found.record[:ID_CHARS]
    told = name if found.value is None else f"{first_line(found.value)} ({name})"
    return told + (f", contested by {len(found.contested)}" if found.contested else "")


def moved(word: str, style: str, names: Sequence[str], held: Mapping[str, Held]) -> Iterator[Line]:
    """The records that a commit moved one way."""
    if names:
        yield line(Part(word, style), f" ({len(names)}):")
    for name in names[:LISTED]:
        yield record_line(name, held[name].record if name in held else None, indent=2)
    yield from unlisted(len(names))


def unlisted(count: int) -> Iterator[Line]:
    """How many entries a cut list leaves out, if any."""
    if count > LISTED:
        yield line(Part(f"and {count - LISTED} more; --json gives all", "dim"), indent=2)


def belief(found: Belief) -> Iterator[Block]:
    """The belief for a key and those that contest it."""
    if found.winner is None:
        said = f"the default is {found.value}" if found.is_default else "nothing is believed"
        yield line(Part(str(found.key), "head"), ": ", Part(said, "warn"))
        return
    yield line(Part(str(found.key), "head"), " = ", Part(said_by(found.winner), "good"))
    yield from candidate(found.winner)
    if found.contested:
        yield line(Part("contested by", "warn"), f" ({len(found.contested)}):")
    for other in found.contested[:LISTED]:
        yield line(Part(said_by(other), "warn"), indent=2)
        yield from candidate(other, indent=2)
    yield from unlisted(len(found.contested))


def said_by(found: Candidate) -> str:
    """The value of a record as JSON, or the beginning of its text where it has no value."""
    value = found.record.value
    return first_line(found.record.text if value is None else value)


def candidate(found: Candidate, *, indent: int = 0) -> Iterator[Line]:
    """A record that speaks to a key, and what decides among such records."""
    yield record_line(found.record.id, found.record, indent=indent + 2)
    support = f"justified by {found.justification[:ID_CHARS]}" if found.justification else "premise"
    yield line(
        Part(
            f"{support}; authority {found.authority}, observed {format_time(found.observed_at)},"
            f" commit {found.commit}, valid {validity(found.record)}",
            "dim",
        ),
        indent=indent + 2,
    )


def validity(record: Record) -> str:
    """The valid time that a record claims."""
    ends = [(format_time(a), format_time(b)) for a, b in record.own]
    if ends == [(None, None)]:
        return "always"
    return ", ".join(f"{a or 'always'} to {b or 'further notice'}" for a, b in ends) or "never"


def status(found: Status) -> Iterator[Block]:
    """A store in a few lines."""
    yield line(Part(f"{found.backend} memory", "head"), f" at {found.location}")
    yield line(f"schema version {found.schema_version}, commit {found.commit}")
    yield from counted("holds", found.counts)
    yield from counted("records by role", found.roles)
    yield from counted("jobs", found.jobs)
    for head in found.heads:
        yield line(f"repository {head.repository}: generation {head.ordinal}, revision {head.revision}")


def counted(title: str, counts: Mapping[str, int]) -> Iterator[Line]:
    """Names with their counts on one line."""
    if counts:
        yield line(f"{title}: " + ", ".join(f"{name} {count}" for name, count in counts.items()))


def ingested(report: IngestReport, held: Mapping[str, Held]) -> Iterator[Block]:
    """What an ingest read, what is new, and what it couldn't use."""
    name = f"{report.repository} at {report.revision}"
    if report.commit:
        yield line("ingested ", Part(name, "head"), f" as generation {report.generation} in commit {report.commit}")
    else:
        yield line(Part("nothing changed", "warn"), ": ", Part(name, "head"), f" is generation {report.generation}")
    yield line(
        f"{report.files} files; records: {report.born} new, {report.died} ended, {report.unchanged} unchanged;"
        f" {report.entities} entities and {report.edges} edges new",
        indent=2,
    )
    yield from counted("  calls that lead nowhere known", report.unresolved)
    yield from _told("skipped", report.skipped)
    yield from _told("problem", report.problems)
    yield from moved("fell", "bad", [n for n in report.fell if n in held], held)


def _told(word: str, pairs: Sequence[tuple[str, str]]) -> Iterator[Line]:
    for path, reason in pairs[:LISTED]:
        yield line(Part(word, "warn"), f" {path}: {reason}", indent=2)
    yield from unlisted(len(pairs))


def imported(report: ImportReport) -> Iterator[Block]:
    """What an import brought."""
    counts = {
        "records": report.records,
        "justifications": report.justifications,
        "superseded": report.superseded,
        "entities": report.entities,
        "edges": report.edges,
        "unchanged": report.unchanged,
    }
    commits = "1 commit" if report.commits == 1 else f"{report.commits} commits"
    yield line("imported ", Part(f"{report.lines} lines", "head"), f" in {commits}")
    yield from counted("  of them", {name: count for name, count in counts.items() if count})


def copied(report: CopyReport) -> Iterator[Block]:
    """What was copied, and for each kind of fact whether both sides are the same."""
    commits = "1 commit" if report.commits == 1 else f"{report.commits} commits"
    yield line("copied tenant ", Part(report.tenant, "head"), f" in {commits}" if report.commits else ": all was there")
    yield line(f"from {report.source_location}", indent=2)
    yield line(f"to   {report.target_location}", indent=2)
    if not report.same_ids:
        yield line(Part("ids differ", "warn"), ": the target derives ids by a key of its own; compared by content")
    for kind in KINDS:
        here, there = report.source[kind], report.target[kind]
        said = Part("the same", "good") if here == there else Part(f"{there.count} in the target: different", "bad")
        yield line(f"{kind} {here.count}, ", said, indent=2)
