"""Belief, why and why-not as use cases. Lives here: fetching what the pure rules read. Lives elsewhere: the rules
(core.belief, core.explain)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from graphmem.core.authority import UNCONFIGURED, Authority
from graphmem.core.belief import Belief, believe, decisive
from graphmem.core.corroboration import root_sources
from graphmem.core.errors import InvalidInput, NotFound
from graphmem.core.explain import Step, WhyNot, prove, refute, steps
from graphmem.core.premises import PremiseSets, premise_sets
from graphmem.core.records import BELIEVABLE, Key
from graphmem.core.times import format_time
from graphmem.core.views import Held, View
from graphmem.ports.store import Store


@dataclass(frozen=True, slots=True)
class Why:
    """A record's proof (when IN) or refutation (when OUT), with the records that either names. `alternatives` are
    minimal sets of premises that each hold the record up, where they were asked for; `sources` are the distinct ones
    that it rests on, by any proof."""

    record: str
    proof: Step | None
    refutation: WhyNot | None
    records: Mapping[str, Held]
    partial: bool
    alternatives: tuple[tuple[str, ...], ...] = ()
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Loser:
    """A record that says the asked value: out for a reason, of a role that is never believed, or beaten."""

    record: str
    reason: str
    refutation: WhyNot | None = None


@dataclass(frozen=True, slots=True)
class WhyNotValue:
    """Why a key doesn't have a value: the belief there is, and each record that says the value with what beat it."""

    key: Key
    value: str
    belief: Belief
    losers: tuple[Loser, ...]
    records: Mapping[str, Held]
    partial: bool


def belief(
    store: Store, view: View, key: Key, default: str | None = None, authority: Authority = UNCONFIGURED
) -> Belief:
    """The belief for a key in a view; where nothing is believed, the caller's default, else the configured one."""
    found = authority.weigh(store.candidates(view, [key]).get(key, ()))
    return believe(key, found, authority.default(key) if default is None else default)


def why(store: Store, view: View, record: str, limit: int, *, depth: int | None = None, alternatives: int = 0) -> Why:
    """The proof or refutation of a record in a view, with at most so many alternative premise sets.

    Raises NotFound for an id that the view doesn't allow, InvalidInput for a depth or number below 0.
    """
    if min(depth or 0, alternatives) < 0:
        raise InvalidInput("depth and alternatives can't be below 0", hint="leave them out, or give a number from 0 on")
    proof = store.proof(view, [record], limit)
    if record not in proof.records:
        raise NotFound(f"no record {record}", hint="ids come from recall and export")
    times = {view.at: format_time(view.at) or ""}
    root = prove(proof, record, view.at, depth)
    others = premise_sets(proof, record, view.at, alternatives) if alternatives else PremiseSets((), False)
    return Why(
        record,
        root,
        refute(proof, record, view.at, times),
        proof.records,
        proof.truncated or others.partial or (root is not None and any(step.cut for _, step in steps(root))),
        others.sets,
        root_sources(proof, record, view.at),
    )


def why_not_value(
    store: Store, view: View, key: Key, value: str, limit: int, authority: Authority = UNCONFIGURED
) -> WhyNotValue:
    """What keeps a value from being believed, record by record, in order of id."""
    candidates = {c.record.id: c for c in authority.weigh(store.candidates(view, [key]).get(key, ()))}
    found = believe(key, candidates.values())
    proof = store.proof(view, store.keyed(view, key), limit)
    times = {view.at: format_time(view.at) or ""}
    losers = []
    for name, held in sorted(proof.records.items()):
        if held.record.key != key or held.record.value != value:
            continue
        refutation = refute(proof, name, view.at, times)
        if refutation is not None:
            losers.append(Loser(name, refutation.reason, refutation))
        elif name not in candidates:
            losers.append(Loser(name, _unbelievable(held)))
        elif found.winner and found.winner.record.id != name:
            part = decisive(found.winner, candidates[name])
            losers.append(Loser(name, f"beaten-on-{part} by {found.winner.record.id}"))
    return WhyNotValue(key, value, found, tuple(losers), proof.records, proof.truncated)


def _unbelievable(held: Held) -> str:
    role = held.record.role
    return "not-grounded" if role in BELIEVABLE else f"role-{role.value}-is-never-believed"
