// Entities by exact name.
// Parameters: keys (tenant and folded name), tenant.
// Uses: name_key (NodeUniqueIndexSeek).
UNWIND $keys AS key
MATCH (m:Name {key: key})-[:NAMES]->(e:Entity)
USING INDEX SEEK m:Name(key)
WHERE e.tenant = $tenant
RETURN m.key AS key, e.id AS id
