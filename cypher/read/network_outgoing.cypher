// Live justifications that each record supports. Parameters: ids, open. Uses: node_id (NodeUniqueIndexSeek).
UNWIND $ids AS id
MATCH (b:Node {id: id})<-[:ANTECEDENT]-(j:Justification)
WHERE j.k_to = $open
WITH DISTINCT j
MATCH (c:Record)<-[:CONSEQUENT]-(j)-[:ANTECEDENT]->(a:Record)
RETURN j.id AS id, c.id AS consequent, j.timeless AS timeless, collect(a.id) AS antecedents
