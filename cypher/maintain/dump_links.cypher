// A page of a tenant's justifications in order of commit and id.
// Parameters: tenant, k, id (the last one seen), limit.
// Uses: justification_tenant (NodeIndexSeek).
MATCH (j:Justification)
USING INDEX SEEK j:Justification(tenant, k_from)
WHERE j.tenant = $tenant AND j.k_from >= $k AND (j.k_from > $k OR j.id > $id)
RETURN j.k_from AS k, j.id AS id
ORDER BY k, id LIMIT $limit
