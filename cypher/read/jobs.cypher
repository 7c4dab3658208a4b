// Jobs of a tenant by id, of a state ("": of any), after one.
// Parameters: tenant, state, after, limit.
// Uses: job_tenant (NodeIndexSeek).
MATCH (q:Job)
USING INDEX SEEK q:Job(tenant, k_from)
WHERE q.tenant = $tenant AND q.k_from >= 0 AND ($state = "" OR q.state = $state) AND q.id > $after
RETURN properties(q) AS job
ORDER BY q.id
LIMIT $limit
