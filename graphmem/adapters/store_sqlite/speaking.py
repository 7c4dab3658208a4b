"""What speaks to keys in SQLite. Lives here: the candidates of keys, and the keys whose candidates disagree. Lives
elsewhere: which of them is believed (core.belief), and what a read admits (admission)."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from graphmem.adapters.store_sqlite.admission import GENERATIONS, VISIBLE, parameters
from graphmem.adapters.store_sqlite.read import Db
from graphmem.adapters.store_sqlite.rows import RECORD_COLUMNS, RECORD_WIDTH, record_of
from graphmem.core.belief import Candidate, Voice, candidate
from graphmem.core.labels import Level
from graphmem.core.records import BELIEVABLE, Key, Role
from graphmem.core.views import Keys, View

CANDIDATES = f"""
WITH {GENERATIONS}
SELECT {RECORD_COLUMNS}, (SELECT j.id FROM justification j WHERE j.pk = s.support), r.k_from,
  (SELECT json_group_array(json_array(a.locator, o.body ->> 'source_kind', a.authority, a.observed_at))
   FROM assertion a CROSS JOIN origin o ON o.pk = a.origin
   WHERE a.record = r.pk AND a.k_from <= :k AND :k < a.k_to)
FROM json_each(:keys) f CROSS JOIN record r INDEXED BY record_key ON r.tenant = :tenant
  AND r.entity = f.value ->> 0 AND r.attribute = f.value ->> 1 AND r.scope = f.value ->> 2
CROSS JOIN span s ON s.record = r.pk
WHERE r.entity IS NOT NULL AND {VISIBLE} AND r.role IN (SELECT value FROM json_each(:roles))
"""


def candidates(db: Db, view: View, keys: Collection[Key], claims: bool) -> dict[Key, tuple[Candidate, ...]]:
    """Records that speak, by key, with their live assertions."""
    asked = json.dumps([(k.entity, k.attribute, k.scope) for k in sorted(set(keys))])
    values = _parameters(db, view, claims) | {"keys": asked}
    found: dict[Key, tuple[Candidate, ...]] = {}
    for row in db.execute(CANDIDATES, values):
        record = record_of(row, values["k"])
        support, commit, asserted = row[RECORD_WIDTH:]
        if record.key is not None:
            made = candidate(record, (Voice(*v) for v in json.loads(asserted)), commit, support or "")
            found[record.key] = (*found.get(record.key, ()), made)
    return found


# In the order of the index, so that each key's records stand together; what is said everywhere is looked up for keys of
# a scope only.
DISPUTED = f"""
WITH {GENERATIONS}
SELECT k.entity, k.attribute, k.scope FROM (
  SELECT r.entity, r.attribute, r.scope, min(coalesce(r.value, r.text)) AS low, max(coalesce(r.value, r.text)) AS high
  FROM record r INDEXED BY record_key CROSS JOIN span s ON s.record = r.pk
  WHERE r.tenant = :tenant AND r.entity IS NOT NULL
    AND (r.entity, r.attribute, r.scope) > (:entity, :attribute, :scope)
    AND {VISIBLE} AND r.role IN (SELECT value FROM json_each(:roles))
  GROUP BY r.entity, r.attribute, r.scope) k
WHERE :claims OR k.low <> k.high OR k.scope <> '' AND EXISTS (
  SELECT 1 FROM record r INDEXED BY record_key CROSS JOIN span s ON s.record = r.pk
  WHERE r.tenant = :tenant AND r.entity = k.entity AND r.attribute = k.attribute AND r.scope = ''
    AND coalesce(r.value, r.text) <> k.low AND {VISIBLE} AND r.role IN (SELECT value FROM json_each(:roles)))
ORDER BY k.entity, k.attribute, k.scope
"""


def disputed(db: Db, view: View, after: Key | None, limit: int, claims: bool) -> Keys:
    """Keys whose records disagree among themselves or with what is said everywhere."""
    last = after or Key("", "", "")
    place = {"entity": last.entity, "attribute": last.attribute, "scope": last.scope, "claims": claims}
    found = [Key(*row) for row in db.execute(DISPUTED, _parameters(db, view, claims) | place)]
    return Keys(tuple(found[:limit]), len(found))


def _parameters(db: Db, view: View, claims: bool) -> dict[str, Any]:
    roles = [Role.CLAIM] if claims else sorted(BELIEVABLE)
    return parameters(db, view) | {"roles": json.dumps(roles), "level": int(Level.IN if claims else Level.GROUNDED)}
