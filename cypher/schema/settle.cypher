// Wait until every index answers.
// Parameters: seconds.
// Uses: no look-up.
CALL db.awaitIndexes($seconds)
