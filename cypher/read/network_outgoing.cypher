// Live justifications that each record supports.
// Parameters: ids, tenant, open.
// Uses: node_id (NodeUniqueIndexSeek).
UNWIND $ids AS id
MATCH (b:Node {id: id})<-[:ANTECEDENT]-(j:Justification)
USING INDEX b:Node(id)
WHERE j.k_to = $open AND j.tenant = $tenant
WITH DISTINCT j
MATCH (c:Record)<-[:CONSEQUENT]-(j)-[:ANTECEDENT]->(a:Record)
RETURN j.id AS id, c.id AS consequent, j.timeless AS timeless, collect(a.id) AS antecedents
