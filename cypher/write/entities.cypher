// Create entities that aren't there yet, with the names they are found by.
// Parameters: rows (id, label, properties, names).
// Uses: node_id, name_key (NodeUniqueIndexSeek).
UNWIND $rows AS row
MERGE (n:Node {id: row.id})
  ON CREATE SET n += row.properties, n:Entity, n:$(row.label)
WITH n, row
UNWIND row.names AS name
MERGE (m:Name {key: name})
MERGE (m)-[:NAMES]->(n)
