// Live justifications of each record.
// Parameters: ids, tenant, open.
// Uses: node_id (NodeUniqueIndexSeek).
UNWIND $ids AS id
MATCH (c:Node {id: id})<-[:CONSEQUENT]-(j:Justification)-[:ANTECEDENT]->(a:Record)
USING INDEX c:Node(id)
WHERE j.k_to = $open AND j.tenant = $tenant
RETURN j.id AS id, c.id AS consequent, j.timeless AS timeless, collect(a.id) AS antecedents
