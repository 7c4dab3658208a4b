// Withdraw live assertions of some records.
// Parameters: records, ids, k, open.
// Uses: node_id (NodeUniqueIndexSeek).
UNWIND $records AS record
MATCH (r:Node {id: record})<-[:ASSERTS]-(a:Assertion)
USING INDEX SEEK r:Node(id)
WHERE a.k_to = $open AND a.id IN $ids
SET a.k_to = $k
