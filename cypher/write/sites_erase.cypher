// Delete call sites.
// Parameters: ids.
// Uses: site_id (NodeUniqueIndexSeek).
UNWIND $ids AS id
MATCH (x:Site {id: id})
USING INDEX SEEK x:Site(id)
DELETE x
