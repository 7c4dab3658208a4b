// Wait until the full-text index has what was written.
// Parameters: none.
// Uses: no look-up.
CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()
