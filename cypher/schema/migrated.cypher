// Note that the schema has been brought from one version to the next.
// Parameters: from, to.
// Uses: memory_one (NodeUniqueIndexSeek).
MATCH (m:Memory {one: true})
WHERE m.schema_version = $from
SET m.schema_version = $to
