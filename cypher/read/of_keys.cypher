// Records of some keys, whatever their label.
// Parameters: keys, tenant, k, policies, every_policy.
// Uses: record_key (NodeIndexSeek).
UNWIND $keys AS key
MATCH (r:Record {about: key})
USING INDEX SEEK r:Record(about)
WHERE r.tenant = $tenant AND r.k_from <= $k AND ($every_policy OR r.policy IN $policies)
RETURN r.id AS id
