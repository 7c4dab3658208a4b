// Create edges under their own type.
// Parameters: rows (source, target, type, properties).
// Uses: node_id (NodeUniqueIndexSeek).
UNWIND $rows AS row
MATCH (s:Node {id: row.source})
USING INDEX SEEK s:Node(id)
CALL (row) {
  MATCH (t:Node {id: row.target})
  USING INDEX SEEK t:Node(id)
  RETURN t
}
CREATE (s)-[e:$(row.type)]->(t)
SET e += row.properties
