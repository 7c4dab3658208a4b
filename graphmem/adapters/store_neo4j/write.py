"""Committing a ChangeSet to Neo4j, within one managed transaction. Lives here: checking what the plan expected, the
labels that follow, and the order of the writing statements. Lives elsewhere: the statements (cypher/write), the plan
(core.changes)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

from graphmem.adapters.store_neo4j import erase, queue, rows
from graphmem.adapters.store_neo4j.network import CypherNetwork
from graphmem.adapters.store_neo4j.read import forgotten_of
from graphmem.adapters.store_neo4j.session import Transaction
from graphmem.core.changes import Applied, ChangeSet, LabelChange
from graphmem.core.erasure import expect_unforgotten
from graphmem.core.errors import Conflict, NotFound
from graphmem.core.labelling import Edit, Link, Outcome, relabel
from graphmem.core.records import Edge, Key, Mode
from graphmem.core.views import Head

BATCH = 5_000  # rows of one statement; keeps a large commit within the server's memory


def commit(tx: Transaction, changes: ChangeSet) -> Applied:
    """Take the next commit number, check, compute the labels, write everything."""
    k = int(tx.rows("write/begin")[0]["k"])
    check(tx, changes)
    surrounds = erase.check(tx, changes)
    outcome = outcome_of(tx, changes)
    created = {r.id for r in changes.records}
    _write_facts(tx, changes, outcome, created, k)
    queue.write(tx, changes, k)
    _write_labels(tx, {name: change for name, change in outcome.items() if name not in created}, k)
    erase.erase(tx, changes, surrounds)
    return applied(outcome, k)


def preview(tx: Transaction, changes: ChangeSet) -> Applied:
    """What a commit would answer."""
    check(tx, changes)
    erase.check(tx, changes)
    return applied(outcome_of(tx, changes), 0)


def applied(outcome: Outcome[str], k: int) -> Applied:
    """The outcome in order of record id."""
    return Applied(k, tuple(LabelChange(name, *outcome[name]) for name in sorted(outcome)))


def check(tx: Transaction, changes: ChangeSet) -> None:
    """Raise LeaseLost when the plan's lease is gone, Conflict when a record, head or repository isn't as the plan saw
    it, and NotFound when the changes name a record or entity that is neither there nor among them."""
    queue.check(tx, changes)
    expect_unforgotten(forgotten_of(tx, changes.tenant, changes.unforgotten))
    keys = {rows.key_text(changes.tenant, key): (key, head) for key, head in changes.expects_heads.items()}
    named = _names(changes)
    found = tx.rows(
        "read/expected",
        tenant=changes.tenant,
        ids=list(changes.expects),
        keys=list(keys),
        names=list(named),
        repository=_home(changes),
    )[0]
    touched = dict(found["touched"])
    for record, seen in changes.expects.items():
        if touched.get(record, 0) != seen:
            raise Conflict(f"{record} was changed by another writer", hint="load it again and retry")
    heads = {key: Head(record, version) for key, record, version in found["heads"]}
    for text, (key, seen_head) in keys.items():
        if (head := heads.get(text)) != seen_head:
            _moved(key, head)
    if changes.generation is not None and max(found["ordinals"], default=0) + 1 != changes.generation.ordinal:
        raise Conflict(f"{changes.generation.repository} was ingested by another writer", hint="ingest it again")
    missing = named - set(found["names"])
    if missing:
        raise NotFound(f"no record or entity {min(missing)}", hint="ids come from recall and export")


def _moved(key: Key, head: Head | None) -> NoReturn:
    raise Conflict(
        f"the head of {key} was changed by another writer",
        hint="load it again and retry",
        head=head.record if head else "",
        version=head.version if head else 0,
    )


def _home(changes: ChangeSet) -> str:
    """The key of the repository that the changes move; empty for none."""
    return rows.joined(changes.tenant, changes.generation.repository) if changes.generation else ""


def _names(changes: ChangeSet) -> set[str]:
    """Every record and entity that the changes name and don't make."""
    made = {r.id for r in changes.records} | {e.id for e in changes.entities}
    return {
        *changes.standings,
        *changes.unblocks,
        *(b.record for b in changes.blocks),
        *(a.record for a in changes.assertions),
        *(h.record for h in changes.heads.values()),
        *(n for j in changes.justifications for n in (j.consequent, *j.antecedents)),
        *(n for e in changes.edges for n in (e.source, e.target)),
        *(n for e in changes.edges for place in e.evidence for n in place),
    } - made


def outcome_of(tx: Transaction, changes: ChangeSet) -> Outcome[str]:
    """The labels that the changes lead to."""
    edit: Edit[str] = Edit()
    edit.created = {r.id for r in changes.records}
    edit.standings = dict(changes.standings)
    edit.added = [
        Link(j.id, j.consequent, j.antecedents, j.mode is Mode.TIMELESS)
        for j in changes.justifications
        if j.id not in changes.withdrawn_justifications
    ]
    if changes.withdrawn_justifications:
        ids = list(changes.withdrawn_justifications)
        live = tx.rows("read/justifications_live", ids=ids, tenant=changes.tenant, open=rows.OPEN)
        edit.withdrawn = [Link(r["id"], r["consequent"], (), r["timeless"]) for r in live]
    return relabel(CypherNetwork(tx, changes.tenant), edit)


def _write_facts(tx: Transaction, changes: ChangeSet, outcome: Outcome[str], created: set[str], k: int) -> None:
    tx.tell("write/commit", k=k, at=changes.at, tenant=changes.tenant, writer=changes.writer, verb=changes.verb)
    home = _home(changes)
    if changes.generation is not None:
        g = changes.generation
        tx.tell(
            "write/generation",
            key=home,
            tenant=changes.tenant,
            name=g.repository,
            ordinal=g.ordinal,
            revision=g.revision,
            begins=g.begins,
            k=k,
        )
    asserted: dict[str, list[Any]] = {name: [] for name in created}
    later = []
    for place, assertion in enumerate(changes.assertions):
        properties = rows.assertion_properties(assertion, k, place)
        if assertion.record in created:
            asserted[assertion.record].append(properties)
        else:
            later.append({"record": assertion.record, "properties": properties})
    _each(
        tx,
        "write/records",
        changes.records,
        lambda r: {
            "label": r.role.value.title(),
            "properties": rows.record_properties(r, changes.standings[r.id], k),
            "assertions": asserted[r.id],
            "spans": [rows.span_properties(s, k) for s in outcome[r.id][1]] if r.id in outcome else [],
        },
    )
    _each(tx, "write/assertions", later, lambda row: row)
    restood = [(name, s) for name, s in changes.standings.items() if name not in created]
    _each(
        tx,
        "write/restand",
        restood,
        lambda pair: {
            "id": pair[0],
            "own": rows.flat(pair[1].own),
            "premise": int(pair[1].premise),
            "blocked": pair[1].blocked,
        },
        k=k,
    )
    if changes.deaths:
        deaths = [{"id": name, "death": death} for name, death in changes.deaths.items()]
        tx.tell("write/deaths", rows=[d for d in deaths if str(d["id"]).startswith("r-")])
        tx.tell("write/site_deaths", rows=[d for d in deaths if str(d["id"]).startswith("s-")])
        edges = {name: death for name, death in changes.deaths.items() if name.startswith("x-")}
        if edges:
            tx.tell("write/edge_deaths", home=home, deaths=edges)
    _write_supports(tx, changes, k)
    _write_graph(tx, changes, k)


def _write_supports(tx: Transaction, changes: ChangeSet, k: int) -> None:
    if changes.withdrawn_assertions:
        tx.tell(
            "write/assertions_end",
            records=list(changes.standings),
            ids=list(changes.withdrawn_assertions),
            k=k,
            open=rows.OPEN,
        )
    _each(
        tx,
        "write/justifications",
        changes.justifications,
        lambda j: {
            "consequent": j.consequent,
            "antecedents": list(j.antecedents),
            "properties": rows.link_properties(j, k),
        },
    )
    if changes.withdrawn_justifications:
        tx.tell("write/justifications_end", ids=list(changes.withdrawn_justifications), k=k, open=rows.OPEN)
    if changes.unblocks:
        tx.tell("write/blocks_end", ids=list(changes.unblocks), k=k, open=rows.OPEN)
    _each(
        tx,
        "write/blocks",
        changes.blocks,
        lambda b: {
            "record": b.record,
            "properties": {"kind": b.kind.value, "by": b.by, "k_from": k, "k_to": rows.OPEN},
        },
    )
    _each(
        tx,
        "write/heads",
        list(changes.heads.items()),
        lambda pair: {
            "key": rows.key_text(changes.tenant, pair[0]),
            "record": pair[1].record,
            "version": pair[1].version,
        },
    )


def _write_graph(tx: Transaction, changes: ChangeSet, k: int) -> None:
    _each(
        tx,
        "write/entities",
        changes.entities,
        lambda e: {
            "id": e.id,
            "label": "CodeEntity" if e.repository else "Thing",
            "properties": rows.entity_properties(e, k),
            "names": sorted(
                {rows.joined(e.tenant, n.casefold()) for n in (e.name, e.symbol, e.qualified_name, *e.aliases) if n}
            ),
        },
    )
    _each(
        tx,
        "write/edges",
        _fresh(tx, changes),
        lambda e: {
            "source": e.source,
            "target": e.target,
            "type": rows.edge_type(e.type),
            "properties": rows.edge_properties(e, k),
        },
    )
    _each(tx, "write/sites", changes.sites, lambda s: {"id": s.id, "properties": rows.site_properties(s, k)})


def _fresh(tx: Transaction, changes: ChangeSet) -> list[Edge]:
    """The edges that aren't there yet. One that begins or ends at a new record can't be."""
    made = {r.id for r in changes.records}
    old = [{"id": e.id, "source": e.source} for e in changes.edges if not {e.source, e.target} & made]
    known = {r["id"] for r in tx.rows("read/edges_present", rows=old, tenant=changes.tenant)} if old else set()
    return [e for e in changes.edges if e.id not in known]


def _each(tx: Transaction, name: str, values: Sequence[Any], row: Callable[[Any], dict[str, Any]], **more: Any) -> None:
    """Run a statement over rows made of values, in batches."""
    for start in range(0, len(values), BATCH):
        tx.tell(name, rows=[row(value) for value in values[start : start + BATCH]], **more)


def _write_labels(tx: Transaction, outcome: Outcome[str], k: int) -> None:
    """Close the stretches that ended with commit k and begin those that started with it."""
    fell = [name for name, (before, after) in outcome.items() if before and not after]
    if fell:
        tx.tell("write/labels_close", ids=fell, k=k, open=rows.OPEN)
    _each(tx, "write/labels_end", list(_ended(outcome)), lambda row: row, k=k, open=rows.OPEN)
    _each(tx, "write/labels", list(_begun(outcome, k)), lambda row: row)


def _ended(outcome: Outcome[str]) -> Iterator[dict[str, Any]]:
    for name, (before, after) in outcome.items():
        gone = [s.start for s in before if s not in after] if after else ()
        if gone:
            yield {"id": name, "from": gone}


def _begun(outcome: Outcome[str], k: int) -> Iterator[dict[str, Any]]:
    for name, (before, after) in outcome.items():
        for s in after:
            if s not in before:
                yield {"id": name, "properties": rows.span_properties(s, k)}
