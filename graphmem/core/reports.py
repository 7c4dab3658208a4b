"""Proofs and audits as drawings for reports. Lives here: their nodes and arrows, and how these are spelled in Mermaid
and in Graphviz's DOT. Lives elsewhere: what is drawn (core.explain, core.auditing).

A node is called n0, n1 and so on, and text stands only inside quotes, with each character but letters, digits and a few
plain ones written as a numeric entity, which both languages show as the character. So no text can end its quotes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from graphmem.core.auditing import Entry
from graphmem.core.explain import Step, WhyNot, steps
from graphmem.core.labels import Level
from graphmem.core.records import Record

SHOWN_CHARS = 60  # of a record's text in its node
_PLAIN = re.compile(r"[^A-Za-z0-9 .,:_()/-]")


@dataclass(frozen=True, slots=True)
class Drawing:
    """Nodes by name with their text, and arrows from, to and with a word."""

    nodes: Mapping[str, str]
    arrows: tuple[tuple[str, str, str], ...]


def proof_drawing(root: Step, records: Mapping[str, Record]) -> Drawing:
    """A proof: each record points to what it rests on, through its justification."""
    nodes: dict[str, str] = {}
    arrows: dict[tuple[str, str, str], None] = {}
    for _, step in steps(root):
        nodes[step.record] = _told(step.record, Level(step.level).name, records.get(step.record))
        link = step.justification
        if link is not None:
            nodes[link.id] = f"{link.id} by {link.informant}"
            arrows[step.record, link.id, "because"] = None
            arrows |= dict.fromkeys((link.id, s.record, "") for s in step.antecedents)
    return Drawing(nodes, tuple(arrows))


def refutation_drawing(root: WhyNot, records: Mapping[str, Record]) -> Drawing:
    """Reasons for OUT: each record points to what it fails for."""
    nodes: dict[str, str] = {}
    arrows: dict[tuple[str, str, str], None] = {}
    pending = [root]
    while pending:
        found = pending.pop()
        if not found.repeated:
            reason = f"OUT {found.reason} {found.detail}".rstrip()
            nodes[found.record] = _told(found.record, reason, records.get(found.record))
        for failure in found.failures:
            nodes[failure.justification] = f"{failure.justification} by {failure.informant}"
            arrows[found.record, failure.justification, "fails"] = None
            arrows |= dict.fromkeys((failure.justification, w.record, "") for w in failure.failing)
            pending += reversed(failure.failing)
    return Drawing(nodes, tuple(arrows))


def audit_drawing(entries: Iterable[Entry]) -> Drawing:
    """An audit's entries: sources point to what they brought."""
    nodes: dict[str, str] = {}
    arrows: dict[tuple[str, str, str], None] = {}
    for entry in entries:
        first, *others = entry.names
        nodes |= {name: name for name in entry.names if name not in nodes}
        if entry.kind == "edge":
            arrows |= dict.fromkeys((first, other, entry.detail) for other in others)
            continue
        source = f"source {entry.provenance.locator}"
        nodes[source] = f"{entry.provenance.locator} by {entry.provenance.writer}"
        word = f"{entry.kind} in commit {entry.commit}" + (f", ended in {entry.ended}" if entry.ended else "")
        arrows[source, first, word] = None
        arrows |= dict.fromkeys((other, first, "supports") for other in others)
    return Drawing(nodes, tuple(arrows))


def _told(name: str, status: str, record: Record | None) -> str:
    if record is None:
        return f"{name} {status}"
    text = record.text if len(record.text) <= SHOWN_CHARS else f"{record.text[:SHOWN_CHARS]}..."
    return f"{name} {status} {record.role.value}: {text}"


def mermaid(drawing: Drawing) -> str:
    """The drawing as a Mermaid flowchart."""
    names = {name: f"n{place}" for place, name in enumerate(drawing.nodes)}
    rows = ["flowchart TD", *(f'  {names[n]}["{_entities(text, "#{};")}"]' for n, text in drawing.nodes.items())]
    for start, end, word in drawing.arrows:
        said = f'|"{_entities(word, "#{};")}"|' if word else ""
        rows.append(f"  {names[start]} -->{said} {names[end]}")
    return "\n".join(rows) + "\n"


def dot(drawing: Drawing) -> str:
    """The drawing as a directed graph in DOT."""
    names = {name: f"n{place}" for place, name in enumerate(drawing.nodes)}
    rows = [f'  {names[n]} [label="{_entities(text, "&#{};")}"];' for n, text in drawing.nodes.items()]
    for start, end, word in drawing.arrows:
        said = f' [label="{_entities(word, "&#{};")}"]' if word else ""
        rows.append(f"  {names[start]} -> {names[end]}{said};")
    return "\n".join(["digraph graphmem {", *rows, "}"]) + "\n"


def _entities(text: str, form: str) -> str:
    return _PLAIN.sub(lambda found: form.format(ord(found.group())), text)
