// Which ids of entities and sites are there. Parameters: ids. Uses: node_id and site_id (NodeUniqueIndexSeek).
UNWIND $ids AS id
OPTIONAL MATCH (n:Node {id: id})
OPTIONAL MATCH (x:Site {id: id})
WITH id WHERE n IS NOT NULL OR x IS NOT NULL
RETURN id
