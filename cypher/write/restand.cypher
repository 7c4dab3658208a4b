// Give records a new standing; the first time that own is cut, claimed keeps what it was.
// Parameters: rows (id, own, premise, blocked), k.
// Uses: node_id (NodeUniqueIndexSeek).
UNWIND $rows AS row
MATCH (r:Node {id: row.id})
SET r.claimed = CASE WHEN r.own = row.own OR size(r.claimed) > 0 THEN r.claimed ELSE r.own END,
  r.own = row.own, r.premise = row.premise, r.blocked = row.blocked, r.touched = $k
