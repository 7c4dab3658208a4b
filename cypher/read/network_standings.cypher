// What each record brings of its own to the labelling.
// Parameters: ids, tenant.
// Uses: node_id (NodeUniqueIndexSeek).
UNWIND $ids AS id
MATCH (r:Node {id: id})
WHERE r.tenant = $tenant
RETURN r.id AS id, r.own AS own, r.premise AS premise, r.blocked AS blocked
