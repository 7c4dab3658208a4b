// Close current stretches of labels.
// Parameters: rows (id, from: the beginnings to close, or null for all), k, open.
// Uses: node_id (NodeUniqueIndexSeek).
UNWIND $rows AS row
MATCH (r:Node {id: row.id})-[:SPAN]->(s:Span)
WHERE s.k_to = $open AND (row.from IS NULL OR s.t_from IN row.from)
SET s.k_to = $k
