// Live justifications that each record supports, all in one row.
// Parameters: ids, tenant, open.
// Uses: node_id (NodeUniqueIndexSeek).
UNWIND $ids AS id
MATCH (b:Node {id: id})<-[:ANTECEDENT]-(j:Justification)
USING INDEX SEEK b:Node(id)
WHERE j.k_to = $open AND b.tenant = $tenant
WITH DISTINCT j
MATCH (c:Node)<-[:CONSEQUENT]-(j)-[:ANTECEDENT]->(a:Node)
WITH j, c.id AS consequent, collect(a.id) AS antecedents
RETURN collect([j.id, consequent, antecedents, j.timeless]) AS rows
