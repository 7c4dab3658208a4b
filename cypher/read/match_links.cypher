// Ids of justifications that start with a prefix.
// Parameters: prefix, tenant, limit.
// Uses: justification_id (NodeIndexSeekByRange).
MATCH (j:Justification)
USING INDEX SEEK j:Justification(id)
WHERE j.id STARTS WITH $prefix AND j.tenant = $tenant
RETURN DISTINCT j.id AS id ORDER BY id LIMIT $limit
