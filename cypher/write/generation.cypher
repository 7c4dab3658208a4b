// Move a repository's head.
// Parameters: key, tenant, name, ordinal, revision, begins, k.
// Uses: repository_key (MergeUniqueNode).
MERGE (p:Repository {key: $key})
  ON CREATE SET p.tenant = $tenant, p.name = $name
CREATE (:Generation {ordinal: $ordinal, revision: $revision, begins: $begins, k_from: $k})-[:OF]->(p)
