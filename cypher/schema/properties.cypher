// The types that properties have, on a sample of the nodes of each label.
// Parameters: labels, limit (nodes of a label).
// Uses: the look-up index of labels (DynamicLabelNodeLookup).
UNWIND $labels AS label
CALL (label) {
  MATCH (n:$(label))
  WITH n LIMIT $limit
  WITH collect(n) AS sample
  UNWIND sample AS n
  UNWIND keys(n) AS property
  RETURN property, collect(DISTINCT valueType(n[property])) AS types, size(sample) AS nodes
}
RETURN label, property, types, nodes
ORDER BY label, property
