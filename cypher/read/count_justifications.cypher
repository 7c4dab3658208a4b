// How many justifications came from somewhere, and of which records.
// Parameters: source, subject, writer, since, tenant, k, policies, every_policy.
// Uses: justification_tenant (NodeIndexSeek).
MATCH (x:Justification)-[:CONSEQUENT]->(r:Node)
USING INDEX SEEK x:Justification(tenant, k_from)
WHERE x.tenant = $tenant AND x.k_from > $since AND x.k_from <= $k AND coalesce(x.locator, "") STARTS WITH $source
  AND ($subject = "" OR x.subject = $subject) AND ($writer = "" OR x.writer = $writer)
  AND r.tenant = $tenant AND r.k_from <= $k AND ($every_policy OR r.policy IN $policies)
RETURN count(x) AS n, collect(DISTINCT r.id) AS records
