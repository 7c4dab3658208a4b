// Which of some nodes are in the view: records by their label, entities by their tenant.
// Parameters: ids, tenant, k, at, level, policies, every_policy, generations.
// Uses: node_id (NodeUniqueIndexSeek).
UNWIND $ids AS id
MATCH (n:Node {id: id})
USING INDEX SEEK n:Node(id)
WHERE (n:Entity AND n.tenant = $tenant AND n.k_from <= $k) OR EXISTS {
  MATCH (r:Node {id: id})-[:SPAN]->(s:Span)
  USING INDEX SEEK r:Node(id)
  WHERE r.tenant = $tenant AND r.k_from <= $k AND ($every_policy OR r.policy IN $policies)
    AND (coalesce(r.repository, "") = ""
      OR (r.birth <= $generations[r.repository] AND $generations[r.repository] < r.death))
    AND s.t_from <= $at AND $at < s.t_to AND s.k_from <= $k AND $k < s.k_to AND s.level >= $level
}
RETURN n.id AS id
ORDER BY id
