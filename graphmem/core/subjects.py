"""What describes a person. Lives here: the pure rule that tells which facts do. Lives elsewhere: reading and writing
them (services.exporting)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from graphmem.core.records import Edge, Entity, Justification
from graphmem.core.views import Fact, Held, LinkState


def describes(held: Held, subject: str) -> bool:
    """Whether a record speaks to a key of the subject, or somebody put it forward as being about them."""
    asserted = (*held.live, *(a for a, _ in held.withdrawn))
    key = held.record.key
    return (key is not None and key.entity == subject) or any(a.provenance.subject == subject for a in asserted)


@dataclass
class Portion:
    """The facts that describe a subject, by id: records, what was concluded from them whatever became of it, the
    justifications between, edges that they are evidence of, and the entities that those touch."""

    records: set[str] = field(default_factory=set)
    others: set[str] = field(default_factory=set)

    def holds(self, fact: Fact) -> bool:
        match fact:
            case Held(record=record):
                return record.id in self.records
            case LinkState(justification=link):
                return link.id in self.others
            case Edge() | Entity():
                return fact.id in self.others
            case _:
                return False


def portion(subject: str, facts: Iterable[Fact]) -> Portion:
    """The part of all facts of a tenant that describes a subject."""
    found = Portion()
    links: dict[str, list[Justification]] = defaultdict(list)
    edges: list[Edge] = []
    for fact in facts:
        match fact:
            case Held() if describes(fact, subject):
                found.records.add(fact.record.id)
            case LinkState(justification=link):
                for antecedent in link.antecedents:
                    links[antecedent].append(link)
            case Edge():
                edges.append(fact)
            case _:
                pass
    _follow(found, links)
    for edge in edges:
        if any(name in found.records for place in edge.evidence for name in place):
            found.others |= {edge.id, edge.source, edge.target}
    return found


def _follow(found: Portion, links: dict[str, list[Justification]]) -> None:
    """Add what was concluded from the records, and from that in turn."""
    pending = list(found.records)
    while pending:
        for link in links.get(pending.pop(), ()):
            found.others.add(link.id)
            if link.consequent not in found.records:
                found.records.add(link.consequent)
                pending.append(link.consequent)
