// Create records, each with the label of its role.
// Parameters: rows (label, properties).
// Uses: no look-up.
UNWIND $rows AS row
CREATE (r:Node:Record:$(row.label))
SET r = row.properties
