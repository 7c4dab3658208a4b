// Every record of a key, whatever its label.
// Parameters: key, tenant, k, policies, every_policy.
// Uses: record_key (NodeIndexSeek).
MATCH (r:Record {about: $key})
USING INDEX SEEK r:Record(about)
WHERE r.tenant = $tenant AND r.k_from <= $k AND ($every_policy OR r.policy IN $policies)
RETURN r.id AS id ORDER BY id
