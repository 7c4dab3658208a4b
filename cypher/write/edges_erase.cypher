// Delete edges.
// Parameters: rows (id, source).
// Uses: node_id (NodeUniqueIndexSeek).
UNWIND $rows AS row
MATCH (s:Node {id: row.source})-[x]->(:Node)
USING INDEX SEEK s:Node(id)
WHERE x.id = row.id
DELETE x
