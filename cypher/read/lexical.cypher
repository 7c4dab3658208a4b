// Records by BM25 over their analysed words, best first.
// Parameters: match (a full-text expression), limit, tenant, k, at, level, policies, every_policy, generations.
// Uses: record_text (ProcedureCall), node_id (NodeUniqueIndexSeek).
CALL db.index.fulltext.queryNodes("record_text", $match) YIELD node, score
MATCH (r:Node {id: node.id})-[:SPAN]->(s:Span)
USING INDEX SEEK r:Node(id)
WHERE r.tenant = $tenant AND r.k_from <= $k AND ($every_policy OR r.policy IN $policies)
  AND coalesce(r.birth <= $generations[r.repository] AND $generations[r.repository] < r.death, r.repository IS NULL)
  AND s.t_from <= $at AND $at < s.t_to AND s.k_from <= $k AND $k < s.k_to AND s.level >= $level
RETURN r.id AS id, score
ORDER BY score DESC, id LIMIT $limit
