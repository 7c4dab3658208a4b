// The last commit of the whole memory, its key and the version of its schema.
// Parameters: none.
// Uses: memory_one (NodeUniqueIndexSeek).
MATCH (m:Memory {one: true})
RETURN m.k AS k, m.identity_key AS identity_key, m.schema_version AS schema_version
