// Which digests tombstones bear, as their id or as that of what was said.
// Parameters: ids, tenant.
// Uses: tombstone_id (NodeUniqueIndexSeek), tombstone_content (NodeIndexSeek).
UNWIND $ids AS mark
CALL (mark) {
  MATCH (t:Tombstone {id: mark})
  USING INDEX SEEK t:Tombstone(id)
  RETURN t
  UNION
  MATCH (t:Tombstone {content: mark})
  USING INDEX SEEK t:Tombstone(content)
  RETURN t
}
WITH mark, t WHERE t.tenant = $tenant
RETURN mark, min(t.id) AS id
