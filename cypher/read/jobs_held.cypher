// Jobs that are leased under a token, unless their record is deleted.
// Parameters: tenant, leases (id, token), open.
// Uses: job_id (NodeUniqueIndexSeek).
UNWIND $leases AS lease
MATCH (q:Job {id: lease.id})
USING INDEX SEEK q:Job(id)
WHERE q.tenant = $tenant AND q.state = "leased" AND q.token = lease.token
  AND NOT EXISTS {
    MATCH (q)<-[:AWAITS]-(:Record)<-[:BLOCKS]-(b:Block)
    WHERE b.kind = "deleted" AND b.k_to = $open
  }
RETURN properties(q) AS job
