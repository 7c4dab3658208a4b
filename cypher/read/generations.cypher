// Every generation of a tenant.
// Parameters: tenant.
// Uses: repository_tenant (NodeIndexSeek).
MATCH (p:Repository {tenant: $tenant})<-[:OF]-(g:Generation)
USING INDEX SEEK p:Repository(tenant)
RETURN p.name AS repository, g.ordinal AS ordinal, g.revision AS revision, g.begins AS begins
ORDER BY repository, ordinal
