"""What waits for a person in Neo4j. Lives here: a page of the quarantined records. Lives elsewhere: how they come there
(core.admission), the statement (cypher/read/quarantined)."""

from __future__ import annotations

from graphmem.adapters.store_neo4j.read import held, parameters
from graphmem.adapters.store_neo4j.session import Transaction
from graphmem.core.auditing import Place
from graphmem.core.views import Quarantine, View, Waiting


def quarantined(tx: Transaction, view: View, after: Place, limit: int) -> Quarantine:
    """Quarantined records after a place, by commit and id."""
    values = parameters(tx, view)
    place = {"after_k": after.commit, "after_id": after.id, "limit": limit}
    row = tx.rows("read/quarantined", values, **place)[0]
    since = {name: commit for commit, name in row["page"]}
    found = held(tx, view.tenant, since, values["k"])
    return Quarantine(tuple(Waiting(one, since[one.record.id]) for one in found), row["count"])
