"""An empty Neo4j for each test. A Community server has one database, so a test empties it before its first look; tests
that use the server therefore run one after another (conftest.py puts them on one worker)."""

from __future__ import annotations

from neo4j import GraphDatabase, Session

from graphmem.adapters.store_neo4j import Address, Neo4jStore
from tests.servers.neo4j import Neo4j

# The sign of a database that tests may empty. A database with anything in it and without the sign is somebody's own.
SIGN = "MERGE (t:GraphmemTests) SET t.holder = $holder"
EMPTY = "MATCH (n) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 10000 ROWS"


def address_of(server: Neo4j) -> Address:
    return Address(server.url, server.user, server.password)


def neo4j_store(server: Neo4j, holder: str, identity_key: bytes) -> Neo4jStore:
    """The memory of one holder: the one that is there when it is theirs, else a new one in an emptied database."""
    with GraphDatabase.driver(server.url, auth=(server.user, server.password)) as driver, driver.session() as session:
        if _holder(session) != holder:
            session.run(EMPTY).consume()
            session.run(SIGN, holder=holder).consume()
    return Neo4jStore(address_of(server), identity_key=identity_key)


def _holder(session: Session) -> str:
    found = session.run("OPTIONAL MATCH (t:GraphmemTests) WITH t.holder AS holder RETURN holder").single()
    holder = found and found["holder"]
    if holder is None and session.run("MATCH (n) RETURN count(n) AS n").single(strict=True)["n"]:
        raise RuntimeError("the Neo4j of the tests holds data that isn't theirs; give an empty one")
    return str(holder)
