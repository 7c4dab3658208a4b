// The types that properties of edges have, on a sample of them.
// Parameters: label (what stands for one), limit (edges).
// Uses: the look-up index of labels (NodeByLabelScan).
MATCH (:Node)-[e]->(:Node)
WITH e LIMIT $limit
WITH collect(e) AS sample
UNWIND sample AS e
UNWIND keys(e) AS property
RETURN $label AS label, property, collect(DISTINCT valueType(e[property])) AS types, size(sample) AS nodes
ORDER BY property
