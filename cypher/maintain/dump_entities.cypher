// A page of a tenant's entities in order of commit and id.
// Parameters: tenant, k, id (the last one seen), limit.
// Uses: entity_tenant (NodeIndexSeek).
MATCH (n:Entity)
USING INDEX SEEK n:Entity(tenant, k_from)
WHERE n.tenant = $tenant AND n.k_from >= $k AND (n.k_from > $k OR n.id > $id)
RETURN n.k_from AS k, n.id AS id, properties(n) AS entity
ORDER BY k, id LIMIT $limit
