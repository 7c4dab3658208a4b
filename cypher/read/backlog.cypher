// How many jobs of a tenant are to be done yet.
// Parameters: tenant.
// Uses: job_tenant (NodeIndexSeek).
MATCH (q:Job)
USING INDEX SEEK q:Job(tenant, k_from)
WHERE q.tenant = $tenant AND q.k_from >= 0 AND q.state <> "dead"
RETURN count(q) AS number
