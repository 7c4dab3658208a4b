// Begin stretches of labels.
// Parameters: rows (id, properties).
// Uses: node_id (NodeUniqueIndexSeek).
UNWIND $rows AS row
MATCH (r:Node {id: row.id})
USING INDEX SEEK r:Node(id)
CREATE (r)-[:SPAN]->(s:Span)
SET s += row.properties
