// What may rest on each record, with its whole label and standing: all that the next level of a fall needs.
// Parameters: ids, tenant, open.
// Uses: node_id (NodeUniqueIndexSeek).
UNWIND $ids AS id
MATCH (a:Node {id: id})<-[:ANTECEDENT]-(j:Justification)-[:CONSEQUENT]->(c:Record)-[:SPAN]->(s:Span)
USING INDEX a:Node(id)
WHERE s.k_to = $open AND j.tenant = $tenant
RETURN a.id AS antecedent, j.id AS justification, j.timeless AS timeless, c.id AS consequent, c.own AS own,
  c.premise AS premise, c.blocked AS blocked, COUNT { (c)<-[:CONSEQUENT]-() } AS supports,
  collect([s.t_from, s.t_to, s.level, s.rank, s.support]) AS label
