// Every generation known at a commit. Parameters: tenant, k. Uses: repository_tenant (NodeIndexSeek).
MATCH (p:Repository {tenant: $tenant})<-[:OF]-(g:Generation)
WHERE g.k_from <= $k
RETURN p.name AS repository, g.ordinal AS ordinal, g.revision AS revision, g.begins AS begins
ORDER BY repository, ordinal
