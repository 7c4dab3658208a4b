// Everything that happened to some records up to a commit.
// Parameters: ids, tenant, k, policies, every_policy.
// Uses: node_id (NodeUniqueIndexSeek).
UNWIND $ids AS id
MATCH (r:Node {id: id})
USING INDEX SEEK r:Node(id)
WHERE r:Record AND r.tenant = $tenant AND r.k_from <= $k AND ($every_policy OR r.policy IN $policies)
RETURN properties(r) AS record,
  COLLECT {
    MATCH (r)<-[:ASSERTS]-(a:Assertion)
    WHERE a.k_from <= $k
    RETURN properties(a) AS p ORDER BY a.k_from, a.place
  } AS assertions,
  COLLECT {
    MATCH (r)<-[:BLOCKS]-(b:Block)
    WHERE b.k_from <= $k
    RETURN properties(b) AS p ORDER BY b.k_from
  } AS blocks,
  COLLECT {
    MATCH (r)-[:SPAN]->(s:Span)
    WHERE s.k_from <= $k
    RETURN properties(s) AS p ORDER BY s.k_from, s.t_from
  } AS spans,
  COLLECT {
    MATCH (r)<-[:CONSEQUENT]-(j:Justification)
    WHERE j.k_from <= $k
    RETURN {
      link: properties(j), consequent: r.id, antecedents: COLLECT { MATCH (j)-[:ANTECEDENT]->(a) RETURN a.id }
    } AS p ORDER BY j.k_from, j.id
  } AS links
