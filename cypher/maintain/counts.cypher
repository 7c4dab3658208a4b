// How much a tenant holds.
// Parameters: tenant, open.
// Uses: record_tenant, entity_tenant, justification_tenant, commit_tenant (NodeIndexSeekByRange), site_tenant
//   (NodeIndexSeek).
CALL () {
  MATCH (r:Record) WHERE r.tenant = $tenant RETURN "record" AS kind, count(r) AS number
  UNION ALL
  MATCH (r:Record) WHERE r.tenant = $tenant AND NOT EXISTS { (r)-[:SPAN]->(s:Span) WHERE s.k_to = $open }
  RETURN "out" AS kind, count(r) AS number
  UNION ALL
  MATCH (n:Entity) WHERE n.tenant = $tenant RETURN "entity" AS kind, count(n) AS number
  UNION ALL
  MATCH (r:Record)-[e]->(:Node) WHERE r.tenant = $tenant RETURN "edge" AS kind, count(e) AS number
  UNION ALL
  MATCH (n:Entity)-[e]->(:Node) WHERE n.tenant = $tenant RETURN "edge" AS kind, count(e) AS number
  UNION ALL
  MATCH (x:Site) WHERE x.tenant = $tenant RETURN "site" AS kind, count(x) AS number
  UNION ALL
  MATCH (j:Justification) WHERE j.tenant = $tenant AND j.k_to = $open RETURN "justification" AS kind, count(j) AS number
  UNION ALL
  MATCH (c:Commit) WHERE c.tenant = $tenant RETURN "commits" AS kind, count(c) AS number
  UNION ALL
  MATCH (r:Record) WHERE r.tenant = $tenant RETURN "role " + r.role AS kind, count(r) AS number
  UNION ALL
  MATCH (c:Commit) WHERE c.tenant = $tenant RETURN "last" AS kind, coalesce(max(c.k), 0) AS number
}
RETURN kind, sum(number) AS number
