// A page of the justifications that came from somewhere, in order of commit and id; the consequent stands first.
// Parameters: after_k, after_id, limit, source, subject, writer, since, tenant, k, policies, every_policy.
// Uses: justification_tenant (NodeIndexSeek).
MATCH (x:Justification)-[:CONSEQUENT]->(r:Node)
USING INDEX SEEK x:Justification(tenant, k_from)
WHERE x.tenant = $tenant AND x.k_from > $since AND x.k_from <= $k AND coalesce(x.locator, "") STARTS WITH $source
  AND ($subject = "" OR x.subject = $subject) AND ($writer = "" OR x.writer = $writer)
  AND r.tenant = $tenant AND r.k_from <= $k AND ($every_policy OR r.policy IN $policies)
WITH r, x WHERE x.k_from > $after_k OR (x.k_from = $after_k AND x.id > $after_id)
WITH r, x ORDER BY x.k_from, x.id LIMIT $limit
RETURN properties(x) AS p, [r.id] + COLLECT { MATCH (x)-[:ANTECEDENT]->(a) RETURN a.id ORDER BY a.id } AS names, x.informant AS detail
ORDER BY p.k_from, p.id
