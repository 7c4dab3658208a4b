// Move the heads of keys.
// Parameters: rows (key, record, version).
// Uses: head_key, node_id (NodeUniqueIndexSeek).
UNWIND $rows AS row
MERGE (h:Head {key: row.key})
SET h.version = row.version
WITH h, row
OPTIONAL MATCH (h)-[old:HEAD]->()
DELETE old
WITH DISTINCT h, row
MATCH (r:Node {id: row.record})
USING INDEX SEEK r:Node(id)
CREATE (h)-[:HEAD]->(r)
