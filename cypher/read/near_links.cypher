// Justifications of a known time that touch some records, by id, all in one row.
// Parameters: ids, tenant, k, limit.
// Uses: node_id (NodeUniqueIndexSeek).
UNWIND $ids AS id
MATCH (n:Node {id: id})<-[:CONSEQUENT|ANTECEDENT]-(j:Justification)
USING INDEX SEEK n:Node(id)
WHERE n.tenant = $tenant AND j.k_from <= $k AND $k < j.k_to
WITH DISTINCT j ORDER BY j.id LIMIT $limit
MATCH (j)-[:CONSEQUENT]->(c:Record)
WITH {
  link: properties(j), consequent: c.id, antecedents: COLLECT { MATCH (j)-[:ANTECEDENT]->(a) RETURN a.id }
} AS row
RETURN collect(row) AS rows
