// Leave of where records come from only who wrote, how and when.
// Parameters: rows (id, assertions: those meant, none for all).
// Uses: node_id (NodeUniqueIndexSeek).
UNWIND $rows AS row
MATCH (r:Node {id: row.id})<-[:ASSERTS]-(x:Assertion)
USING INDEX SEEK r:Node(id)
WHERE size(row.assertions) = 0 OR x.id IN row.assertions
SET x.source_kind = "", x.locator = ""
REMOVE x.span, x.content_hash, x.revision, x.source_recorded_at, x.extractor, x.extractor_version, x.configuration_hash,
  x.subject, x.owner, x.scope, x.consent, x.conditions
