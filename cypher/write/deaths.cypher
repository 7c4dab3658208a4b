// End records of a repository at a generation.
// Parameters: rows (id, death).
// Uses: node_id (NodeUniqueIndexSeek).
UNWIND $rows AS row
MATCH (r:Node {id: row.id})
USING INDEX SEEK r:Node(id)
SET r.death = row.death
