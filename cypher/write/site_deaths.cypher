// End call sites at a generation.
// Parameters: rows (id, death).
// Uses: site_id (NodeUniqueIndexSeek).
UNWIND $rows AS row
MATCH (x:Site {id: row.id})
USING INDEX SEEK x:Site(id)
SET x.death = row.death
