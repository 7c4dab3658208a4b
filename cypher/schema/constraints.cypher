// Constraints that own no index; graphmem has none of that kind.
// Parameters: none.
// Uses: no look-up.
SHOW CONSTRAINTS YIELD name, type, labelsOrTypes, properties, ownedIndex
WHERE ownedIndex IS NULL
RETURN name, type, labelsOrTypes AS labels, properties
ORDER BY name
