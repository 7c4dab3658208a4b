// Entities of exactly some name that an admitted edge touches.
// Parameters: keys (tenant and folded name), tenant, k, at, level, policies, every_policy, generations.
// Uses: name_key (NodeUniqueIndexSeek).
UNWIND $keys AS key
MATCH (m:Name {key: key})-[:NAMES]->(n:Entity)
USING INDEX SEEK m:Name(key)
WHERE EXISTS {
  MATCH (n)-[e]-(:Node)
  WHERE e.tenant = $tenant AND e.k_from <= $k
    AND coalesce(e.birth <= $generations[e.repository] AND $generations[e.repository] < e.death, e.repository IS NULL)
    AND EXISTS {
      UNWIND e.evidence AS place
      WITH split(place, " ") AS members
      WHERE size(members) = COUNT {
        UNWIND members AS member
        MATCH (r:Node {id: member})-[:SPAN]->(s:Span)
        USING INDEX SEEK r:Node(id)
        WHERE r.tenant = $tenant AND r.k_from <= $k AND ($every_policy OR r.policy IN $policies)
          AND coalesce(r.birth <= $generations[r.repository] AND $generations[r.repository] < r.death, r.repository IS NULL)
          AND s.t_from <= $at AND $at < s.t_to AND s.k_from <= $k AND $k < s.k_to AND s.level >= $level
        RETURN r
      }
      RETURN 1
    }
}
RETURN key, n.id AS id
