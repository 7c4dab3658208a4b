"""What speaks to keys in Neo4j. Lives here: the candidates of keys, and the keys whose candidates disagree. Lives
elsewhere: which of them is believed (core.belief)."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from graphmem.adapters.store_neo4j import rows
from graphmem.adapters.store_neo4j.read import parameters
from graphmem.adapters.store_neo4j.session import Transaction
from graphmem.core.belief import Candidate, Voice, candidate
from graphmem.core.labels import Level
from graphmem.core.records import BELIEVABLE, Key, Role
from graphmem.core.views import Keys, View


def candidates(tx: Transaction, view: View, keys: Collection[Key], claims: bool) -> dict[Key, tuple[Candidate, ...]]:
    """Records that speak, by key, with their live assertions."""
    asked = [rows.key_text(view.tenant, key) for key in sorted(set(keys))]
    found: dict[Key, tuple[Candidate, ...]] = {}
    if not asked:
        return found
    values = _parameters(tx, view, claims)
    for row in tx.rows("read/candidates", values, keys=asked):
        record = rows.record_of(row["record"], values["k"])
        if record.key is not None:
            voices = (Voice(*v) for v in row["asserted"])
            made = candidate(record, voices, row["record"]["k_from"], row["support"])
            found[record.key] = (*found.get(record.key, ()), made)
    return found


def disputed(tx: Transaction, view: View, after: Key | None, limit: int, claims: bool) -> Keys:
    """Keys whose records disagree among themselves or with what is said everywhere."""
    start = rows.key_text(view.tenant, after) if after else rows.joined(view.tenant, "")
    values = _parameters(tx, view, claims)
    said = tx.rows("read/disputed", values, prefix=rows.joined(view.tenant, ""), after=start, claims=claims)
    found = sorted(Key(row["entity"], row["attribute"], row["scope"]) for row in said)
    return Keys(tuple(found[:limit]), len(found))


def _parameters(tx: Transaction, view: View, claims: bool) -> dict[str, Any]:
    roles = [Role.CLAIM] if claims else sorted(BELIEVABLE)
    level = int(Level.IN if claims else Level.GROUNDED)
    return parameters(tx, view) | {"level": level, "roles": [role.value for role in roles]}
