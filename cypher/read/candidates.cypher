// Records of some roles for some keys, with the sources, authority and times of their live assertions.
// Parameters: keys, roles, tenant, k, at, level, policies, every_policy, generations.
// Uses: record_key (NodeIndexSeek).
UNWIND $keys AS key
MATCH (r:Record {about: key})-[:SPAN]->(s:Span)
USING INDEX SEEK r:Record(about)
WHERE r.role IN $roles AND r.tenant = $tenant AND r.k_from <= $k AND ($every_policy OR r.policy IN $policies)
  AND coalesce(r.birth <= $generations[r.repository] AND $generations[r.repository] < r.death, r.repository IS NULL)
  AND s.t_from <= $at AND $at < s.t_to AND s.k_from <= $k AND $k < s.k_to AND s.level >= $level
RETURN properties(r) AS record, s.support AS support,
  COLLECT {
    MATCH (r)<-[:ASSERTS]-(a:Assertion)
    WHERE a.k_from <= $k AND $k < a.k_to
    RETURN [a.locator, a.source_kind, a.authority, a.observed_at]
  } AS asserted
