// Take the next commit number; the lock on the one Memory node lets one writer in at a time.
// Parameters: none.
// Uses: memory_one (NodeUniqueIndexSeek).
MATCH (m:Memory {one: true})
SET m.k = m.k + 1
RETURN m.k AS k
