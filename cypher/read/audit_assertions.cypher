// A page of the assertions that came from somewhere, in order of commit and id.
// Parameters: after_k, after_id, limit, source, subject, writer, since, tenant, k, policies, every_policy.
// Uses: record_tenant (NodeIndexSeek).
MATCH (r:Record)<-[:ASSERTS]-(x:Assertion)
USING INDEX SEEK r:Record(tenant, k_from)
WHERE r.tenant = $tenant AND r.k_from <= $k AND ($every_policy OR r.policy IN $policies)
  AND x.k_from > $since AND x.k_from <= $k AND coalesce(x.locator, "") STARTS WITH $source
  AND ($subject = "" OR x.subject = $subject) AND ($writer = "" OR x.writer = $writer)
WITH r, x WHERE x.k_from > $after_k OR (x.k_from = $after_k AND x.id > $after_id)
WITH r, x ORDER BY x.k_from, x.id LIMIT $limit
RETURN properties(x) AS p, [r.id] AS names, "" AS detail
ORDER BY p.k_from, p.id
