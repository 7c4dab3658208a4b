// A page of a tenant's records in order of commit, version and id, so that each stands after the one that it
//   supersedes.
// Parameters: tenant, k, version, id (of the last one seen), limit.
// Uses: record_tenant (NodeIndexSeek).
MATCH (r:Record)
USING INDEX SEEK r:Record(tenant, k_from)
WHERE r.tenant = $tenant AND r.k_from >= $k
  AND (r.k_from > $k OR r.version > $version OR (r.version = $version AND r.id > $id))
RETURN r.k_from AS k, r.version AS version, r.id AS id
ORDER BY k, version, id LIMIT $limit
