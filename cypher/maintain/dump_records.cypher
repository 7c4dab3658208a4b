// A page of a tenant's records in order of commit and id.
// Parameters: tenant, k, id (the last one seen), limit.
// Uses: record_tenant (NodeIndexSeek).
MATCH (r:Record)
WHERE r.tenant = $tenant AND r.k_from >= $k AND (r.k_from > $k OR r.id > $id)
RETURN r.k_from AS k, r.id AS id
ORDER BY k, id LIMIT $limit
