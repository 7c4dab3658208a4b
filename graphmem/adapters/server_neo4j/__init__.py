"""A managed local Neo4j Community for one user: a real server without Docker, Maven or an installed Java.

Lives here, one step a file: the Java to run it (java), the jars it consists of (resolve, fetch, library), its
configuration and first password (configuration), its port (loopback), its process (process), what is remembered of it
(state), and the order of it all (server). Lives elsewhere: the store that speaks to it.
"""

from __future__ import annotations

from graphmem.adapters.server_neo4j.resolve import DEFAULT_VERSION
from graphmem.adapters.server_neo4j.server import ManagedNeo4j

__all__ = ["DEFAULT_VERSION", "ManagedNeo4j"]
