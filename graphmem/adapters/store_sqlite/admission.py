"""What a read admits. Lives here: the conditions that every read statement carries, as SQL fragments over named
parameters, and the parameters that a view gives. Lives elsewhere: the statements (read, expand).

The fragments are constants; nothing from outside is ever built into a statement.
"""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from graphmem.core.views import View

# The generation that each repository is read at: the one that the view fixes, else the newest known at its time.
GENERATIONS = """
generations (repo, at) AS (
  SELECT p.pk, coalesce((SELECT v.value FROM json_each(:generations) v WHERE v.key = p.name), max(g.ordinal))
  FROM repository p JOIN generation g ON g.repo = p.pk AND g.k_from <= :k
  WHERE p.tenant = :tenant GROUP BY p.pk)
"""

# A row with repo, birth and death lives at the view's generation of its repository.
ALIVE = """(({0}.repo = 0) OR EXISTS (SELECT 1 FROM generations shown
  WHERE shown.repo = {0}.repo AND {0}.birth <= shown.at AND shown.at < {0}.death))"""

# A span row `s` is the label in the view.
LABELLED = "s.t_from <= :at AND :at < s.t_to AND s.k_from <= :k AND :k < s.k_to AND s.level >= :level"

# The plus signs keep the planner from seeing a reason to scan the table into a Bloom filter.
ALLOWED = """+r.tenant = :tenant AND +r.k_from <= :k
  AND (:every_policy OR r.policy IN (SELECT value FROM json_each(:policies)))"""

# A record row `r` with its span row `s` is in the view.
VISIBLE = f"{ALLOWED} AND {ALIVE.format('r')} AND {LABELLED}"

# An edge row `e` is in the view: alive, and some evidence set wholly visible.
ADMITTED = f"""e.tenant = :tenant AND e.k_from <= :k AND {ALIVE.format("e")}
  AND EXISTS (SELECT 1 FROM evidence v WHERE v.edge = e.pk GROUP BY v.place
    HAVING min(EXISTS (SELECT 1 FROM record r JOIN span s ON s.record = r.pk WHERE r.pk = v.record AND {VISIBLE})))"""


def parameters(connection: sqlite3.Connection, view: View) -> dict[str, Any]:
    """The named parameters of a view, with its known time fixed to a commit that exists now."""
    newest = connection.execute("SELECT coalesce(max(k), 0) FROM commits").fetchone()[0]
    return {
        "tenant": view.tenant,
        "at": view.at,
        "k": min(view.known_at, newest),
        "level": int(view.level),
        "every_policy": view.policies is None,
        "policies": json.dumps(view.policies or ()),
        "generations": json.dumps(dict(view.generations)),
    }
