// The current label of each record, all in one row.
// Parameters: ids, tenant, open.
// Uses: node_id (NodeUniqueIndexSeek).
UNWIND $ids AS id
MATCH (r:Node {id: id})-[:SPAN]->(s:Span)
USING INDEX SEEK r:Node(id)
WHERE s.k_to = $open AND r.tenant = $tenant
RETURN collect([id, s.t_from, s.t_to, s.level, s.rank, s.support]) AS rows
