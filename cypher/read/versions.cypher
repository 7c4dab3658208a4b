// The records of each key's chain, with their place in it.
// Parameters: keys (tenant, entity, attribute and scope in one string), tenant.
// Uses: record_key (NodeIndexSeek).
UNWIND $keys AS key
MATCH (r:Record {about: key})
USING INDEX SEEK r:Record(about)
WHERE r.tenant = $tenant AND r.version > 0
RETURN key, r.id AS id, r.version AS version ORDER BY id
