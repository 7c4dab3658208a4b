// Create justifications with what they join.
// Parameters: rows (consequent, antecedents, properties).
// Uses: node_id (NodeUniqueIndexSeek).
UNWIND $rows AS row
MATCH (c:Node {id: row.consequent})
CREATE (j:Justification)-[:CONSEQUENT]->(c)
SET j = row.properties
WITH row, j
UNWIND row.antecedents AS antecedent
MATCH (a:Node {id: antecedent})
CREATE (j)-[:ANTECEDENT]->(a)
