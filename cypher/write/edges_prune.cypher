// Leave edges some of their evidence, and an origin that tells nothing.
// Parameters: rows (id, source, evidence).
// Uses: node_id (NodeUniqueIndexSeek).
UNWIND $rows AS row
MATCH (s:Node {id: row.source})-[x]->(:Node)
USING INDEX SEEK s:Node(id)
WHERE x.id = row.id
SET x.evidence = row.evidence, x.source_kind = "", x.locator = ""
REMOVE x.span, x.content_hash, x.revision, x.source_recorded_at, x.extractor, x.extractor_version, x.configuration_hash,
  x.subject, x.owner, x.scope, x.consent, x.conditions
