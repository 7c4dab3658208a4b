// Make the one node that counts commits and holds the key that ids are derived with.
// Parameters: identity_key, schema_version.
// Uses: memory_one (MergeUniqueNode).
MERGE (m:Memory {one: true})
  ON CREATE SET m.k = 0, m.identity_key = $identity_key, m.schema_version = $schema_version
RETURN m.identity_key AS identity_key, m.schema_version AS schema_version
