"""Reads of Neo4j, each within one transaction. Lives here: what each read of the port asks, and its answer as values.
Lives elsewhere: the statements (cypher/read), the neighbourhood (expand)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from graphmem.adapters.store_neo4j import queue, rows
from graphmem.adapters.store_neo4j.session import Row, Transaction
from graphmem.core.analyzer import occurrence
from graphmem.core.jobs import pending_of
from graphmem.core.labelling import Standing
from graphmem.core.labels import Level
from graphmem.core.records import GENERATION_OPEN, PREMISE_LEVEL, Assertion, Entity, Justification, Key
from graphmem.core.views import (
    LATEST,
    Entries,
    Found,
    Generation,
    Head,
    Held,
    Hits,
    Joint,
    Proof,
    Snapshot,
    View,
    Wanted,
)

CONTEXT_WEIGHT = 0.25  # of headings and paths, beside the text's 1; the other stores weigh alike


def parameters(tx: Transaction, view: View) -> dict[str, Any]:
    """What a view gives to every read statement, its known time fixed to a commit that exists now."""
    now = tx.rows("read/view", tenant=view.tenant, known=view.known_at)[0]
    heads = dict(now["generations"])
    fixed = {name: ordinal for name, ordinal in view.generations.items() if name in heads}
    return {
        "tenant": view.tenant,
        "k": min(view.known_at, now["k"]),
        "at": view.at,
        "level": int(view.level),
        "every_policy": view.policies is None,
        "policies": list(view.policies or ()),
        "generations": heads | fixed,
    }


def generations(tx: Transaction, tenant: str) -> list[Generation]:
    """Every generation of a tenant, by repository and in order."""
    found = tx.rows("read/generations", tenant=tenant)
    return [Generation(r["repository"], r["ordinal"], r["revision"], r["begins"]) for r in found]


def load(tx: Transaction, tenant: str, wanted: Wanted, identity_key: bytes) -> Snapshot:
    """Facts of now for planning."""
    keys = {rows.key_text(tenant, key): key for key in wanted.keys}
    ends = some(tx, "read/heads", "keys", keys, tenant=tenant)
    links = links_of(tx, tenant, wanted.justifications, LATEST)
    folded = {rows.joined(tenant, n.casefold()): n for n in wanted.names}
    names: dict[str, tuple[str, ...]] = {}
    for row in some(tx, "read/named", "keys", folded, tenant=tenant):
        names[row["key"]] = tuple(sorted((*names.get(row["key"], ()), row["id"])))
    there = [*some(tx, "read/present", "ids", wanted.graph, tenant=tenant), *_joined(tx, tenant, wanted.edges)]
    return Snapshot(
        tenant=tenant,
        commit=int(tx.rows("read/memory")[0]["k"]),
        identity_key=identity_key,
        records={h.record.id: h for h in held(tx, tenant, wanted.records, LATEST)},
        justifications={j.id: j for j, _ in links},
        live=frozenset(j.id for j, live in links if live),
        heads={keys[r["key"]]: Head(r["record"], r["version"]) for r in ends},
        names={n: names[key] for n in wanted.names if (key := rows.joined(tenant, n.casefold())) in names},
        graph=frozenset(r["id"] for r in there),
        backlog=queue.backlog(tx, tenant) if wanted.backlog else 0,
        forgotten=forgotten_of(tx, tenant, wanted.marks),
    )


def _joined(tx: Transaction, tenant: str, edges: Sequence[Joint]) -> list[Row]:
    asked = [{"id": edge.id, "source": edge.source} for edge in edges]
    return tx.rows("read/edges_present", rows=asked, tenant=tenant) if asked else []


def forgotten_of(tx: Transaction, tenant: str, marks: Iterable[str]) -> dict[str, str]:
    """The tombstones that bear some of the marks."""
    return {r["mark"]: r["id"] for r in some(tx, "read/forgotten", "ids", marks, tenant=tenant)}


def some(tx: Transaction, name: str, parameter: str, values: Iterable[str], **more: Any) -> list[Row]:
    """The rows of a statement for some values; none are asked for none."""
    asked = list(dict.fromkeys(values))
    return tx.rows(name, {parameter: asked}, **more) if asked else []


def held(tx: Transaction, tenant: str, ids: Iterable[str], k: int) -> Iterator[Held]:
    """Records with their assertions, block and label as of a commit, in the order of the ids."""
    for row in some(tx, "read/held", "ids", ids, tenant=tenant, k=k):
        record = rows.record_of(row["record"], k)
        live = [rows.assertion_of(record.id, a) for a in row["assertions"] if k < a["k_to"]]
        gone = {a["id"]: (rows.assertion_of(record.id, a), a["k_to"]) for a in row["assertions"] if a["k_to"] <= k}
        block = rows.block_of(record.id, row["blocks"][0]) if row["blocks"] else None
        names = {a.id for a in live}
        yield Held(
            record=record,
            standing=Standing(record.own, PREMISE_LEVEL[record.role] if live else Level.OUT, block is not None),
            touched=row["record"]["touched"],
            live=tuple(live),
            withdrawn=tuple(w for name, w in gone.items() if name not in names),
            block=block,
            label=rows.label_of(row["label"]),
        )


def links_of(tx: Transaction, tenant: str, ids: Iterable[str], k: int) -> list[tuple[Justification, bool]]:
    """Justifications by id in their newest state as of a commit, with whether it was live."""
    found = some(tx, "read/links", "ids", ids, tenant=tenant, k=k)
    return sorted(((rows.link_of(r), r["live"]) for r in found), key=lambda pair: pair[0].id)


def bodies(
    tx: Transaction, values: dict[str, Any], ids: Collection[str], frontier: Sequence[str] = ()
) -> tuple[dict[str, Found], dict[str, Entity], bool]:
    """Records by id, as far as the view admits them, and entities by id; and whether anything joins the frontier to
    something else than these."""
    things = [name for name in ids if not name.startswith("r-")]
    asked = {"ids": list(set(ids).difference(things)), "names": things}
    answer = tx.rows("read/find", values, **asked, frontier=list(frontier), taken=list(ids))[0]
    found = {}
    for properties, level, rank, support, recorded_at, assertions, open_jobs in answer["records"]:
        record = rows.record_of(properties, values["k"])
        shown = _shown(record.id, assertions, values["k"])
        waits = pending_of([queue.job_of(job) for job in open_jobs])
        found[record.id] = Found(record, level, rank, support, properties["k_from"], recorded_at, shown, waits)
    entities = {p["id"]: rows.entity_of(p) for p in answer["entities"]}
    in_order = {name: entities[name] for name in sorted(entities)}
    return {name: found[name] for name in sorted(found)}, in_order, answer["beyond"]


def _shown(record: str, assertions: Sequence[Row], k: int) -> Assertion | None:
    """The newest live assertion, else the oldest withdrawn one."""
    live = [a for a in assertions if k < a["k_to"]]
    chosen = live[-1:] or list(assertions[:1])
    return rows.assertion_of(record, chosen[0]) if chosen else None


def search(tx: Transaction, view: View, terms: Sequence[str], words: Sequence[str], limit: int) -> Hits:
    """Exact and lexical candidates of one query."""
    values = parameters(tx, view)
    named: dict[str, set[str]] = {t: set() for t in terms}
    ids = {form: t for t in terms for form in (t.casefold(), t)}
    for row in some(tx, "read/exact_records", "terms", ids, **values):
        named[ids[row["term"]]].add(row["id"])
    keys = {rows.joined(view.tenant, t.casefold()): t for t in terms}
    for row in some(tx, "read/exact_entities", "keys", keys, **values):
        for term in terms:
            if rows.joined(view.tenant, term.casefold()) == row["key"]:
                named[term].add(row["id"])
    found = tx.rows("read/lexical", values, match=_match(view.tenant, _each(words, "OR")), limit=limit) if words else []
    return Hits(
        commit=values["k"],
        exact={t: tuple(sorted(nodes)) for t, nodes in named.items() if nodes},
        lexical=tuple((r["id"], r["score"]) for r in found),
        absent=_absent(tx, values, [t for t, nodes in named.items() if not nodes]),
    )


def _match(tenant: str, condition: str) -> str:
    """A full-text expression for records of a tenant that meet a condition."""
    return f"+tenant_word:{rows.tenant_word(tenant)}^0 +({condition})"


def _each(words: Sequence[str], joint: str) -> str:
    """The condition that a record has any (OR) or all (AND) of some analysed words."""
    quoted = ['"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"' for word in words]
    return f" {joint} ".join(f"(words:{q} OR context_words:{q}^{CONTEXT_WEIGHT})" for q in quoted)


def _absent(tx: Transaction, values: dict[str, Any], terms: Sequence[str]) -> tuple[str, ...]:
    """The terms that no visible record says, as whole words or inside others; a term without words is never among
    them."""
    asked = []
    for term in terms:
        ways = [_each(words, "AND") for words in occurrence(term) if words]
        if ways:
            asked.append({"term": term, "match": _match(values["tenant"], " OR ".join(f"({way})" for way in ways))})
    occurring = {r["term"] for r in tx.rows("read/occurs", values, terms=asked)} if asked else set()
    return tuple(one["term"] for one in asked if one["term"] not in occurring)


def proof(tx: Transaction, view: View, roots: Collection[str], limit: int) -> Proof:
    """The network above the roots at the view's known time, level by level."""
    values = parameters(tx, view)
    kept: dict[str, None] = {}
    frontier = [r["id"] for r in some(tx, "read/allowed", "ids", sorted(roots), **values)]
    while frontier and len(kept) <= limit:
        kept.update(dict.fromkeys(frontier))
        above = some(tx, "read/above", "ids", frontier, **values)
        frontier = [r["id"] for r in above if r["id"] not in kept]
    names = list(kept)[:limit]
    records = {h.record.id: h for h in held(tx, view.tenant, names, values["k"])}
    links = [rows.link_of(r) for r in some(tx, "read/links_to", "ids", names, tenant=view.tenant, k=values["k"])]
    return Proof(records, {j.id: j for j in links}, len(kept) > limit)


def keyed(tx: Transaction, view: View, key: Key) -> tuple[str, ...]:
    """Every record of a key, whatever its label."""
    found = tx.rows("read/keyed", parameters(tx, view), key=rows.key_text(view.tenant, key))
    return tuple(r["id"] for r in found)


def match(tx: Transaction, tenant: str, prefix: str, limit: int) -> tuple[str, ...]:
    """Ids of records and justifications that start with a prefix."""
    values = {"tenant": tenant, "prefix": prefix, "limit": limit}
    found = [r["id"] for name in ("read/match_records", "read/match_links") for r in tx.rows(name, values)]
    return tuple(sorted(found)[:limit])


def entries(tx: Transaction, tenant: str, repository: str) -> Entries:
    """What lives at the head of a repository, by identity."""
    values = {"home": rows.joined(tenant, repository), "tenant": tenant, "open": GENERATION_OPEN}
    living = {
        kind: {r["identity"]: r["id"] for r in tx.rows(f"read/living_{kind}", values, repository=repository)}
        for kind in ("records", "edges", "sites")
    }
    mine = tuple(g for g in generations(tx, tenant) if g.repository == repository)
    return Entries(mine, living["records"], living["edges"], living["sites"])
