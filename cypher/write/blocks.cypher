// Block records.
// Parameters: rows (record, properties).
// Uses: node_id (NodeUniqueIndexSeek).
UNWIND $rows AS row
MATCH (r:Node {id: row.record})
USING INDEX SEEK r:Node(id)
CREATE (b:Block)-[:BLOCKS]->(r)
SET b += row.properties
