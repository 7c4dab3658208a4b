// Enqueue jobs of records; one that is there stays as it is.
// Parameters: rows (id, record, properties).
// Uses: node_id, job_id (NodeUniqueIndexSeek).
UNWIND $rows AS row
MATCH (r:Node {id: row.record})
USING INDEX SEEK r:Node(id)
MERGE (q:Job {id: row.id})
  ON CREATE SET q += row.properties
MERGE (r)-[:AWAITS]->(q)
