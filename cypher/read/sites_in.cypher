// Call sites of some files.
// Parameters: rows (home: tenant and repository, locator), tenant.
// Uses: site_home (NodeIndexSeek).
UNWIND $rows AS row
MATCH (x:Site {home: row.home})
USING INDEX SEEK x:Site(home)
WHERE x.tenant = $tenant AND x.locator = row.locator
RETURN properties(x) AS site ORDER BY x.k_from, x.id
