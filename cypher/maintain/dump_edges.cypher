// Edges that start at some nodes, by id.
// Parameters: ids, tenant.
// Uses: node_id (NodeUniqueIndexSeek).
UNWIND $ids AS id
MATCH (s:Node {id: id})-[e]->(t:Node)
USING INDEX SEEK s:Node(id)
WHERE e.tenant = $tenant
RETURN properties(e) AS edge, s.id AS source, t.id AS target
ORDER BY e.id
