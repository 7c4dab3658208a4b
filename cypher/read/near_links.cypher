// Justifications of a known time that touch some records, by id.
// Parameters: ids, tenant, k, limit.
// Uses: node_id (NodeUniqueIndexSeek).
UNWIND $ids AS id
MATCH (n:Node {id: id})<-[:CONSEQUENT|ANTECEDENT]-(j:Justification)
USING INDEX n:Node(id)
WHERE j.tenant = $tenant AND j.k_from <= $k AND $k < j.k_to
WITH DISTINCT j ORDER BY j.id LIMIT $limit
MATCH (j)-[:CONSEQUENT]->(c:Record)
RETURN properties(j) AS link, c.id AS consequent, COLLECT { MATCH (j)-[:ANTECEDENT]->(a) RETURN a.id } AS antecedents
ORDER BY link.id
