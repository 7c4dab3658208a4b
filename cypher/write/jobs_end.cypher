// Remove jobs that are done.
// Parameters: ids.
// Uses: job_id (NodeUniqueIndexSeek).
UNWIND $ids AS id
MATCH (q:Job {id: id})
USING INDEX SEEK q:Job(id)
DETACH DELETE q
