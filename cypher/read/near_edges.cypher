// Admitted edges that touch some nodes, by id.
// Parameters: ids, limit, tenant, k, at, level, policies, every_policy, generations.
// Uses: node_id (NodeUniqueIndexSeek).
UNWIND $ids AS id
MATCH (n:Node {id: id})-[e]-(:Node)
WHERE e.tenant = $tenant AND e.k_from <= $k
  AND (e.repository = "" OR (e.birth <= $generations[e.repository] AND $generations[e.repository] < e.death))
  AND EXISTS {
    UNWIND e.evidence AS place
    WITH split(place, " ") AS members
    WHERE size(members) = COUNT {
      UNWIND members AS member
      MATCH (r:Node {id: member})-[:SPAN]->(s:Span)
      WHERE r.tenant = $tenant AND r.k_from <= $k AND ($every_policy OR r.policy IN $policies)
        AND (r.repository = "" OR (r.birth <= $generations[r.repository] AND $generations[r.repository] < r.death))
        AND s.t_from <= $at AND $at < s.t_to AND s.k_from <= $k AND $k < s.k_to AND s.level >= $level
      RETURN r
    }
    RETURN 1
  }
WITH DISTINCT e, startNode(e) AS source, endNode(e) AS target
RETURN e.id AS id, source.id AS source, target.id AS target, properties(e) AS edge
ORDER BY id LIMIT $limit
