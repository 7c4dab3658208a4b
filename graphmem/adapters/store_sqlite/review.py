"""What waits for a person in SQLite. Lives here: a page of the quarantined records. Lives elsewhere: how they come
there (core.admission), and what a read admits (admission)."""

from __future__ import annotations

from graphmem.adapters.store_sqlite.admission import ALLOWED, parameters
from graphmem.adapters.store_sqlite.read import Db, held
from graphmem.core.auditing import Place
from graphmem.core.views import Quarantine, View, Waiting

# The record is looked up in an expression: as a joined table the planner would put it all into a Bloom filter.
WAITING = f"""(SELECT b.record, b.k_from, (SELECT r.id FROM record r WHERE r.pk = b.record AND {ALLOWED}) AS id
  FROM block b INDEXED BY block_quarantined WHERE b.kind = 'quarantined' AND b.k_to > :k AND b.k_from <= :k)
WHERE id IS NOT NULL AND (k_from, id) > (:after_k, :after_id)"""
QUARANTINED = f"SELECT record, k_from FROM {WAITING} ORDER BY k_from, id LIMIT :limit"
COUNT = f"SELECT count(*) FROM {WAITING}"


def quarantined(db: Db, view: View, after: Place, limit: int) -> Quarantine:
    """Quarantined records after a place, by commit and id."""
    values = parameters(db, view) | {"after_k": after.commit, "after_id": after.id, "limit": limit}
    since = dict(db.execute(QUARANTINED, values).fetchall())
    found = held(db, list(since), values["k"])
    waiting = tuple(Waiting(one, commit) for one, commit in zip(found, since.values(), strict=True))
    return Quarantine(waiting, db.execute(COUNT, values).fetchone()[0])
