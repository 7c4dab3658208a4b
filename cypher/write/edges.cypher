// Create edges under their own type, unless an edge of that id joins the two already.
// Parameters: rows (source, target, type, properties).
// Uses: node_id (NodeUniqueIndexSeek).
UNWIND $rows AS row
MATCH (s:Node {id: row.source})
MATCH (t:Node {id: row.target})
WHERE NOT EXISTS { (s)-[x:$(row.type)]->(t) WHERE x.id = row.properties.id }
CREATE (s)-[e:$(row.type)]->(t)
SET e = row.properties
