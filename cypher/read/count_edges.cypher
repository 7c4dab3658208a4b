// How many edges came from somewhere, without what nobody may read.
// Parameters: source, subject, writer, since, tenant, k, policies, every_policy.
// Uses: record_tenant, entity_tenant (NodeIndexSeek), node_id (NodeUniqueIndexSeek).
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
MATCH (s)-[x]->(t:Node)
WHERE x.tenant = $tenant AND x.k_from > $since AND x.k_from <= $k AND coalesce(x.locator, "") STARTS WITH $source
  AND ($subject = "" OR x.subject = $subject) AND ($writer = "" OR x.writer = $writer)
  AND EXISTS {
    UNWIND x.evidence AS place
    WITH split(place, " ") AS members
    WHERE size(members) = COUNT {
      UNWIND members AS member
      MATCH (r:Node {id: member})
      USING INDEX SEEK r:Node(id)
      WHERE r.tenant = $tenant AND r.k_from <= $k AND ($every_policy OR r.policy IN $policies)
      RETURN r
    }
    RETURN 1
  }
RETURN count(x) AS n
