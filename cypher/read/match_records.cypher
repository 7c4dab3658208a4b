// Ids of records that start with a prefix.
// Parameters: prefix, tenant, limit.
// Uses: node_id (NodeUniqueIndexSeekByRange).
MATCH (r:Node)
USING INDEX SEEK r:Node(id)
WHERE r.id STARTS WITH $prefix AND r:Record AND r.tenant = $tenant
RETURN r.id AS id ORDER BY id LIMIT $limit
