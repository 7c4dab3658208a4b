// Which of some nodes are in the view: records by their label, entities by their tenant; all in one row.
// Parameters: ids, tenant, k, at, level, policies, every_policy, generations.
// Uses: node_id (NodeUniqueIndexSeek).
UNWIND $ids AS id
MATCH (n:Node {id: id})
USING INDEX SEEK n:Node(id)
WHERE CASE WHEN n:Entity THEN n.tenant = $tenant AND n.k_from <= $k ELSE EXISTS {
  MATCH (n)-[:SPAN]->(s:Span)
  WHERE n.tenant = $tenant AND n.k_from <= $k AND ($every_policy OR n.policy IN $policies)
    AND coalesce(n.birth <= $generations[n.repository] AND $generations[n.repository] < n.death, n.repository IS NULL)
    AND s.t_from <= $at AND $at < s.t_to AND s.k_from <= $k AND $k < s.k_to AND s.level >= $level
} END
RETURN collect(n.id) AS ids
