// Jobs of some records by id, of a state ("": of any), after one.
// Parameters: tenant, ids (of records), state, after, limit.
// Uses: node_id (NodeUniqueIndexSeek). The coalesce keeps the planner from seeking jobs by their ids beside the records.
UNWIND $ids AS id
MATCH (r:Node {id: id})-[:AWAITS]->(q:Job)
USING INDEX SEEK r:Node(id)
WHERE q.tenant = $tenant AND ($state = "" OR q.state = $state) AND coalesce(q.id, "") > $after
RETURN properties(q) AS job
ORDER BY q.id
LIMIT $limit
