// What a plan rested on, and which of the names that it uses are there.
// Parameters: ids, keys, names, repository (its key), tenant.
// Uses: node_id, head_key, repository_key (NodeUniqueIndexSeek).
RETURN
  COLLECT {
    UNWIND $ids AS id
    MATCH (r:Node {id: id})
    USING INDEX SEEK r:Node(id)
    WHERE r.tenant = $tenant
    RETURN [id, r.touched]
  } AS touched,
  COLLECT {
    UNWIND $keys AS key
    MATCH (h:Head {key: key})-[:HEAD]->(r:Record)
    USING INDEX SEEK h:Head(key)
    WHERE r.tenant = $tenant
    RETURN [key, r.id, h.version]
  } AS heads,
  COLLECT {
    UNWIND $names AS name
    MATCH (n:Node {id: name})
    USING INDEX SEEK n:Node(id)
    WHERE n.tenant = $tenant
    RETURN name
  } AS names,
  COLLECT {
    MATCH (p:Repository {key: $repository})<-[:OF]-(g:Generation)
    USING INDEX SEEK p:Repository(key)
    WHERE p.tenant = $tenant
    RETURN g.ordinal
  } AS ordinals
