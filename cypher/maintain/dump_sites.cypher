// A tenant's unresolved call sites.
// Parameters: tenant.
// Uses: site_tenant (NodeIndexSeek).
MATCH (x:Site)
USING INDEX SEEK x:Site(tenant)
WHERE x.tenant = $tenant
RETURN properties(x) AS site
ORDER BY x.k_from, x.id
