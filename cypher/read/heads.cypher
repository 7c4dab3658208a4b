// The head of each key.
// Parameters: keys (tenant, entity, attribute and scope in one string), tenant.
// Uses: head_key (NodeUniqueIndexSeek).
UNWIND $keys AS key
MATCH (h:Head {key: key})-[:HEAD]->(r:Record)
USING INDEX SEEK h:Head(key)
WHERE r.tenant = $tenant
RETURN h.key AS key, r.id AS record, h.version AS version
