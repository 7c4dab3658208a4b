// How much a tenant holds.
// Parameters: tenant, at, open.
// Uses: record_tenant, entity_tenant, justification_tenant, commit_tenant, site_tenant, job_tenant (NodeIndexSeek).
CALL () {
  MATCH (r:Record)
  USING INDEX SEEK r:Record(tenant, k_from)
  WHERE r.tenant = $tenant AND r.k_from >= 0
  RETURN "record" AS kind, count(r) AS number
  UNION ALL
  MATCH (r:Record)
  USING INDEX SEEK r:Record(tenant, k_from)
  WHERE r.tenant = $tenant AND r.k_from >= 0 AND NOT EXISTS {
    (r)-[:SPAN]->(s:Span)
    WHERE s.k_to = $open AND s.t_from <= $at AND $at < s.t_to
  }
  RETURN "out" AS kind, count(r) AS number
  UNION ALL
  MATCH (n:Entity)
  USING INDEX SEEK n:Entity(tenant, k_from)
  WHERE n.tenant = $tenant AND n.k_from >= 0
  RETURN "entity" AS kind, count(n) AS number
  UNION ALL
  MATCH (r:Record)-[e]->(:Node)
  USING INDEX SEEK r:Record(tenant, k_from)
  WHERE r.tenant = $tenant AND r.k_from >= 0
  RETURN "edge" AS kind, count(e) AS number
  UNION ALL
  MATCH (n:Entity)-[e]->(:Node)
  USING INDEX SEEK n:Entity(tenant, k_from)
  WHERE n.tenant = $tenant AND n.k_from >= 0
  RETURN "edge" AS kind, count(e) AS number
  UNION ALL
  MATCH (x:Site)
  USING INDEX SEEK x:Site(tenant)
  WHERE x.tenant = $tenant
  RETURN "site" AS kind, count(x) AS number
  UNION ALL
  MATCH (j:Justification)
  USING INDEX SEEK j:Justification(tenant, k_from)
  WHERE j.tenant = $tenant AND j.k_from >= 0 AND j.k_to = $open
  RETURN "justification" AS kind, count(j) AS number
  UNION ALL
  MATCH (c:Commit)
  USING INDEX SEEK c:Commit(tenant, at)
  WHERE c.tenant = $tenant AND c.at <= $open
  RETURN "commits" AS kind, count(c) AS number
  UNION ALL
  MATCH (r:Record)
  USING INDEX SEEK r:Record(tenant, k_from)
  WHERE r.tenant = $tenant AND r.k_from >= 0
  RETURN "role " + r.role AS kind, count(r) AS number
  UNION ALL
  MATCH (q:Job)
  USING INDEX SEEK q:Job(tenant, k_from)
  WHERE q.tenant = $tenant AND q.k_from >= 0
  RETURN "job " + q.state AS kind, count(q) AS number
  UNION ALL
  MATCH (c:Commit)
  USING INDEX SEEK c:Commit(tenant, at)
  WHERE c.tenant = $tenant AND c.at <= $open
  RETURN "last" AS kind, coalesce(max(c.k), 0) AS number
}
RETURN kind, sum(number) AS number
