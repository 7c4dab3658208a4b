// Close every current stretch of some records.
// Parameters: ids, k, open.
// Uses: node_id (NodeUniqueIndexSeek).
UNWIND $ids AS id
MATCH (r:Node {id: id})-[:SPAN]->(s:Span)
USING INDEX SEEK r:Node(id)
WHERE s.k_to = $open
SET s.k_to = $k
