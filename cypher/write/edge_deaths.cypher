// End edges of a repository at a generation.
// Parameters: home (tenant and repository), deaths (id to generation).
// Uses: node_home (NodeIndexSeek).
MATCH (n:Node {home: $home})-[e]->(:Node)
USING INDEX SEEK n:Node(home)
WHERE e.id IN keys($deaths)
SET e.death = $deaths[e.id]
