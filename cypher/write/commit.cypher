// Record who committed what and when.
// Parameters: k, at, tenant, writer, verb.
// Uses: no look-up.
CREATE (:Commit {k: $k, at: $at, tenant: $tenant, writer: $writer, verb: $verb})
