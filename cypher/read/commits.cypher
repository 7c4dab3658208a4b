// Commits of a tenant by number.
// Parameters: ks, tenant.
// Uses: commit_k (NodeUniqueIndexSeek).
UNWIND $ks AS k
MATCH (c:Commit {k: k})
USING INDEX SEEK c:Commit(k)
WHERE c.tenant = $tenant
RETURN c.k AS k, c.at AS at, c.writer AS writer, c.verb AS verb ORDER BY k
