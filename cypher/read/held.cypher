// Records with everything that planning and explaining need, as of a commit.
// Parameters: ids, tenant, k.
// Uses: node_id (NodeUniqueIndexSeek).
UNWIND $ids AS id
MATCH (r:Node {id: id})
USING INDEX SEEK r:Node(id)
WHERE r.tenant = $tenant AND r:Record
RETURN properties(r) AS record,
  COLLECT {
    MATCH (r)<-[:ASSERTS]-(a:Assertion)
    WHERE a.k_from <= $k
    RETURN properties(a) AS p ORDER BY a.k_from, a.place
  } AS assertions,
  COLLECT {
    MATCH (r)<-[:BLOCKS]-(b:Block)
    WHERE b.k_from <= $k AND $k < b.k_to
    RETURN properties(b)
  } AS blocks,
  COLLECT {
    MATCH (r)-[:SPAN]->(s:Span)
    WHERE s.k_from <= $k AND $k < s.k_to
    RETURN [s.t_from, s.t_to, s.level, s.rank, s.support]
  } AS label
