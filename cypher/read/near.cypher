// What joins some nodes to others, by id, and which of the ends that weren't taken yet are in the view; all in one row.
// Parameters: ids, taken (nodes that are there already), limit (of edges and of justifications), tenant, k, at, level,
//   policies, every_policy, generations.
// Uses: node_id (NodeUniqueIndexSeek).
CALL () {
  UNWIND $ids AS id
  MATCH (n:Node {id: id})-[e]-(:Node)
  USING INDEX SEEK n:Node(id)
  WHERE e.tenant = $tenant AND e.k_from <= $k
    AND coalesce(e.birth <= $generations[e.repository] AND $generations[e.repository] < e.death, e.repository IS NULL)
    AND EXISTS {
      UNWIND e.evidence AS place
      WITH split(place, " ") AS members
      WHERE size(members) = COUNT {
        UNWIND members AS member
        MATCH (r:Node {id: member})-[:SPAN]->(s:Span)
        USING INDEX SEEK r:Node(id)
        WHERE r.tenant = $tenant AND r.k_from <= $k AND ($every_policy OR r.policy IN $policies)
          AND coalesce(r.birth <= $generations[r.repository] AND $generations[r.repository] < r.death, r.repository IS NULL)
          AND s.t_from <= $at AND $at < s.t_to AND s.k_from <= $k AND $k < s.k_to AND s.level >= $level
        RETURN r
      }
      RETURN 1
    }
  WITH DISTINCT e ORDER BY e.id LIMIT $limit
  RETURN collect([startNode(e), endNode(e)]) AS edge_ends,
    collect([e.id, startNode(e).id, endNode(e).id, properties(e)]) AS edges
}
CALL (edges) {
  UNWIND $ids AS id
  MATCH (n:Node {id: id})<-[:CONSEQUENT|ANTECEDENT]-(j:Justification)
  USING INDEX SEEK n:Node(id)
  WHERE n.tenant = $tenant AND j.k_from <= $k AND $k < j.k_to
  WITH DISTINCT j ORDER BY j.id LIMIT $limit
  MATCH (j)-[:CONSEQUENT]->(c:Record)
  WITH j, c, COLLECT { MATCH (j)-[:ANTECEDENT]->(a) RETURN a } AS antecedents
  RETURN collect([c] + antecedents) AS link_ends,
    collect({link: properties(j), consequent: c.id, antecedents: [a IN antecedents | a.id]}) AS links
}
RETURN edges, links, COLLECT {
  UNWIND edge_ends + link_ends AS ends
  UNWIND ends AS n
  WITH DISTINCT n
  WHERE NOT n.id IN $taken AND CASE WHEN n:Entity THEN n.tenant = $tenant AND n.k_from <= $k ELSE EXISTS {
    MATCH (n)-[:SPAN]->(s:Span)
    WHERE n.tenant = $tenant AND n.k_from <= $k AND ($every_policy OR n.policy IN $policies)
      AND coalesce(n.birth <= $generations[n.repository] AND $generations[n.repository] < n.death, n.repository IS NULL)
      AND s.t_from <= $at AND $at < s.t_to AND s.k_from <= $k AND $k < s.k_to AND s.level >= $level
  } END
  RETURN n.id
} AS visible
