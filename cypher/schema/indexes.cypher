// Every index of the database; one that a uniqueness constraint owns stands for it.
// Parameters: none.
// Uses: no look-up.
SHOW INDEXES YIELD name, type, entityType, labelsOrTypes, properties, options, owningConstraint
RETURN name, type, entityType AS entity_type, labelsOrTypes AS labels, properties,
  options.indexConfig["fulltext.analyzer"] AS analyzer, owningConstraint IS NOT NULL AS owned
ORDER BY name
