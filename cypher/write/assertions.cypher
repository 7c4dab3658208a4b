// Create assertions of records.
// Parameters: rows (record, properties).
// Uses: node_id (NodeUniqueIndexSeek).
UNWIND $rows AS row
MATCH (r:Node {id: row.record})
USING INDEX SEEK r:Node(id)
CREATE (a:Assertion)-[:ASSERTS]->(r)
SET a += row.properties
