// A tenant's tombstones.
// Parameters: tenant.
// Uses: tombstone_tenant (NodeIndexSeek).
MATCH (t:Tombstone)
USING INDEX SEEK t:Tombstone(tenant)
WHERE t.tenant = $tenant
RETURN properties(t) AS tombstone
ORDER BY t.at, t.id
