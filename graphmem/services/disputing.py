"""Conflicts, claims to be verified, and what a configuration changes, as use cases. Lives here: fetching what the pure
rules read, a page at a time, and a person's decision. Lives elsewhere: the rules (core.conflicts, core.authority).

Nothing of this is stored: each page is computed from what the memory holds, so it can't be out of date.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from graphmem.core.authority import Authority
from graphmem.core.belief import Belief, Candidate, believe
from graphmem.core.conflicts import Dispute, Task, common_time, everywhere, judge, to_verify
from graphmem.core.errors import InvalidInput, NotFound, NotPermitted
from graphmem.core.provenance import RESOLUTION, Method, Provenance, own_locator
from graphmem.core.records import Key, Record, Role, canonical
from graphmem.core.views import Keys, View
from graphmem.ports.store import Store
from graphmem.services import writing
from graphmem.services.committing import Session, Written
from graphmem.services.writing import Statement

T = TypeVar("T")
LIMIT = 100  # keys that a page looks at


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """What a page of keys gave, in order of the key. `looked_at` keys were judged of `count` from here on; `after` goes
    on, and is None at the end."""

    found: tuple[T, ...]
    looked_at: int
    count: int
    after: Key | None

    @property
    def partial(self) -> bool:
        return self.after is not None


@dataclass(frozen=True, slots=True)
class Difference:
    """A belief under the configuration in force, and under the proposed one."""

    old: Belief
    new: Belief


@dataclass(frozen=True, slots=True)
class Decision:
    """A person's word on a conflict: the record whose value is kept, or a value, and why."""

    key: Key
    reason: str
    keep: str = ""
    value: str | None = None


def conflicts(
    store: Store, view: View, authority: Authority, after: Key | None, limit: int, *, settled: bool
) -> Page[Dispute]:
    """A page of the conflict queue. Raises InvalidInput for a limit below 1."""
    page = store.disputed(view, after, _positive(limit))
    said = store.candidates(view, {k for key in page.keys for k in (key, everywhere(key))})
    judged = [_judged(authority, key, said.get(key, ()), said.get(everywhere(key), ())) for key in page.keys]
    return _page(page, tuple(d for d in judged if d and (settled or not d.settled_by)))


def conflict(store: Store, view: View, authority: Authority, key: Key) -> Dispute | None:
    """The conflict about one key."""
    said = store.candidates(view, {key, everywhere(key)})
    return _judged(authority, key, said.get(key, ()), said.get(everywhere(key), ()))


def _judged(authority: Authority, key: Key, own: tuple[Candidate, ...], wider: tuple[Candidate, ...]) -> Dispute | None:
    return judge(key, authority.weigh(own), authority.weigh(wider, key) if key.scope else ())


def tasks(store: Store, view: View, authority: Authority, after: Key | None, limit: int) -> Page[Task]:
    """A page of claims to be verified. Raises InvalidInput for a limit below 1."""
    page = store.disputed(view, after, _positive(limit), claims=True)
    claims = store.candidates(view, page.keys, claims=True)
    said = store.candidates(view, page.keys)
    found = [
        task
        for key in page.keys
        for task in to_verify(claims.get(key, ()), believe(key, authority.weigh(said.get(key, ()))))
    ]
    return _page(page, tuple(found))


def changes(
    store: Store, view: View, configurations: tuple[Authority, Authority], after: Key | None, limit: int
) -> Page[Difference]:
    """A page of the beliefs that differ between two configurations. Raises InvalidInput for a limit below 1."""
    page = store.disputed(view, after, _positive(limit))
    said = store.candidates(view, page.keys)
    pairs = (
        Difference(*(believe(key, rules.weigh(said.get(key, ()))) for rules in configurations)) for key in page.keys
    )
    return _page(page, tuple(pair for pair in pairs if _said(pair.old) != _said(pair.new)))


def _said(belief: Belief) -> str | None:
    return belief.winner.said if belief.winner else None


def _positive(limit: int) -> int:
    if limit < 1:
        raise InvalidInput(f"the limit is {limit}", hint="give a limit of 1 or more")
    return limit


def _page(page: Keys, found: tuple[T, ...]) -> Page[T]:
    more = page.count > len(page.keys)
    return Page(found, len(page.keys), page.count, page.keys[-1] if more else None)


def resolve(
    session: Session, view: View, authority: Authority, decision: Decision, *, dry_run: bool = False
) -> Written:
    """Write a person's decision as an observation that the key then answers with; nothing else changes."""
    key = decision.key
    found = conflict(session.store, view, authority, key)
    if found is None:
        raise NotFound(f"there is no conflict about {key}", hint="see: graphmem conflicts list")
    value, policy, sensitivity = _decided(found, decision)
    strongest = max(found.sides, key=lambda side: side.order)
    source = own_locator(session.writer)
    rule = authority.deciding(key, source, RESOLUTION)
    if rule is not None and rule.authority < strongest.authority:
        raise NotPermitted(
            f"{source} has authority {rule.authority} for {key}, and {strongest.record.id} has {strongest.authority}",
            hint=f"have somebody with more authority decide, or change line {rule.line} of {authority.name}",
        )
    observed = max(session.clock.now(), strongest.observed_at)
    record = Record(
        id="",
        tenant=session.tenant,
        role=Role.OBSERVATION,
        text=decision.reason,
        key=key,
        value=value,
        own=common_time(found.sides, view.at),
        observed_at=observed,
        authority=strongest.authority,
        policy=policy,
        sensitivity=sensitivity,
    )
    # The newest commit among the sides makes a second decision, on what came later, a record of its own.
    known = (("sides-known-at", str(max(side.commit for side in found.sides))),)
    provenance = Provenance(RESOLUTION, source, session.writer, Method.ASSERTED, 0, conditions=known)
    return writing.remember(session, Statement(record, provenance), dry_run=dry_run)


def _decided(found: Dispute, decision: Decision) -> tuple[str | None, str, str]:
    """The value that was decided on, and the policy and sensitivity of the side that it comes from, else of the answer
    until now. Raises InvalidInput for none, two, or a record that is no side."""
    if bool(decision.keep) == (decision.value is not None):
        raise InvalidInput("a decision needs a value or a record", hint="give either --value V or --keep ID")
    kept = found.sides[0]
    if decision.keep:
        named = [side for side in found.sides if side.record.id == decision.keep]
        if not named:
            raise InvalidInput(
                f"{decision.keep} is no side of the conflict about {found.key}", hint="see: graphmem conflicts show KEY"
            )
        kept = named[0]
    said = kept.record.value if kept.record.value is not None else canonical(kept.record.text)
    return said if decision.value is None else decision.value, kept.record.policy, kept.record.sensitivity
