// Which of some terms occur in a visible record.
// Parameters: terms (term, match: a full-text expression), tenant, k, at, level, policies, every_policy, generations.
// Uses: record_text (ProcedureCall), node_id (NodeUniqueIndexSeek).
UNWIND $terms AS asked
CALL (asked) {
  CALL db.index.fulltext.queryNodes("record_text", asked.match) YIELD node
  MATCH (r:Node {id: node.id})-[:SPAN]->(s:Span)
  USING INDEX SEEK r:Node(id)
  WHERE r.tenant = $tenant AND r.k_from <= $k AND ($every_policy OR r.policy IN $policies)
    AND coalesce(r.birth <= $generations[r.repository] AND $generations[r.repository] < r.death, r.repository IS NULL)
    AND s.t_from <= $at AND $at < s.t_to AND s.k_from <= $k AND $k < s.k_to AND s.level >= $level
  RETURN r LIMIT 1
}
RETURN asked.term AS term
