// Records of the next level above some records, through justifications of a known time.
// Parameters: ids, tenant, k, policies, every_policy.
// Uses: node_id (NodeUniqueIndexSeek).
UNWIND $ids AS id
MATCH (n:Node {id: id})<-[:CONSEQUENT]-(j:Justification)-[:ANTECEDENT]->(r:Node)
USING INDEX SEEK n:Node(id)
WHERE j.k_from <= $k AND $k < j.k_to
  AND r.tenant = $tenant AND r.k_from <= $k AND ($every_policy OR r.policy IN $policies)
RETURN DISTINCT r.id AS id ORDER BY id
