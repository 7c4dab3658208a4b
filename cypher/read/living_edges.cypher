// Edges that live at the head of a repository. Parameters: home (tenant and repository), repository, open. Uses:
// node_home (NodeIndexSeek).
MATCH (n:Node {home: $home})-[e]->(:Node)
WHERE e.repository = $repository AND e.death = $open
RETURN e.identity AS identity, e.id AS id
