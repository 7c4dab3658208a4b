// The last commit of a tenant at or before an instant.
// Parameters: tenant, at.
// Uses: commit_tenant (NodeIndexSeek).
MATCH (c:Commit)
USING INDEX SEEK c:Commit(tenant, at)
WHERE c.tenant = $tenant AND c.at <= $at
RETURN coalesce(max(c.k), 0) AS k
