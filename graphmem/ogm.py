"""The object view of a memory in Neo4j, for reading: neomodel classes with their relationships, to query and to walk.

    from graphmem import ogm

    ogm.connect("neo4j://neo4j@127.0.0.1:7687")
    for summary in ogm.Summary.nodes.filter(tenant="default"):
        for reason in summary.justified_by.filter(k_to=ogm.OPEN):
            print(summary.text, "because of", [record.text for record in reason.antecedents])
    ogm.close()

It shows everything that the database holds: every tenant, every policy, what is OUT and what has been withdrawn. It
decides nothing; what may be believed is Memory's to say. The connection belongs to the whole process, as neomodel has
it, and only reads: the server refuses a write. docs/reference/graph-model.md explains the classes and properties.

Lives here: the public names. Lives elsewhere: the classes and the connection (adapters.store_neo4j). Importing this
module raises Unsupported where the extra neo4j isn't installed.
"""

from __future__ import annotations

from graphmem.core.errors import Unsupported

try:
    from graphmem.adapters.store_neo4j.models import (
        Assertion,
        Block,
        Claim,
        CodeEntity,
        Commit,
        Edge,
        Entity,
        Generation,
        Head,
        Inference,
        Job,
        Justification,
        Name,
        Node,
        Observation,
        Record,
        Repository,
        Site,
        Source,
        Span,
        Summary,
        Thing,
    )
    from graphmem.adapters.store_neo4j.objects import attach, detach
    from graphmem.adapters.store_neo4j.rows import OPEN
except ImportError as error:
    raise Unsupported("the object view needs neomodel", hint="pip install 'graphmem[neo4j]'") from error

__all__ = [
    "OPEN",
    "Assertion",
    "Block",
    "Claim",
    "CodeEntity",
    "Commit",
    "Edge",
    "Entity",
    "Generation",
    "Head",
    "Inference",
    "Job",
    "Justification",
    "Name",
    "Node",
    "Observation",
    "Record",
    "Repository",
    "Site",
    "Source",
    "Span",
    "Summary",
    "Thing",
    "close",
    "connect",
]


def connect(url: str | None = None) -> None:
    """Read from the memory at a Neo4j URL (default: the environment's), in this whole process, until `close`.

    Raises InvalidInput for a URL of another kind, StoreUnavailable when no memory can be reached there.
    """
    from graphmem.wiring import neo4j_address

    attach(neo4j_address(url))


def close() -> None:
    """End the connection; closing again does nothing."""
    detach()
