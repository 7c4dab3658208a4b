// The current label of each record.
// Parameters: ids, tenant, open.
// Uses: node_id (NodeUniqueIndexSeek).
UNWIND $ids AS id
MATCH (r:Node {id: id})-[:SPAN]->(s:Span)
WHERE s.k_to = $open AND r.tenant = $tenant
RETURN r.id AS id, s.t_from AS t_from, s.t_to AS t_to, s.level AS level, s.rank AS rank, s.support AS support
