// Take the digests of what records said out of the origins of what asserts and concludes them.
// Parameters: ids.
// Uses: node_id (NodeUniqueIndexSeek).
UNWIND $ids AS id
MATCH (r:Node {id: id})<-[:ASSERTS|CONSEQUENT]-(x)
USING INDEX SEEK r:Node(id)
REMOVE x.content_hash, x.span
