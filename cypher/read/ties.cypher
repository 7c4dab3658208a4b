// How many edges each of some entities has.
// Parameters: ids, tenant.
// Uses: node_id (NodeUniqueIndexSeek).
UNWIND $ids AS id
MATCH (n:Node {id: id})
USING INDEX SEEK n:Node(id)
WHERE n:Entity AND n.tenant = $tenant
RETURN properties(n) AS entity, COUNT { MATCH (n)-[e]-(:Node) RETURN DISTINCT e } AS edges ORDER BY n.id
