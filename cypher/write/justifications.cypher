// Create justifications with what they join.
// Parameters: rows (consequent, antecedents, properties).
// Uses: node_id (NodeUniqueIndexSeek).
UNWIND $rows AS row
MATCH (c:Node {id: row.consequent})
USING INDEX SEEK c:Node(id)
CREATE (j:Justification)-[:CONSEQUENT]->(c)
SET j += row.properties
WITH row, j
UNWIND row.antecedents AS antecedent
MATCH (a:Node {id: antecedent})
USING INDEX SEEK a:Node(id)
CREATE (j)-[:ANTECEDENT]->(a)
