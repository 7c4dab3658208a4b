// Justifications of a known time whose consequent is one of some records.
// Parameters: ids, tenant, k.
// Uses: node_id (NodeUniqueIndexSeek).
UNWIND $ids AS id
MATCH (c:Node {id: id})<-[:CONSEQUENT]-(j:Justification)
USING INDEX SEEK c:Node(id)
WHERE c.tenant = $tenant AND j.k_from <= $k AND $k < j.k_to
RETURN properties(j) AS link, c.id AS consequent, COLLECT { MATCH (j)-[:ANTECEDENT]->(a) RETURN a.id } AS antecedents
ORDER BY link.id
