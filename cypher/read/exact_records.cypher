// Records named by their id.
// Parameters: terms, tenant, k, at, level, policies, every_policy, generations.
// Uses: node_id (NodeUniqueIndexSeek).
UNWIND $terms AS term
MATCH (r:Node {id: term})-[:SPAN]->(s:Span)
USING INDEX SEEK r:Node(id)
WHERE r.tenant = $tenant AND r.k_from <= $k AND ($every_policy OR r.policy IN $policies)
  AND coalesce(r.birth <= $generations[r.repository] AND $generations[r.repository] < r.death, r.repository IS NULL)
  AND s.t_from <= $at AND $at < s.t_to AND s.k_from <= $k AND $k < s.k_to AND s.level >= $level
RETURN term, r.id AS id
