// What currently rests on each record, with its whole label and standing: all that the next level of a fall needs.
// Parameters: ids, open. Uses: node_id (NodeUniqueIndexSeek).
UNWIND $ids AS id
MATCH (a:Node {id: id})<-[:ANTECEDENT]-(j:Justification)-[:CONSEQUENT]->(c:Record)
MATCH (c)-[:SPAN]->(s:Span)
WHERE s.k_to = $open
RETURN a.id AS antecedent, j.id AS justification, j.timeless AS timeless, c.id AS consequent, c.own AS own,
  c.premise AS premise, c.blocked AS blocked, COUNT { (c)<-[:CONSEQUENT]-() } AS supports,
  collect([s.t_from, s.t_to, s.level, s.rank, s.support]) AS label
