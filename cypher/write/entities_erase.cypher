// Delete entities, with the names that nothing else bears.
// Parameters: ids.
// Uses: node_id (NodeUniqueIndexSeek).
UNWIND $ids AS id
MATCH (n:Node {id: id})
USING INDEX SEEK n:Node(id)
WITH n, COLLECT { MATCH (m:Name)-[:NAMES]->(n) RETURN m } AS names
DETACH DELETE n
WITH names
UNWIND names AS m
WITH DISTINCT m WHERE NOT EXISTS { (m)-[:NAMES]->() }
DELETE m
