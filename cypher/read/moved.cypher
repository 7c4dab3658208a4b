// Records with a stretch of label or an assertion that began or ended between two commits, with their label at both.
// Parameters: since, limit, tenant, k, policies, every_policy.
// Uses: span_k_from, span_k_to, assertion_k_from, assertion_k_to (NodeIndexSeekByRange).
CALL () {
  MATCH (s:Span)
  USING INDEX SEEK s:Span(k_from)
  WHERE s.k_from > $since AND s.k_from <= $k
  WITH s
  MATCH (s)<-[:SPAN]-(r:Record)
  WHERE r.tenant = $tenant AND r.k_from <= $k AND ($every_policy OR r.policy IN $policies)
  RETURN r
  UNION
  MATCH (s:Span)
  USING INDEX SEEK s:Span(k_to)
  WHERE s.k_to > $since AND s.k_to <= $k
  WITH s
  MATCH (s)<-[:SPAN]-(r:Record)
  WHERE r.tenant = $tenant AND r.k_from <= $k AND ($every_policy OR r.policy IN $policies)
  RETURN r
  UNION
  MATCH (a:Assertion)
  USING INDEX SEEK a:Assertion(k_from)
  WHERE a.k_from > $since AND a.k_from <= $k
  WITH a
  MATCH (a)-[:ASSERTS]->(r:Record)
  WHERE r.tenant = $tenant AND r.k_from <= $k AND ($every_policy OR r.policy IN $policies)
  RETURN r
  UNION
  MATCH (a:Assertion)
  USING INDEX SEEK a:Assertion(k_to)
  WHERE a.k_to > $since AND a.k_to <= $k
  WITH a
  MATCH (a)-[:ASSERTS]->(r:Record)
  WHERE r.tenant = $tenant AND r.k_from <= $k AND ($every_policy OR r.policy IN $policies)
  RETURN r
}
WITH DISTINCT r ORDER BY r.id LIMIT $limit
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
