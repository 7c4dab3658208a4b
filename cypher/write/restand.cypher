// Give records a new standing; when own is cut, earlier keeps this commit, how many numbers own had, and those.
// Parameters: rows (id, own, premise, blocked), k.
// Uses: node_id (NodeUniqueIndexSeek).
UNWIND $rows AS row
MATCH (r:Node {id: row.id})
USING INDEX SEEK r:Node(id)
SET r.earlier = CASE WHEN r.own = row.own THEN r.earlier ELSE coalesce(r.earlier, []) + [$k, size(r.own)] + r.own END,
  r.own = row.own, r.premise = row.premise, r.blocked = row.blocked, r.touched = $k
