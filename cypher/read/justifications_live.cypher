// The consequents of live justifications.
// Parameters: ids, tenant, open.
// Uses: justification_id (NodeIndexSeek).
UNWIND $ids AS id
MATCH (j:Justification {id: id})-[:CONSEQUENT]->(c:Record)
USING INDEX SEEK j:Justification(id)
WHERE j.k_to = $open AND j.tenant = $tenant
RETURN j.id AS id, c.id AS consequent, j.timeless AS timeless
