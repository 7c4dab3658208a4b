// Keys whose records of some roles say different things, or something else than those of no scope; with claims, every
//   key that has such records.
// Parameters: prefix (of the tenant's keys), after (the last key seen), roles, claims, tenant, k, at, level, policies,
//   every_policy, generations.
// Uses: record_key (NodeIndexSeekByRange, NodeIndexSeek).
MATCH (r:Record)-[:SPAN]->(s:Span)
USING INDEX SEEK r:Record(about)
WHERE r.about STARTS WITH $prefix AND r.about > $after
  AND r.role IN $roles AND r.tenant = $tenant AND r.k_from <= $k AND ($every_policy OR r.policy IN $policies)
  AND coalesce(r.birth <= $generations[r.repository] AND $generations[r.repository] < r.death, r.repository IS NULL)
  AND s.t_from <= $at AND $at < s.t_to AND s.k_from <= $k AND $k < s.k_to AND s.level >= $level
WITH r.about AS about, r.entity AS entity, r.attribute AS attribute, coalesce(r.scope, "") AS scope,
  min(coalesce(r.value, r.text)) AS low, max(coalesce(r.value, r.text)) AS high
WITH *, left(about, size(about) - size(scope)) AS everywhere
WHERE $claims OR low <> high OR scope <> "" AND EXISTS {
  MATCH (r:Record {about: everywhere})-[:SPAN]->(s:Span)
  USING INDEX SEEK r:Record(about)
  WHERE r.role IN $roles AND r.tenant = $tenant AND r.k_from <= $k AND ($every_policy OR r.policy IN $policies)
    AND coalesce(r.birth <= $generations[r.repository] AND $generations[r.repository] < r.death, r.repository IS NULL)
    AND s.t_from <= $at AND $at < s.t_to AND s.k_from <= $k AND $k < s.k_to AND s.level >= $level
    AND coalesce(r.value, r.text) <> low
}
RETURN entity, attribute, scope
