// Which edges are there.
// Parameters: rows (id, source, target), tenant.
// Uses: node_id (NodeUniqueIndexSeek).
UNWIND $rows AS row
MATCH (s:Node {id: row.source})-[e]->(t:Node)
WHERE t.id = row.target AND e.id = row.id AND e.tenant = $tenant
RETURN e.id AS id
