// Ids of every justification, live or not, that names one of some records.
// Parameters: ids, tenant.
// Uses: node_id (NodeUniqueIndexSeek).
UNWIND $ids AS id
MATCH (n:Node {id: id})<-[:CONSEQUENT|ANTECEDENT]-(j:Justification)
USING INDEX SEEK n:Node(id)
WHERE j.tenant = $tenant
RETURN DISTINCT j.id AS id ORDER BY id
