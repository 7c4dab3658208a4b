// Wait for the lock that lets one writer in at a time, without taking a commit number.
// Parameters: none.
// Uses: memory_one (NodeUniqueIndexSeek).
MATCH (m:Memory {one: true})
SET m.k = m.k
