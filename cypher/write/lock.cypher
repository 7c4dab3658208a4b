// Wait for the lock that lets one writer in at a time, without taking a commit number. It sets what is so already:
//   setting k to itself would put back a k that was read before the lock.
// Parameters: none.
// Uses: memory_one (NodeUniqueIndexSeek).
MATCH (m:Memory {one: true})
SET m.one = true
