// What each record brings of its own to the labelling, all in one row.
// Parameters: ids, tenant.
// Uses: node_id (NodeUniqueIndexSeek).
UNWIND $ids AS id
MATCH (r:Node {id: id})
USING INDEX SEEK r:Node(id)
WHERE r.tenant = $tenant
RETURN collect([id, r.own, r.premise, r.blocked]) AS rows
