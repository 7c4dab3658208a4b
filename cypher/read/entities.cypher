// Entities by id. Parameters: ids. Uses: node_id (NodeUniqueIndexSeek).
UNWIND $ids AS id
MATCH (n:Node {id: id})
WHERE n:Entity
RETURN properties(n) AS entity
ORDER BY n.id
