"""What waits for a person in SQLite. Lives here: a page of the quarantined records. Lives elsewhere: how they come
there (core.admission), and what a read admits (admission)."""

from __future__ import annotations

from graphmem.adapters.store_sqlite.admission import ALLOWED, parameters
from graphmem.adapters.store_sqlite.read import Db, held
from graphmem.core.auditing import Place
from graphmem.core.views import Quarantine, View, Waiting

WAITING = f"""block b INDEXED BY block_quarantined CROSS JOIN record r ON r.pk = b.record
WHERE b.kind = 'quarantined' AND b.k_to > :k AND b.k_from <= :k AND (b.k_from, +r.id) > (:after_k, :after_id)
  AND {ALLOWED}"""
QUARANTINED = f"SELECT r.pk, b.k_from FROM {WAITING} ORDER BY b.k_from, r.id LIMIT :limit"
COUNT = f"SELECT count(*) FROM {WAITING}"


def quarantined(db: Db, view: View, after: Place, limit: int) -> Quarantine:
    """Quarantined records after a place, by commit and id."""
    values = parameters(db, view) | {"after_k": after.commit, "after_id": after.id, "limit": limit}
    since = dict(db.execute(QUARANTINED, values).fetchall())
    found = held(db, list(since), values["k"])
    waiting = tuple(Waiting(one, commit) for one, commit in zip(found, since.values(), strict=True))
    return Quarantine(waiting, db.execute(COUNT, values).fetchone()[0])
