// Put up tombstones that aren't there yet.
// Parameters: rows (id, properties).
// Uses: tombstone_id (NodeUniqueIndexSeek).
UNWIND $rows AS row
MERGE (t:Tombstone {id: row.id})
  ON CREATE SET t += row.properties
