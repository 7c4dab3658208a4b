// Lift blocks.
// Parameters: ids, k, open.
// Uses: node_id (NodeUniqueIndexSeek).
UNWIND $ids AS id
MATCH (r:Node {id: id})<-[:BLOCKS]-(b:Block)
USING INDEX SEEK r:Node(id)
WHERE b.k_to = $open
SET b.k_to = $k
