// Tombstones by id.
// Parameters: ids, tenant.
// Uses: tombstone_id (NodeUniqueIndexSeek).
UNWIND $ids AS id
MATCH (t:Tombstone {id: id})
USING INDEX SEEK t:Tombstone(id)
WHERE t.tenant = $tenant
RETURN properties(t) AS tombstone ORDER BY t.id
