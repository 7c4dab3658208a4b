"""From what surrounds some records to the commit that forgets them. Lives here: which records are erased and which lose
their text, which edges, entities, heads and places in code go with them, and the receipt. Lives elsewhere: the values
(core.erasure), choosing the records (services.forgetting), erasing (the stores)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Set
from dataclasses import dataclass, field

from graphmem.core import verbs
from graphmem.core.changes import Draft
from graphmem.core.erasure import Closure, Erasure, content_mark, is_tombstone, key_mark
from graphmem.core.errors import NotFound, NotPermitted
from graphmem.core.provenance import RECEIPT, Method, Provenance
from graphmem.core.records import Block, BlockKind, Edge, Key, Kind, Record, Role, Site, Tombstone, canonical
from graphmem.core.views import Held

RECEIPTS = "graphmem:receipts"  # the locator of a receipt, by which receipts are found again

# What no deletion reaches, because the memory can't know of it.
OUTSIDE = ("copies and backups of the memory's files", "exports made earlier", "snapshots of the disk")


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be forgotten and why: records by id, and of other records single assertions, by record. `marks` are
    the digests of a source or subject that is forgotten as a whole, each with which of the two it is."""

    roots: tuple[str, ...]
    reason: str
    assertions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    marks: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Plan:
    """A draft that forgets, and what it is about, each in order of id. `losing` are the records that stay and lose a
    justification."""

    draft: Draft
    erased: tuple[str, ...]
    scrubbed: tuple[str, ...]
    losing: tuple[str, ...]
    counts: Mapping[str, int]


def plan(closure: Closure, request: Request, *, at: int, writer: str, receipt: str) -> Plan:
    """The draft that forgets what is asked, in the name of a receipt.

    Raises NotFound for a record that isn't there, NotPermitted for a receipt.
    """
    records = closure.snapshot.records
    erased = tuple(sorted(name for name in request.roots if not is_tombstone(_there(records, name))))
    scrubbed = scrubbed_by(closure, erased)
    draft = Draft(closure.snapshot, at=at, writer=writer, verb="forget")
    losing = _withdraw(draft, closure, set(erased))
    for name in erased:
        draft.block(draft.get(name), Block(name, BlockKind.DELETED, receipt))
    for name in scrubbed:
        draft.standings[name] = draft.get(name).standing
    for name, said in request.assertions.items():
        _unsay(draft, name, said)
    gone = {*erased, *scrubbed}
    edges, pruned = edges_without(closure, set(erased), gone)
    draft.erasure = Erasure(
        tombstones=tuple(_tombstones(closure, erased, request, at, writer, receipt)),
        scrubbed=scrubbed,
        assertions=tuple(a for names in request.assertions.values() for a in names),
        edges=edges,
        pruned=pruned,
        entities=entities_without(closure, edges),
        sites=tuple(s.id for s in closure.sites if any(_holds(records[name], s) for name in erased)),
        headless=_move_heads(draft, closure, gone),
        roots=tuple(sorted({*request.roots, *request.assertions})),
        seen=closure.seen,
    )
    return Plan(draft, erased, scrubbed, losing, _counted(closure, draft.erasure, gone))


def _there(records: Mapping[str, Held], name: str) -> Held:
    held = records.get(name)
    if held is None:
        raise NotFound(f"no record {name}", hint="ids come from recall and export")
    if is_receipt(held):
        raise NotPermitted(f"{name} is a receipt", hint="what proves a deletion stays; it holds no content")
    return held


def is_receipt(held: Held) -> bool:
    """Whether a record is the receipt of a deletion."""
    return any(a.provenance.source_kind == RECEIPT for a in held.live)


def scrubbed_by(closure: Closure, erased: Collection[str]) -> tuple[str, ...]:
    """The records whose text was made of erased ones, through any number of producers, in order of id."""
    made: dict[str, list[str]] = {}
    for name, held in closure.snapshot.records.items():
        link = closure.snapshot.justifications.get(held.record.producer)
        for antecedent in link.antecedents if link else ():
            made.setdefault(antecedent, []).append(name)
    found: set[str] = set()
    pending = list(erased)
    while pending:
        fresh = [n for n in made.get(pending.pop(), ()) if n not in found and n not in erased]
        found.update(fresh)
        pending += fresh
    return tuple(sorted(n for n in found if not is_tombstone(closure.snapshot.records[n])))


def _withdraw(draft: Draft, closure: Closure, erased: Collection[str]) -> tuple[str, ...]:
    """Withdraw every live justification that names an erased record; gives the others that these concluded."""
    losing = set()
    for link in sorted(closure.snapshot.live):
        found = closure.snapshot.justifications[link]
        if found.names(erased):
            verbs.withdraw(draft, link)
            losing.add(found.consequent)
    return tuple(sorted(losing.difference(erased)))


def _unsay(draft: Draft, name: str, assertions: Collection[str]) -> None:
    """Withdraw some assertions of a record that others hold up."""
    held = draft.get(name)
    for source in {a.provenance.locator for a in held.live if a.id in assertions}:
        verbs.retract(draft, name, source)
    draft.standings[name] = draft.get(name).standing


def edges_without(
    closure: Closure, erased: Set[str], gone: Set[str]
) -> tuple[tuple[str, ...], dict[str, tuple[tuple[str, ...], ...]]]:
    """The edges that end at an erased record or lose all evidence, and the evidence that is left to others."""
    ended: list[str] = []
    pruned: dict[str, tuple[tuple[str, ...], ...]] = {}
    for name, edge in sorted(closure.edges.items()):
        left = tuple(place for place in edge.evidence if gone.isdisjoint(place))
        if not left or edge.source in erased or edge.target in erased:
            ended.append(name)
        elif left != edge.evidence:
            pruned[name] = left
    return tuple(ended), pruned


def entities_without(closure: Closure, ended: Iterable[str]) -> tuple[str, ...]:
    """The entities that nothing speaks of when some edges have ended."""
    edges: list[Edge] = [closure.edges[name] for name in ended]
    lost = Counter(end for edge in edges for end in {edge.source, edge.target})
    return tuple(sorted(name for name in closure.entities if lost[name] == closure.ties.get(name, 0) and lost[name]))


def _holds(held: Held, site: Site) -> bool:
    """Whether a place in code lies within the text of a record."""
    if held.record.repository != site.repository:
        return False
    spans = [a.provenance.span for a in held.live if a.provenance.locator == site.locator]
    return any(span is None or span.line_start <= site.line <= span.line_end for span in spans)


def _move_heads(draft: Draft, closure: Closure, gone: Set[str]) -> tuple[Key, ...]:
    """Give each key whose head goes the newest record that stays; gives the keys that have none."""
    headless = []
    for key, head in sorted(closure.snapshot.heads.items()):
        if head.record in gone:
            draft.read_keys.add(key)
            left = [v for v in closure.versions.get(key, ()) if v.record not in gone]
            if left:
                draft.new_heads[key] = max(left, key=lambda v: (v.version, v.record))
            else:
                headless.append(key)
    return tuple(headless)


def _tombstones(
    closure: Closure, erased: Iterable[str], request: Request, at: int, writer: str, receipt: str
) -> Iterable[Tombstone]:
    tenant, secret = closure.snapshot.tenant, closure.snapshot.identity_key
    for name in erased:
        record = closure.snapshot.records[name].record
        yield Tombstone(
            name,
            tenant,
            record.role.value,
            at,
            writer,
            request.reason,
            receipt,
            key_mark(tenant, record.key, secret),
            content_mark(tenant, record.text, record.value, secret),
        )
    for mark, of in sorted(request.marks.items()):
        if mark not in closure.tombstones:
            yield Tombstone(mark, tenant, of, at, writer, request.reason, receipt)


def _counted(closure: Closure, erasure: Erasure, gone: Set[str]) -> dict[str, int]:
    """How much was taken from each place."""
    records = closure.snapshot.records
    links = closure.snapshot.justifications.values()
    asserted = (len(h.live) + len(h.withdrawn) for name, h in records.items() if name in gone)
    return {
        "records erased": len(erasure.erased),
        "records scrubbed": len(erasure.scrubbed),
        "search entries": len(gone),
        "assertions": sum(asserted) + len(erasure.assertions),
        "justifications": sum(j.consequent in gone for j in links),
        "edges": len(erasure.edges),
        "edges pruned": len(erasure.pruned),
        "entities": len(erasure.entities),
        "code sites": len(erasure.sites),
        "keys without a head": len(erasure.headless),
    }


def receipt_of(made: Plan, request: Request, survived: Mapping[str, Collection[str]]) -> tuple[Record, Provenance]:
    """The receipt of a plan as a record, with where it comes from. `survived` gives each record that still holds the
    supports that are left to it."""
    draft = made.draft
    value = {
        "reason": request.reason,
        "by": draft.writer,
        "erased": list(made.erased),
        "scrubbed": list(made.scrubbed),
        "survived": {name: sorted(supports) for name, supports in sorted(survived.items())},
        "counts": dict(made.counts),
        "marks": sorted(request.marks),
        "outside": list(OUTSIDE),
    }
    words = (
        f"{len(made.erased)} records were forgotten ({request.reason}). {len(made.scrubbed)} that were made of them "
        f"lost their text; {len(survived)} that rested on them still hold."
    )
    record = Record(
        id="",
        tenant=draft.snapshot.tenant,
        role=Role.OBSERVATION,
        text=words,
        kind=Kind.PROCEDURAL,
        value=canonical(value),
        observed_at=draft.at,
    )
    return record, Provenance(RECEIPT, RECEIPTS, draft.writer, Method.ASSERTED, draft.at)
