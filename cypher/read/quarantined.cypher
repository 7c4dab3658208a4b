// Records that are quarantined at a commit, by the commit that did it and by id: their count, and the first of them; all in
//   one row.
// Parameters: after_k (the place that was seen last), after_id, limit, tenant, k, policies, every_policy.
// Uses: block_kind (NodeIndexSeek).
MATCH (b:Block {kind: "quarantined"})-[:BLOCKS]->(r:Record)
USING INDEX SEEK b:Block(kind)
WHERE b.k_from <= $k AND $k < b.k_to AND (b.k_from > $after_k OR b.k_from = $after_k AND r.id > $after_id)
  AND r.tenant = $tenant AND r.k_from <= $k AND ($every_policy OR r.policy IN $policies)
WITH b.k_from AS since, r.id AS id
ORDER BY since, id
WITH collect([since, id]) AS found
RETURN size(found) AS count, found[0..$limit] AS page
