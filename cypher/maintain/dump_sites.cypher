// A tenant's unresolved call sites.
// Parameters: tenant.
// Uses: site_tenant (NodeIndexSeek).
MATCH (x:Site)
WHERE x.tenant = $tenant
RETURN properties(x) AS site
ORDER BY x.k_from, x.id
