// Records whose present support has one of some records among its antecedents.
// Parameters: ids, tenant, k, at, level, policies, every_policy.
// Uses: node_id (NodeUniqueIndexSeek).
UNWIND $ids AS id
MATCH (a:Node {id: id})<-[:ANTECEDENT]-(j:Justification)-[:CONSEQUENT]->(r:Node)-[:SPAN]->(s:Span)
USING INDEX SEEK a:Node(id)
WHERE a.tenant = $tenant AND j.k_from <= $k AND $k < j.k_to
  AND s.t_from <= $at AND $at < s.t_to AND s.k_from <= $k AND $k < s.k_to AND s.level >= $level
  AND r.tenant = $tenant AND r.k_from <= $k AND ($every_policy OR r.policy IN $policies)
WITH r, s.support AS support, j.id AS link
WHERE support = link
RETURN DISTINCT r.id AS id
