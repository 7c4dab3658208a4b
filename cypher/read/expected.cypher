// What a plan rested on, and which of the names that it uses are there.
// Parameters: ids, keys, names, repository (its key), tenant.
// Uses: node_id, head_key, repository_key (NodeUniqueIndexSeek).
RETURN
  COLLECT {
    UNWIND $ids AS id
    MATCH (r:Node {id: id})
    WHERE r.tenant = $tenant
    RETURN [id, r.touched]
  } AS touched,
  COLLECT {
    UNWIND $keys AS key
    MATCH (h:Head {key: key})-[:HEAD]->(r:Record)
    WHERE r.tenant = $tenant
    RETURN [key, r.id, h.version]
  } AS heads,
  COLLECT {
    UNWIND $names AS name
    MATCH (n:Node {id: name})
    WHERE n.tenant = $tenant
    RETURN name
  } AS names,
  COLLECT {
    MATCH (p:Repository {key: $repository})<-[:OF]-(g:Generation)
    WHERE p.tenant = $tenant
    RETURN g.ordinal
  } AS ordinals
