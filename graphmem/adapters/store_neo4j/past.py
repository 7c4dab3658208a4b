"""What Neo4j tells over known time: lives, what moved between two commits, and audits. Lives here: what each of these
reads asks, and its answer as values. Lives elsewhere: the statements (cypher/read), reads of one known time (read)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any, TypeVar

from graphmem.adapters.store_neo4j import rows
from graphmem.adapters.store_neo4j.read import parameters
from graphmem.adapters.store_neo4j.session import Row, Transaction
from graphmem.core.auditing import Audited, Entry, Moved, Place, Sought
from graphmem.core.lifetimes import ONGOING, Commit, History, Kept, Life
from graphmem.core.records import Key
from graphmem.core.views import View

T = TypeVar("T")
KINDS = ("assertion", "justification", "edge")


def history(tx: Transaction, view: View, ids: Collection[str], keys: Collection[Key]) -> History:
    """The lives of records by id and by key."""
    values = parameters(tx, view)
    asked = set(ids)
    if keys:
        texts = [rows.key_text(view.tenant, key) for key in sorted(set(keys))]
        asked |= {r["id"] for r in tx.rows("read/of_keys", values, keys=texts)}
    found = tx.rows("read/lives", values, ids=sorted(asked)) if asked else []
    lives = {row["record"]["id"]: _life(row, values["k"]) for row in found}
    named = sorted({k for life in lives.values() for k in life.commits()})
    commits = tx.rows("read/commits", ks=named, tenant=view.tenant) if named else []
    return History(lives, {c["k"]: Commit(c["k"], c["at"], c["writer"], c["verb"]) for c in commits}, values["k"])


def _life(row: Row, k: int) -> Life:
    record = rows.record_of(row["record"], k)

    def kept(facts: Iterable[Row], read: Callable[[Any], T]) -> tuple[Kept[T], ...]:
        return tuple(
            Kept(read(p), times["k_from"], times["k_to"] if times["k_to"] <= k else ONGOING)
            for p in facts
            for times in (p.get("link", p),)
        )

    stretch = ("t_from", "t_to", "level", "rank", "support")
    return Life(
        record=record,
        born=row["record"]["k_from"],
        assertions=kept(row["assertions"], lambda p: rows.assertion_of(record.id, p)),
        blocks=kept(row["blocks"], lambda p: rows.block_of(record.id, p)),
        stretches=kept(row["spans"], lambda p: rows.segment_of(p[name] for name in stretch)),
        links=kept(row["links"], rows.link_of),
    )


def moved(tx: Transaction, view: View, since: int, limit: int) -> tuple[Moved, ...]:
    """Records that changed between two commits, with their label at each."""
    found = tx.rows("read/moved", parameters(tx, view), since=since, limit=limit)
    return tuple(Moved(r["id"], _key(r), rows.label_of(r["before"]), rows.label_of(r["after"])) for r in found)


def _key(row: Row) -> Key | None:
    return None if row["entity"] is None else Key(row["entity"], row["attribute"], row["scope"] or "")


def audit(tx: Transaction, view: View, sought: Sought, after: Place, limit: int, reach: int) -> Audited:
    """Counts, and a page of what came from somewhere."""
    values = parameters(tx, view) | {
        "source": sought.source,
        "subject": sought.subject,
        "writer": sought.writer,
        "since": sought.since,
        "after_k": after.commit,
        "after_id": after.id,
        "limit": limit + 1,
    }
    counted = {kind: tx.rows(f"read/count_{kind}s", values)[0] for kind in KINDS}
    records = {name for row in counted.values() for name in row.get("records", ())}
    resting = _resting(tx, values, records, reach)
    counts = {"record": len(records)} | {kind: int(counted[kind]["n"]) for kind in KINDS}
    counts["resting"] = min(resting, reach)
    found = [(kind, row) for kind in KINDS for row in tx.rows(f"read/audit_{kind}s", values)]
    found.sort(key=lambda pair: (pair[1]["p"]["k_from"], pair[1]["p"]["id"]))
    page = found[:limit]
    ks = sorted({row["p"]["k_from"] for _, row in page})
    times = {c["k"]: c["at"] for c in tx.rows("read/commits", ks=ks, tenant=view.tenant)}
    entries = tuple(_entry(kind, row, times, values["k"]) for kind, row in page)
    return Audited(counts, entries, len(found) > limit, resting > reach)


def _entry(kind: str, row: Row, times: dict[int, int], known: int) -> Entry:
    p = row["p"]
    end = p.get("k_to", ONGOING)
    ended = end if end <= known else 0
    names = tuple(row["names"])
    return Entry(kind, p["id"], p["k_from"], times[p["k_from"]], ended, names, rows.provenance_of(p), row["detail"])


def _resting(tx: Transaction, values: dict[str, Any], records: Collection[str], reach: int) -> int:
    """How many other records rest on some, level by level, until there are more than can be followed."""
    level, seen = sorted(records), set(records)
    while level and len(seen) - len(records) <= reach:
        level = [r["id"] for r in tx.rows("read/resting_on", values, ids=level) if r["id"] not in seen]
        seen.update(level)
    return len(seen) - len(records)
