// Change jobs; a property that is null goes.
// Parameters: rows (id, properties).
// Uses: job_id (NodeUniqueIndexSeek).
UNWIND $rows AS row
MATCH (q:Job {id: row.id})
USING INDEX SEEK q:Job(id)
SET q += row.properties
