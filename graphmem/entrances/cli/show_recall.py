"""The words that people read about a recall. Lives here: the envelope as blocks. Lives elsewhere: the envelope
(core.envelope) and the form that a model reads, which is its `text`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from graphmem.core.envelope import Envelope, Hop, Item
from graphmem.core.jobs import Pending
from graphmem.core.records import Entity
from graphmem.core.times import format_time
from graphmem.entrances.cli import show
from graphmem.entrances.cli.blocks import Block, Line, Part, line

SHOWN_LINES = 8  # of a record's text
SHOWN_CHARS = 700  # of a record's text
INDENT = 3


def envelope(found: Envelope) -> Iterator[Block]:
    """The whole answer: status, each record with its evidence, and what was left out."""
    yield _headline(found)
    yield from _reasons(found)
    shown: set[str] = set()
    for number, item in enumerate(found.items, 1):
        yield line()
        yield from _item(number, item, [hop for hop in item.via if hop.id not in shown], found.entities)
        shown.update(hop.id for hop in item.via)
    yield line()
    yield line(Part(f"{found.tokens} of {found.budget} tokens ({found.tokenizer})", "dim"))
    yield from _left(found)


def _headline(found: Envelope) -> Line:
    count = f"{len(found.items)} record{'' if len(found.items) == 1 else 's'}"
    revisions = "".join(f", {name} at {revision}" for name, revision in found.scope.revisions.items())
    return line(
        Part(found.status, "good" if found.status == "complete" else "warn"),
        f": {count}, valid at {format_time(found.scope.at)}, known at commit {found.scope.known_at}{revisions}",
    )


def _reasons(found: Envelope) -> Iterator[Line]:
    for reason in found.reasons:
        yield line(Part("because of ", "warn"), reason, indent=2)
    if found.absent:
        yield line(Part("nowhere in the memory: ", "warn"), ", ".join(found.absent), indent=2)
    for term, nodes in found.ambiguous.items():
        names = ", ".join(node[: show.ID_CHARS] for node in nodes)
        yield line(Part("ambiguous ", "warn"), f"{term}: {names}", indent=2)


def _item(number: int, item: Item, hops: Sequence[Hop], entities: Mapping[str, Entity]) -> Iterator[Line]:
    """One record of the answer; `hops` are those of its path that no record before it has shown."""
    record = item.found.record
    provenance = item.found.assertion.provenance if item.found.assertion else None
    yield line(
        Part(f"{number}. ", "head"),
        Part(item.id, "id"),
        f" {record.role.value} ",
        show.level_word(item.found.level),
        Part(f" {record.evidence_status}" if record.evidence_status else "", "warn"),
        Part(f" {_pending(item.found.pending)}" if item.found.pending else "", "warn"),
        Part(f" score {item.score:.4f} by {item.method}", "dim"),
    )
    yield line(Part(f"{show.place(provenance)}", "head"), indent=INDENT)
    facts = {
        "key": f"{record.key} = {record.value}" if record.key else "",
        "under": show.conditions(provenance),
        "because": _ids(item.because),
        "believed": "" if item.believed is None else "yes" if item.believed else "no, another record is",
        "contested by": _ids(item.contested),
    }
    for name, said in facts.items():
        if said:
            yield line(Part(f"{name} ", "dim"), said, indent=INDENT)
    yield from path(hops, entities)
    yield from _text(item.text)


def _pending(waits: Pending) -> str:
    """That work on a record is under way, how far it is, or that it was given up."""
    word = "incomplete: given up" if waits.stalled else "pending"
    return f"{word} at {waits.done} of {waits.of} characters" if waits.done else word


def _ids(names: tuple[str, ...]) -> str:
    return ", ".join(name[: show.ID_CHARS] for name in names)


def path(hops: Sequence[Hop], entities: Mapping[str, Entity]) -> Iterator[Line]:
    """An evidence path, one arrow a line, with the provenance of each edge."""
    for number, hop in enumerate(hops):
        arrow = f" -{hop.type}-> " if hop.forward else f" <-{hop.type}- "
        yield line(
            Part("path " if number == 0 else "     ", "dim"),
            _node(hop.node_from, entities),
            Part(arrow, "edge"),
            _node(hop.node_to, entities),
            Part(f"  [{hop.provenance.method.value}, {show.place(hop.provenance)}]", "dim"),
            indent=INDENT,
        )


def _node(name: str, entities: Mapping[str, Entity]) -> Part:
    entity = entities.get(name)
    return Part(entity.qualified_name or entity.name, "head") if entity else show.short(name)


def _text(text: str) -> Iterator[Line]:
    body = text.strip("\r\n")
    lines = body[:SHOWN_CHARS].splitlines()[:SHOWN_LINES]
    for each in lines:
        yield line(Part("| ", "dim"), each, indent=INDENT)
    left = len(body) - len("\n".join(lines))
    if left > 0:
        yield line(Part(f"[{left} characters more; --json gives the whole text]", "dim"), indent=INDENT)


def _left(found: Envelope) -> Iterator[Line]:
    if found.handles:
        listed = ", ".join(f"{h.id[: show.ID_CHARS]} ({h.tokens})" for h in found.handles[: show.LISTED])
        yield line("not whole here, by id and tokens: ", Part(listed, "dim"))
        yield from show.unlisted(len(found.handles))
    if found.cursor:
        yield line("more: ", Part(f"graphmem recall --cursor {found.cursor}", "dim"))
