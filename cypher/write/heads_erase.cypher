// Delete the heads of keys.
// Parameters: keys.
// Uses: head_key (NodeUniqueIndexSeek).
UNWIND $keys AS key
MATCH (h:Head {key: key})
USING INDEX SEEK h:Head(key)
DETACH DELETE h
