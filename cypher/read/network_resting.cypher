// What may rest on each record, with its whole label and standing, how many justifications it ever had and how many it
//   is part of: all that the next level of a fall needs, in one row.
// Parameters: ids, tenant, open.
// Uses: node_id (NodeUniqueIndexSeek).
UNWIND $ids AS id
MATCH (a:Node {id: id})<-[:ANTECEDENT]-(j:Justification)-[:CONSEQUENT]->(c:Node)-[:SPAN]->(s:Span)
USING INDEX SEEK a:Node(id)
WHERE s.k_to = $open AND a.tenant = $tenant
RETURN collect([
  id, j.id, j.timeless, c.id, s.t_from, s.t_to, s.level, s.rank, s.support, c.own, c.premise, c.blocked,
  COUNT { (c)<-[:CONSEQUENT]-() }, COUNT { (c)<-[:ANTECEDENT]-() }
]) AS rows
