// Records whose key is of an entity.
// Parameters: key (tenant and entity in one string, with the mark that follows), tenant.
// Uses: record_key (NodeIndexSeekByRange).
MATCH (r:Record)
USING INDEX SEEK r:Record(about)
WHERE r.about STARTS WITH $key AND r.tenant = $tenant
RETURN r.id AS id ORDER BY id
