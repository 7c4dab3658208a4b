// Create records, each with the label of its role, its assertions and the stretches of its label.
// Parameters: rows (label, properties, assertions, spans).
// Uses: no look-up.
UNWIND $rows AS row
CREATE (r:Node:Record:$(row.label))
SET r += row.properties
FOREACH (properties IN row.assertions | CREATE (r)<-[:ASSERTS]-(a:Assertion) SET a += properties)
FOREACH (properties IN row.spans | CREATE (r)-[:SPAN]->(s:Span) SET s += properties)
