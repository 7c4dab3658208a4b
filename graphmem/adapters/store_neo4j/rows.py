"""Values to properties and back. Lives here: how core values are spelled in Neo4j's properties. Lives elsewhere: the
statements (cypher/) and who runs them (read, write).

What a value doesn't have (an empty text or list, no repository) is no property: a node shows what there is, and a large
commit stays small.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any

from graphmem.core.analyzer import analyze
from graphmem.core.intervals import Intervals
from graphmem.core.labelling import Standing
from graphmem.core.labels import PREMISE, Label, Segment
from graphmem.core.provenance import Method, Provenance, Span
from graphmem.core.records import (
    Assertion,
    Block,
    BlockKind,
    Edge,
    Entity,
    Justification,
    Key,
    Kind,
    Mode,
    Record,
    Role,
    Site,
    Tombstone,
    context_text,
)

Properties = dict[str, Any]
OPEN = 2**63 - 1  # end of a known-time interval that hasn't ended
MARK = "\x1f"  # joins the parts of a composite key; record text and names never hold it as a part

_RECORD_TEXTS = (
    "id tenant text value producer context policy sensitivity retention evidence_status supersedes repository identity"
).split()
_RECORD_NUMBERS = "observed_at authority version birth death".split()
_KEY_TEXTS = "entity attribute scope".split()
_ENTITY_TEXTS = "id tenant kind name symbol qualified_name repository".split()
_EDGE_TEXTS = "id tenant type level repository identity".split()
_TOMBSTONE_TEXTS = "id tenant role by reason receipt key content".split()
_SITE_TEXTS = "id tenant source callee reason locator repository identity".split()


def flat(own: Intervals) -> list[int]:
    """Intervals as one list of numbers."""
    return [moment for interval in own for moment in interval]


def paired(numbers: Iterable[int]) -> Intervals:
    """Intervals from one list of numbers."""
    rest = iter(numbers)
    return tuple(zip(rest, rest, strict=True))


def joined(*parts: str) -> str:
    """Several texts as one composite key."""
    return MARK.join(parts)


def key_text(tenant: str, key: Key) -> str:
    """A key of a tenant as one text."""
    return joined(tenant, key.entity, key.attribute, key.scope)


def tenant_word(tenant: str) -> str:
    """A tenant as one term of the full-text index, whatever its name is made of."""
    return "tenant" + tenant.encode().hex()


def record_properties(r: Record, standing: Standing, k: int) -> Properties:
    """Everything of a record, its standing, and what look-ups need."""
    found = _filled(r, _RECORD_TEXTS) | {
        "role": r.role.value,
        "kind": r.kind.value,
        "authority": r.authority,
        "observed_at": r.observed_at,
        "own": flat(standing.own),
        "premise": int(standing.premise),
        "blocked": standing.blocked,
        "touched": k,
        "k_from": k,
        "words": " ".join(analyze(r.text)),
        "tenant_word": tenant_word(r.tenant),
    }
    if r.claimed:
        found["earlier"] = [k, 2 * len(r.claimed), *flat(r.claimed)]
    if around := analyze(context_text(r)):
        found["context_words"] = " ".join(around)
    if r.version:
        found["version"] = r.version
    if r.key is not None:
        found |= _filled(r.key, _KEY_TEXTS) | {"about": key_text(r.tenant, r.key)}
    return found | _life(r) | _home(r)


def _filled(value: object, names: Iterable[str]) -> Properties:
    """The attributes of these names that aren't empty."""
    return {name: found for name in names if (found := getattr(value, name))}


def _life(part: Record | Edge | Site) -> Properties:
    """Between which generations of its repository something lives; nothing for what is in none."""
    return {"birth": part.birth, "death": part.death} if part.repository else {}


def _home(node: Record | Entity | Site) -> Properties:
    """The tenant and repository that something belongs to, as one text to look it up by."""
    return {"home": joined(node.tenant, node.repository)} if node.repository else {}


def record_of(p: Mapping[str, Any], known: int) -> Record:
    """A record from its properties, as of a commit."""
    own, claimed = _times(paired(p["own"]), list(_earlier(p.get("earlier", ()))), known)
    return Record(
        **{"text": ""} | {name: p[name] for name in (*_RECORD_TEXTS, *_RECORD_NUMBERS) if name in p},
        role=Role(p["role"]),
        kind=Kind(p["kind"]),
        key=Key(p["entity"], p["attribute"], p.get("scope", "")) if "entity" in p else None,
        own=own,
        claimed=claimed,
    )


def _earlier(numbers: Sequence[int]) -> Iterator[tuple[int, Intervals]]:
    """What a record's own times were, each with the commit that cut them: commit, count and then the numbers."""
    place = 0
    while place < len(numbers):
        end = place + 2 + numbers[place + 1]
        yield numbers[place], paired(numbers[place + 2 : end])
        place = end


def _times(now: Intervals, cuts: Sequence[tuple[int, Intervals]], known: int) -> tuple[Intervals, Intervals]:
    """A record's own times as of a commit, and what they were at first when they had been cut by then."""
    own = next((was for commit, was in cuts if known < commit), now)
    return own, (cuts[0][1] if cuts and cuts[0][0] <= known else ())


_PROVENANCE = [f for f in fields(Provenance) if f.name not in ("span", "conditions", "method")]


def provenance_properties(provenance: Provenance) -> Properties:
    """A provenance as flat properties; what is at its default is left out."""
    found = {f.name: value for f in _PROVENANCE if (value := getattr(provenance, f.name)) != f.default}
    found["method"] = provenance.method.value
    if provenance.span is not None:
        s = provenance.span
        found["span"] = [s.byte_start, s.byte_end, s.line_start, s.line_end]
    if provenance.conditions:
        found["conditions"] = [part for pair in provenance.conditions for part in pair]
    return found


def provenance_of(p: Mapping[str, Any]) -> Provenance:
    """A provenance from flat properties."""
    rest = iter(p.get("conditions", ()))
    return Provenance(
        **{f.name: p[f.name] for f in _PROVENANCE if f.name in p},
        method=Method(p["method"]),
        span=Span(*p["span"]) if "span" in p else None,
        conditions=tuple(zip(rest, rest, strict=True)),
    )


def assertion_properties(a: Assertion, k: int, place: int) -> Properties:
    """An assertion with its known time; `place` keeps the order within a commit."""
    return provenance_properties(a.provenance) | {
        "id": a.id,
        "authority": a.authority,
        "observed_at": a.observed_at,
        "k_from": k,
        "k_to": OPEN,
        "place": place,
    }


def assertion_of(record: str, p: Mapping[str, Any]) -> Assertion:
    """An assertion from its properties."""
    return Assertion(p["id"], record, provenance_of(p), p["authority"], p["observed_at"])


def link_properties(j: Justification, k: int) -> Properties:
    """A justification with its known time."""
    return provenance_properties(j.provenance) | {
        "id": j.id,
        "uid": joined(j.id, str(k)),
        "tenant": j.tenant,
        "informant": j.informant,
        "timeless": j.mode is Mode.TIMELESS,
        "k_from": k,
        "k_to": OPEN,
    }


def link_of(row: Mapping[str, Any]) -> Justification:
    """A justification from a row of link, consequent and antecedents."""
    p = row["link"]
    return Justification(
        id=p["id"],
        tenant=p["tenant"],
        consequent=row["consequent"],
        antecedents=tuple(sorted(row["antecedents"])),
        informant=p["informant"],
        provenance=provenance_of(p),
        mode=Mode.TIMELESS if p["timeless"] else Mode.INTERSECT,
    )


def block_of(record: str, p: Mapping[str, Any]) -> Block:
    """A block from its properties."""
    return Block(record, BlockKind(p["kind"]), p["by"])


def entity_properties(e: Entity, k: int) -> Properties:
    """An entity."""
    found = _filled(e, _ENTITY_TEXTS) | {"k_from": k}
    if e.aliases:
        found["aliases"] = list(e.aliases)
    return found | _home(e)


def entity_of(p: Mapping[str, Any]) -> Entity:
    """An entity from its properties."""
    return Entity(**_texts(p, _ENTITY_TEXTS), aliases=tuple(p.get("aliases", ())))


def _texts(p: Mapping[str, Any], names: Iterable[str]) -> Properties:
    """Texts by name, empty where there is no property."""
    return {name: p.get(name, "") for name in names}


def edge_type(kind: str) -> str:
    """The relationship type of an edge type: upper case, as Cypher has them."""
    return kind.upper().replace("-", "_").replace(" ", "_")


def edge_properties(e: Edge, k: int) -> Properties:
    """An edge with its provenance and evidence: each set as its members joined by a space."""
    found = provenance_properties(e.provenance) | _filled(e, _EDGE_TEXTS) | _life(e)
    return found | {"evidence": [" ".join(place) for place in e.evidence], "k_from": k}


def edge_of(p: Mapping[str, Any], source: str, target: str) -> Edge:
    """An edge from its properties and ends."""
    return Edge(
        **_texts(p, _EDGE_TEXTS),
        **{name: p[name] for name in ("birth", "death") if name in p},
        source=source,
        target=target,
        evidence=tuple(tuple(sorted(place.split(" "))) for place in p["evidence"]),
        provenance=provenance_of(p),
    )


def site_properties(s: Site, k: int) -> Properties:
    """A call site."""
    return _filled(s, _SITE_TEXTS) | _life(s) | _home(s) | {"line": s.line, "k_from": k}


def site_of(p: Mapping[str, Any]) -> Site:
    """A call site from its properties."""
    return Site(**_texts(p, _SITE_TEXTS), **{name: p[name] for name in ("line", "birth", "death") if name in p})


def tombstone_properties(t: Tombstone) -> Properties:
    """A tombstone."""
    return {"at": t.at} | _filled(t, _TOMBSTONE_TEXTS)


def tombstone_of(p: Mapping[str, Any]) -> Tombstone:
    """A tombstone from its properties."""
    return Tombstone(**_texts(p, _TOMBSTONE_TEXTS), at=p["at"])


def segment_of(values: Iterable[Any]) -> Segment:
    """A stretch of a label; the empty support stands for a premise."""
    start, end, level, rank, support = values
    return Segment(start, end, level, rank, support or PREMISE)


def label_of(stretches: Iterable[Iterable[Any]]) -> Label:
    """A label from its stretches in any order."""
    return tuple(sorted((segment_of(s) for s in stretches), key=lambda s: s.start))


def span_properties(s: Segment, k: int) -> Properties:
    """A stretch of a label with its known time."""
    support = "" if s.support == PREMISE else s.support
    return {
        "t_from": s.start,
        "t_to": s.end,
        "level": int(s.level),
        "rank": s.rank,
        "support": support,
        "k_from": k,
        "k_to": OPEN,
    }
