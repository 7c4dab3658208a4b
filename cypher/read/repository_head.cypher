// The newest generation of a repository. Parameters: key. Uses: repository_key (NodeUniqueIndexSeek).
MATCH (p:Repository {key: $key})<-[:OF]-(g:Generation)
RETURN coalesce(max(g.ordinal), 0) AS ordinal
