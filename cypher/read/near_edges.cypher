// Admitted edges that touch some nodes, by id, all in one row.
// Parameters: ids, limit, bodies (whether to tell more than ends), tenant, k, at, level, policies, every_policy,
//   generations.
// Uses: node_id (NodeUniqueIndexSeek).
UNWIND $ids AS id
MATCH (n:Node {id: id})-[e]-(:Node)
USING INDEX SEEK n:Node(id)
WHERE e.tenant = $tenant AND e.k_from <= $k
  AND (coalesce(e.repository, "") = ""
    OR (e.birth <= $generations[e.repository] AND $generations[e.repository] < e.death))
  AND EXISTS {
    UNWIND e.evidence AS place
    WITH split(place, " ") AS members
    WHERE size(members) = COUNT {
      UNWIND members AS member
      MATCH (r:Node {id: member})-[:SPAN]->(s:Span)
      USING INDEX SEEK r:Node(id)
      WHERE r.tenant = $tenant AND r.k_from <= $k AND ($every_policy OR r.policy IN $policies)
        AND (coalesce(r.repository, "") = ""
          OR (r.birth <= $generations[r.repository] AND $generations[r.repository] < r.death))
        AND s.t_from <= $at AND $at < s.t_to AND s.k_from <= $k AND $k < s.k_to AND s.level >= $level
      RETURN r
    }
    RETURN 1
  }
WITH DISTINCT e ORDER BY e.id LIMIT $limit
RETURN collect([e.id, startNode(e).id, endNode(e).id, CASE WHEN $bodies THEN properties(e) END]) AS rows
