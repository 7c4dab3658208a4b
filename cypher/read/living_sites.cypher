// Call sites that live at the head of a repository.
// Parameters: home (tenant and repository), tenant, open.
// Uses: site_home (NodeIndexSeek).
MATCH (x:Site {home: $home})
USING INDEX SEEK x:Site(home)
WHERE x.tenant = $tenant AND x.death = $open
RETURN x.identity AS identity, x.id AS id
