"""Two entities are one: a person's word on it, as a use case. Lives here: finding the two, the record of the decision
and the edge that rests on it. Lives elsewhere: how a read follows the edge (the stores), retracting (writing).

Nothing is rewritten: both entities and all that joins them stay as they are, so a merge ends with its record.
"""

from __future__ import annotations

from dataclasses import dataclass

from graphmem.core import changes, verbs
from graphmem.core.changes import Draft
from graphmem.core.errors import InvalidInput, NotFound
from graphmem.core.provenance import MERGE, Method, Provenance, own_locator
from graphmem.core.records import Edge, Record, Role, canonical, named_edge
from graphmem.core.views import Joint, Wanted
from graphmem.services import writing
from graphmem.services.committing import Session, Written, acknowledge, commit
from graphmem.services.writing import Statement

SAME_AS = "same_as"


@dataclass(frozen=True, slots=True)
class Same:
    """Two entities, by name or id, that somebody says are one, and why."""

    one: str
    other: str
    reason: str


def merge(session: Session, same: Same, *, dry_run: bool = False) -> Written:
    """Say that two entities are one, as an observation with the reason as its text.

    Raises NotFound for a name that nothing has, InvalidInput for one that several have and for an entity with itself.
    """
    first, second = _entities(session, same)
    record = Record("", session.tenant, Role.OBSERVATION, same.reason, value=canonical({SAME_AS: [first, second]}))
    locator = own_locator(session.writer)
    provenance = Provenance(MERGE, locator, session.writer, Method.ASSERTED, 0)
    statement = writing.prepare(Statement(record, provenance), session.clock.now())
    record, provenance = statement.record, statement.provenance
    empty = changes.empty_snapshot(session.tenant, session.store.identity_key)
    name = changes.record_id(empty, record, provenance)
    edge = named_edge(Edge("", session.tenant, SAME_AS, first, second, ((name,),), provenance))

    def plan(draft: Draft) -> str:
        if edge.id not in draft.snapshot.graph:
            draft.edges[edge.id] = edge
        return verbs.remember(draft, record, provenance)

    wanted = Wanted(records=(name,), edges=(Joint(edge.id, first, second),))
    name, applied, now, changed = commit(session, MERGE, wanted, plan, dry_run=dry_run)
    return acknowledge(name, MERGE, applied, now, changed)


def _entities(session: Session, same: Same) -> tuple[str, str]:
    """The ids of the two, in order."""
    asked = (same.one, same.other)
    known = session.store.load(session.tenant, Wanted(names=asked, graph=asked))
    found = [_entity(name, known.graph, known.names.get(name, ())) for name in asked]
    if found[0] == found[1]:
        raise InvalidInput(f"{found[0]} is one entity already", hint="name two entities")
    return min(found), max(found)


def _entity(name: str, ids: frozenset[str], named: tuple[str, ...]) -> str:
    if name in ids and name.startswith("e-"):
        return name
    if len(named) > 1:
        raise InvalidInput(f"several entities have that name: {', '.join(named)}", hint="give an id of these")
    if not named:
        raise NotFound(f"no entity is called {name[:80]!r}", hint="see the entities of: graphmem recall NAME")
    return named[0]
