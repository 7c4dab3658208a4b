// The commit that last touched each record. Parameters: ids. Uses: node_id (NodeUniqueIndexSeek).
UNWIND $ids AS id
MATCH (r:Node {id: id})
RETURN r.id AS id, r.touched AS touched
