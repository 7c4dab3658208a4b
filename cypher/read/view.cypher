// What a view is read at: the newest commit, and the newest generation of each repository known at a commit.
// Parameters: tenant, known.
// Uses: memory_one (NodeUniqueIndexSeek), repository_tenant (NodeIndexSeek).
MATCH (m:Memory {one: true})
RETURN m.k AS k, COLLECT {
  MATCH (p:Repository {tenant: $tenant})<-[:OF]-(g:Generation)
  USING INDEX SEEK p:Repository(tenant)
  WHERE g.k_from <= $known AND g.k_from <= m.k
  WITH p.name AS name, max(g.ordinal) AS ordinal
  RETURN [name, ordinal]
} AS generations
