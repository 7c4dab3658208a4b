// The oldest job of each lane, where it is due and of an asked kind and lane ("": of any).
// Parameters: tenant, now, kinds, every_kind, lane, limit.
// Uses: job_tenant, job_lane (NodeIndexSeek).
MATCH (q:Job)
USING INDEX SEEK q:Job(tenant, k_from)
WHERE q.tenant = $tenant AND q.k_from >= 0 AND q.state <> "dead" AND q.due_at <= $now
  AND ($every_kind OR q.kind IN $kinds) AND ($lane = "" OR q.lane = $lane)
  AND NOT EXISTS {
    MATCH (o:Job {lane: q.lane})
    USING INDEX SEEK o:Job(lane)
    WHERE o.tenant = $tenant AND o.state <> "dead"
      AND (o.k_from < q.k_from OR (o.k_from = q.k_from AND o.place < q.place))
  }
RETURN properties(q) AS job
ORDER BY q.k_from, q.place
LIMIT $limit
