// Close current stretches of labels by their beginnings.
// Parameters: rows (id, from: a list), k, open.
// Uses: node_id (NodeUniqueIndexSeek).
UNWIND $rows AS row
MATCH (r:Node {id: row.id})-[:SPAN]->(s:Span)
USING INDEX SEEK r:Node(id)
WHERE s.k_to = $open AND s.t_from IN row.from
SET s.k_to = $k
