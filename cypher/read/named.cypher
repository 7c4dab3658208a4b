// Entities by exact name. Parameters: keys (tenant and folded name). Uses: name_key (NodeUniqueIndexSeek).
UNWIND $keys AS key
MATCH (m:Name {key: key})-[:NAMES]->(e:Entity)
RETURN m.key AS key, e.id AS id
