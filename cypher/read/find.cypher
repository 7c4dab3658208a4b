// Records by id, as far as the view admits them: properties, level, rank, support, when it was taken in, assertions, jobs;
//   entities by id; and whether anything joins a frontier to a node that wasn't taken; all in one row.
// Parameters: ids, names (of entities), frontier, taken, tenant, k, at, level, policies, every_policy, generations.
// Uses: node_id, commit_k (NodeUniqueIndexSeek).
RETURN
  COLLECT {
    UNWIND $ids AS id
    MATCH (r:Node {id: id})-[:SPAN]->(s:Span)
    USING INDEX SEEK r:Node(id)
    WHERE r.tenant = $tenant AND r.k_from <= $k AND ($every_policy OR r.policy IN $policies)
      AND coalesce(r.birth <= $generations[r.repository] AND $generations[r.repository] < r.death, r.repository IS NULL)
      AND s.t_from <= $at AND $at < s.t_to AND s.k_from <= $k AND $k < s.k_to AND s.level >= $level
    RETURN [
      properties(r), s.level, s.rank, s.support,
      COLLECT {
        MATCH (c:Commit {k: r.k_from})
        USING INDEX SEEK c:Commit(k)
        RETURN c.at
      }[0],
      COLLECT {
        MATCH (r)<-[:ASSERTS]-(a:Assertion)
        WHERE a.k_from <= $k
        RETURN properties(a) AS p ORDER BY a.k_from, a.place
      },
      COLLECT {
        MATCH (r)-[:AWAITS]->(q:Job)
        RETURN properties(q)
      }
    ]
  } AS records,
  COLLECT {
    UNWIND $names AS name
    MATCH (n:Node {id: name})
    USING INDEX SEEK n:Node(id)
    WHERE n:Entity AND n.tenant = $tenant
    RETURN properties(n)
  } AS entities,
  EXISTS {
    UNWIND $frontier AS id
    MATCH (n:Node {id: id})
    USING INDEX SEEK n:Node(id)
    WHERE EXISTS {
      MATCH (n)-[e]-(m:Node)
      WHERE NOT m.id IN $taken AND e.tenant = $tenant AND e.k_from <= $k
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
    } OR EXISTS {
      MATCH (n)<-[:CONSEQUENT|ANTECEDENT]-(j:Justification)-[:CONSEQUENT|ANTECEDENT]->(m:Node)
      WHERE NOT m.id IN $taken AND n.tenant = $tenant AND j.k_from <= $k AND $k < j.k_to
    }
    RETURN id
  } AS beyond
