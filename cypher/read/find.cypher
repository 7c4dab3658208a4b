// Records by id, as far as the view admits them.
// Parameters: ids, tenant, k, at, level, policies, every_policy, generations.
// Uses: node_id, commit_k (NodeUniqueIndexSeek).
UNWIND $ids AS id
MATCH (r:Node {id: id})-[:SPAN]->(s:Span)
USING INDEX SEEK r:Node(id)
WHERE r.tenant = $tenant AND r.k_from <= $k AND ($every_policy OR r.policy IN $policies)
  AND (coalesce(r.repository, "") = ""
    OR (r.birth <= $generations[r.repository] AND $generations[r.repository] < r.death))
  AND s.t_from <= $at AND $at < s.t_to AND s.k_from <= $k AND $k < s.k_to AND s.level >= $level
RETURN properties(r) AS record, s.level AS level, s.rank AS rank, s.support AS support,
  COLLECT {
    MATCH (c:Commit {k: r.k_from})
    USING INDEX SEEK c:Commit(k)
    RETURN c.at
  }[0] AS recorded_at,
  COLLECT {
    MATCH (r)<-[:ASSERTS]-(a:Assertion)
    WHERE a.k_from <= $k
    RETURN properties(a) AS p ORDER BY a.k_from, a.place
  } AS assertions
