// How many assertions came from somewhere, and of which records.
// Parameters: source, subject, writer, since, tenant, k, policies, every_policy.
// Uses: record_tenant (NodeIndexSeek).
MATCH (r:Record)<-[:ASSERTS]-(x:Assertion)
USING INDEX SEEK r:Record(tenant, k_from)
WHERE r.tenant = $tenant AND r.k_from <= $k AND ($every_policy OR r.policy IN $policies)
  AND x.k_from > $since AND x.k_from <= $k AND coalesce(x.locator, "") STARTS WITH $source
  AND ($subject = "" OR x.subject = $subject) AND ($writer = "" OR x.writer = $writer)
RETURN count(x) AS n, collect(DISTINCT r.id) AS records
