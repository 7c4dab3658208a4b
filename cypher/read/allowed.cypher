// Which of some records tenant and policies allow, whatever their label.
// Parameters: ids, tenant, k, policies, every_policy.
// Uses: node_id (NodeUniqueIndexSeek).
UNWIND $ids AS id
MATCH (r:Node {id: id})
USING INDEX SEEK r:Node(id)
WHERE r:Record AND r.tenant = $tenant AND r.k_from <= $k AND ($every_policy OR r.policy IN $policies)
RETURN r.id AS id ORDER BY id
