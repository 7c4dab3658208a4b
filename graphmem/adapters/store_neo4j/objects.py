"""The object view's connection. Lives here: joining neomodel to a database so that it can only read. Lives elsewhere:
the classes (models), the public door (graphmem.ogm)."""

from __future__ import annotations

from typing import Any

from neo4j import READ_ACCESS, GraphDatabase
from neomodel import db, get_config

from graphmem.adapters.store_neo4j.session import Address, Server
from graphmem.core.errors import StoreUnavailable


def attach(address: Address) -> None:
    """Point neomodel, in this whole process, at a memory. Every session is a reading one, so the server itself refuses
    a write."""
    _check(address)
    detach()
    driver = GraphDatabase.driver(
        address.uri,
        auth=(address.user, address.password) if address.user else None,
        max_connection_pool_size=address.pool_size,
        connection_acquisition_timeout=address.timeout_s,
    )
    opened: Any = driver.session

    def reading(**settings: Any) -> Any:
        return opened(**settings | {"default_access_mode": READ_ACCESS})

    driver.session = reading  # type: ignore[method-assign]
    get_config().database_name = address.database
    db.set_connection(driver=driver)


def detach() -> None:
    """Close neomodel's connection; closing again does nothing."""
    db.close_connection()


def _check(address: Address) -> None:
    """Raise what opening a memory there raises, or StoreUnavailable where there is none."""
    server = Server(address)
    try:
        found = server.read(lambda tx: tx.rows("read/memory"))
    finally:
        server.close()
    if not found:
        raise StoreUnavailable(f"{address.uri} holds no memory", hint="make one with: graphmem remember or ingest")
