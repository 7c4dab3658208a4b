"""Memories and facts that tests are made of. Lives here: a settable clock, a tokenizer of words, a memory over any
store, short ways to commit facts and to read labels. Lives elsewhere: the stores under test (conformance/stores.py)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TypeVar

from graphmem.core.admission_policy import DEFAULT, Policy
from graphmem.core.authority import UNCONFIGURED, Authority
from graphmem.core.changes import Applied, Draft
from graphmem.core.intervals import ALWAYS, Intervals
from graphmem.core.jobs import OPEN_JOBS
from graphmem.core.labels import Label, level_at, shape
from graphmem.core.provenance import Method, Provenance
from graphmem.core.records import Entity, Key, Record, Role, entity_id
from graphmem.core.views import LATEST, View, Wanted
from graphmem.memory import Memory
from graphmem.ports.store import Store
from graphmem.services.maintaining import Handlers

T = TypeVar("T")
KEY = b"a key that is fixed for the test"
DAY = 86_400_000_000
TENANT = "acme"
NOTHING = Wanted()


class FakeClock:
    """A clock that stands still until it is set; its unit is microseconds."""

    def __init__(self, now: int = 1_000) -> None:
        self.time = now

    def now(self) -> int:
        return self.time


class Words:
    """A tokenizer that counts words."""

    name = "words"

    def count(self, text: str) -> int:
        return len(text.split())

    def excerpt(self, text: str, max_tokens: int) -> str:
        return " ".join(text.split()[:max_tokens])


def memory_over(
    store: Store,
    clock: FakeClock | None = None,
    *,
    tenant: str = TENANT,
    writer: str = "ann",
    policies: tuple[str, ...] | None = None,
    authority: Authority = UNCONFIGURED,
    handlers: Handlers | None = None,
    open_jobs: int = OPEN_JOBS,
    admission: Policy = DEFAULT,
) -> Memory:
    """The Python API over a store, at a clock that the test sets."""
    return Memory(
        store=store,
        clock=clock or FakeClock(),
        tokenizer=Words(),
        tenant=tenant,
        writer=writer,
        policies=policies,
        authority=authority,
        handlers=handlers,
        open_jobs=open_jobs,
        admission=admission,
    )


def provenance(locator: str = "src", writer: str = "ann", revision: str = "") -> Provenance:
    return Provenance("document", locator, writer, Method.ASSERTED, 1, revision=revision)


def record(text: str, role: Role = Role.OBSERVATION, own: Intervals = ALWAYS, **details: object) -> Record:
    """A record as a verb takes it: its id is still to be derived."""
    made = Record(id="", tenant=TENANT, role=role, text=text, own=own, observed_at=1)
    return replace(made, **details)  # type: ignore[arg-type]


def draft_on(store: Store, wanted: Wanted = NOTHING, *, tenant: str = TENANT, at: int = 1_000) -> Draft:
    return Draft(store.load(tenant, wanted), at=at, writer="ann", verb="test")


def commit(
    store: Store,
    plan: Callable[[Draft], T],
    *,
    records: Iterable[str] = (),
    links: Iterable[str] = (),
    keys: Iterable[Key] = (),
    tenant: str = TENANT,
) -> tuple[T, Applied]:
    """Run a plan over what it needs and apply it; returns the plan's result and what was applied."""
    draft = draft_on(store, Wanted(tuple(records), tuple(links), tuple(keys)), tenant=tenant)
    result = plan(draft)
    return result, store.apply(draft.finish())


def entity(name: str, tenant: str = TENANT, kind: str = "thing", repository: str = "") -> Entity:
    symbol = f"{repository}:{name}" if repository else name
    return Entity(entity_id(tenant, kind, repository, symbol), tenant, kind, name, symbol, repository=repository)


def view(at: int = 0, known_at: int = LATEST, tenant: str = TENANT, **more: object) -> View:
    return View(tenant, at, known_at, **more)  # type: ignore[arg-type]


def labels(store: Store, ids: Iterable[str], known_at: int = LATEST, tenant: str = TENANT) -> Mapping[str, Label]:
    """The labels of records at a known time, as the store itself tells them."""
    names = sorted(ids)
    proof = store.proof(view(known_at=known_at, tenant=tenant), names, 10_000)
    return {name: proof.records[name].label for name in names if name in proof.records}


def shapes(store: Store, ids: Iterable[str], known_at: int = LATEST) -> dict[str, tuple[tuple[int, int, int], ...]]:
    return {name: shape(label) for name, label in labels(store, ids, known_at).items()}


def level(store: Store, name: str, at: int = 0, known_at: int = LATEST) -> int:
    return level_at(labels(store, [name], known_at).get(name, ()), at)
