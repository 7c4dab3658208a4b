// The head of each key. Parameters: keys (a key as tenant, entity, attribute and scope in one string). Uses: head_key
// (NodeUniqueIndexSeek).
UNWIND $keys AS key
MATCH (h:Head {key: key})-[:HEAD]->(r:Record)
RETURN h.key AS key, r.id AS record, h.version AS version
