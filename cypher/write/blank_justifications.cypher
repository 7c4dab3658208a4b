// Leave of where conclusions come from only who wrote, how and when.
// Parameters: ids (of the records concluded).
// Uses: node_id (NodeUniqueIndexSeek).
UNWIND $ids AS id
MATCH (r:Node {id: id})<-[:CONSEQUENT]-(x:Justification)
USING INDEX SEEK r:Node(id)
SET x.informant = "", x.source_kind = "", x.locator = ""
REMOVE x.span, x.content_hash, x.revision, x.source_recorded_at, x.extractor, x.extractor_version, x.configuration_hash,
  x.subject, x.owner, x.scope, x.consent, x.conditions
