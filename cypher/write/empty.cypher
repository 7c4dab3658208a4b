// Take what records say, and what they are found by, out of them.
// Parameters: ids, status (of their evidence, or null).
// Uses: node_id (NodeUniqueIndexSeek).
UNWIND $ids AS id
MATCH (r:Node {id: id})
USING INDEX SEEK r:Node(id)
SET r.evidence_status = $status
REMOVE r.text, r.value, r.context, r.entity, r.attribute, r.scope, r.about, r.identity, r.words, r.context_words
