// Records that live at the head of a repository.
// Parameters: home (tenant and repository), tenant, open.
// Uses: node_home (NodeIndexSeek).
MATCH (r:Node {home: $home})
USING INDEX SEEK r:Node(home)
WHERE r:Record AND r.tenant = $tenant AND r.identity IS NOT NULL AND r.death = $open
RETURN r.identity AS identity, r.id AS id
