// Justifications by id, as of a commit, each in its newest state.
// Parameters: ids, tenant, k.
// Uses: justification_id (NodeIndexSeek).
UNWIND $ids AS id
MATCH (j:Justification {id: id})-[:CONSEQUENT]->(c:Record)
USING INDEX SEEK j:Justification(id)
WHERE j.tenant = $tenant AND j.k_from <= $k
WITH j, c ORDER BY j.k_from DESC
WITH j.id AS id, head(collect({j: j, c: c})) AS newest
WITH newest.j AS j, newest.c AS c
RETURN properties(j) AS link, c.id AS consequent, COLLECT { MATCH (j)-[:ANTECEDENT]->(a) RETURN a.id } AS antecedents,
  $k < j.k_to AS live
