// Edges that live at the head of a repository; each begins in it.
// Parameters: home (tenant and repository), repository, tenant, open.
// Uses: node_home (NodeIndexSeek).
MATCH (n:Node {home: $home})-[e]->(:Node)
USING INDEX SEEK n:Node(home)
WHERE e.tenant = $tenant AND e.repository = $repository AND e.death = $open
RETURN e.identity AS identity, e.id AS id
