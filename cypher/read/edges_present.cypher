// Which edges are there.
// Parameters: rows (id, source), tenant.
// Uses: node_id (NodeUniqueIndexSeek).
UNWIND $rows AS row
MATCH (s:Node {id: row.source})-[e]->(:Node)
USING INDEX SEEK s:Node(id)
WHERE e.id = row.id AND e.tenant = $tenant
RETURN e.id AS id
