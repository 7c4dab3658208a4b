// Live justifications of each record, all in one row.
// Parameters: ids, tenant, open.
// Uses: node_id (NodeUniqueIndexSeek).
UNWIND $ids AS id
MATCH (c:Node {id: id})<-[:CONSEQUENT]-(j:Justification)-[:ANTECEDENT]->(a:Node)
USING INDEX SEEK c:Node(id)
WHERE j.k_to = $open AND c.tenant = $tenant
WITH j, c.id AS consequent, collect(a.id) AS antecedents
RETURN collect([j.id, consequent, antecedents, j.timeless]) AS rows
