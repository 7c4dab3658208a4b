// Which edges are there. Parameters: rows (id, source, target). Uses: node_id (NodeUniqueIndexSeek).
UNWIND $rows AS row
MATCH (s:Node {id: row.source})-[e]->(t:Node {id: row.target})
WHERE e.id = row.id
RETURN e.id AS id
