// Remove the jobs of records that are deleted.
// Parameters: ids (of records).
// Uses: node_id (NodeUniqueIndexSeek).
UNWIND $ids AS id
MATCH (r:Node {id: id})-[:AWAITS]->(q:Job)
USING INDEX SEEK r:Node(id)
DETACH DELETE q
