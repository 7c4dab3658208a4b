// Which ids of entities and sites are there.
// Parameters: ids, tenant.
// Uses: node_id, site_id (NodeUniqueIndexSeek).
UNWIND $ids AS id
WITH id
WHERE EXISTS {
  MATCH (n:Node {id: id})
  USING INDEX SEEK n:Node(id)
  WHERE n.tenant = $tenant
} OR EXISTS {
  MATCH (x:Site {id: id})
  USING INDEX SEEK x:Site(id)
  WHERE x.tenant = $tenant
}
RETURN id
