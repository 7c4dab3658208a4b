// Keep unresolved call sites.
// Parameters: rows (id, properties).
// Uses: site_id (NodeUniqueIndexSeek).
UNWIND $rows AS row
MERGE (x:Site {id: row.id})
  ON CREATE SET x += row.properties
