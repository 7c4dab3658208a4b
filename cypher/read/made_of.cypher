// Records whose producers rest on some records: the next level of what loses its text with them.
// Parameters: ids, tenant.
// Uses: node_id (NodeUniqueIndexSeek).
UNWIND $ids AS id
MATCH (n:Node {id: id})<-[:ANTECEDENT]-(j:Justification)-[:CONSEQUENT]->(r:Node)
USING INDEX SEEK n:Node(id)
WHERE r.tenant = $tenant AND r.producer = j.id
RETURN DISTINCT r.id AS id ORDER BY id
