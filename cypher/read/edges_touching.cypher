// Every edge that has one of some records as an end or as evidence. Evidence is no look-up, so all edges are looked at.
// Parameters: ids, tenant, k.
// Uses: record_tenant, entity_tenant (NodeIndexSeek).
CALL () {
  MATCH (s:Record)
  USING INDEX SEEK s:Record(tenant, k_from)
  WHERE s.tenant = $tenant AND s.k_from <= $k
  RETURN s
  UNION ALL
  MATCH (s:Entity)
  USING INDEX SEEK s:Entity(tenant, k_from)
  WHERE s.tenant = $tenant AND s.k_from <= $k
  RETURN s
}
MATCH (s)-[e]->(t:Node)
WHERE e.tenant = $tenant AND (s.id IN $ids OR t.id IN $ids
  OR any(place IN e.evidence WHERE any(member IN split(place, " ") WHERE member IN $ids)))
RETURN properties(e) AS edge, s.id AS source, t.id AS target ORDER BY edge.id
