// Withdraw live justifications; tells what each supported.
// Parameters: ids, k, open.
// Uses: justification_id (NodeIndexSeek).
UNWIND $ids AS id
MATCH (j:Justification {id: id})
USING INDEX SEEK j:Justification(id)
WHERE j.k_to = $open
SET j.k_to = $k
