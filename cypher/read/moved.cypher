// Records with a stretch of label or an assertion that began or ended between two commits, with their label at both.
// Parameters: since, limit, tenant, k, policies, every_policy.
// Uses: record_tenant (NodeIndexSeek).
MATCH (r:Record)
USING INDEX SEEK r:Record(tenant, k_from)
WHERE r.tenant = $tenant AND r.k_from <= $k AND ($every_policy OR r.policy IN $policies)
  AND (
    EXISTS {
      MATCH (r)-[:SPAN]->(s:Span)
      WHERE ($since < s.k_from AND s.k_from <= $k) OR ($since < s.k_to AND s.k_to <= $k)
    }
    OR EXISTS {
      MATCH (r)<-[:ASSERTS]-(a:Assertion)
      WHERE ($since < a.k_from AND a.k_from <= $k) OR ($since < a.k_to AND a.k_to <= $k)
    }
  )
WITH r ORDER BY r.id LIMIT $limit
RETURN r.id AS id, r.entity AS entity, r.attribute AS attribute, r.scope AS scope,
  COLLECT {
    MATCH (r)-[:SPAN]->(s:Span)
    WHERE s.k_from <= $since AND $since < s.k_to
    RETURN [s.t_from, s.t_to, s.level, s.rank, s.support]
  } AS before,
  COLLECT {
    MATCH (r)-[:SPAN]->(s:Span)
    WHERE s.k_from <= $k AND $k < s.k_to
    RETURN [s.t_from, s.t_to, s.level, s.rank, s.support]
  } AS after
ORDER BY id
