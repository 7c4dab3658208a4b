"""Copying a tenant from one store to another. Lives here: the copy, and the proof that both sides hold the same. Lives
elsewhere: the lines that facts travel as (services.line_writer) and how they are read back (services.transferring).

A digest of many facts is the sum of the SHA-256 of each, so it depends on no order and takes no memory.
Source: MSet-Add-Hash of Clarke et al., Incremental Multiset Hash Functions (2003), without its key: it is to notice
accidents, not forgers.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from graphmem.core.labels import shape
from graphmem.core.views import Fact, Held
from graphmem.ports.store import Store
from graphmem.services.committing import Session
from graphmem.services.line_writer import line_of
from graphmem.services.transferring import import_lines

KINDS = ("generation", "entity", "record", "justification", "edge", "site", "tombstone", "label")
DIGEST_BITS = 256
REFERENCES = ("supersedes", "consequent", "source", "target", "receipt")  # fields that name a record

OnFact = Callable[[str, int, int], None]  # the step, the facts done so far, about how many there are


@dataclass(frozen=True, slots=True)
class Tally:
    """How many facts of a kind there are, and the digest of all of them, in hexadecimal digits."""

    count: int
    digest: str


@dataclass(frozen=True, slots=True)
class CopyReport:
    """What a copy did and what it found afterwards. `source` and `target` have a Tally for each of KINDS, where label
    is the shape of each record's label. `same_ids` is False where the target's identity key is its own: then facts were
    compared by what they say and not by their ids."""

    tenant: str
    source_location: str
    target_location: str
    commits: int
    same_ids: bool
    source: Mapping[str, Tally]
    target: Mapping[str, Tally]

    @property
    def equal(self) -> bool:
        """Whether both sides hold the same facts and the same labels."""
        return self.source == self.target


def copy(source: Store, target: Session, *, on_fact: OnFact | None = None) -> CopyReport:
    """Bring every fact of now of the target's tenant from another store, then read both sides' digests.

    What is there already is left as it is, so a copy that was interrupted goes on when it is started again. What the
    target holds beyond the source stays, and makes the report unequal.
    """
    same_ids = source.identity_key == target.store.identity_key
    given, kept = _Tallies(same_ids), _Tallies(same_ids)
    before = source.status(target.tenant)
    step = _step(on_fact, "copying", sum(before.counts.get(kind, 0) for kind in KINDS))
    imported = import_lines(target, given.lines(step(source.dump(target.tenant))), exact=True)
    step = _step(on_fact, "comparing", imported.lines)
    for _ in kept.lines(step(target.store.dump(target.tenant))):
        pass
    return CopyReport(
        tenant=target.tenant,
        source_location=before.location,
        target_location=target.store.status(target.tenant).location,
        commits=imported.commits,
        same_ids=same_ids,
        source=given.found(),
        target=kept.found(),
    )


def _step(on_fact: OnFact | None, name: str, total: int) -> Callable[[Iterable[Fact]], Iterator[Fact]]:
    """The facts as they come, with word of each to whoever watches."""

    def watched(facts: Iterable[Fact]) -> Iterator[Fact]:
        for number, fact in enumerate(facts, 1):
            yield fact
            if on_fact is not None:
                on_fact(name, number, max(number, total))

    return watched


class _Tallies:
    """Counts and digests of a stream of facts.

    Without the same ids on both sides a record is known by the digest of what it says, and what names it says that. A
    record waits for the one that it supersedes, a block for the record that it is in the name of; a name that nobody
    bears stays as it is, so it differs from one that somebody does.
    """

    def __init__(self, same_ids: bool) -> None:
        self.same_ids = same_ids
        self.names: dict[str, str] = {}
        self.counts = dict.fromkeys(KINDS, 0)
        self.sums = dict.fromkeys(KINDS, 0)
        self.waiting: dict[str, list[tuple[Held, dict[str, Any]]]] = {}
        self.blocked: list[dict[str, Any]] = []

    def lines(self, facts: Iterable[Fact]) -> Iterator[str]:
        """Each fact as a line of JSON, counted when the next one is asked for."""
        for fact in facts:
            line = line_of(fact)
            yield json.dumps(line)
            if isinstance(fact, Held):
                self.record(fact, line | {"assertions": sorted(map(_spelt, line["assertions"]))})
            else:
                self.add(line["type"], self.by_content(line))
        for held, line in (pair for waiting in self.waiting.values() for pair in waiting):
            self.stand(held, line)
        for line in self.blocked:
            self.add("record", line | {"block": self.named(line["block"], ("by",))})

    def record(self, first: Held, line: dict[str, Any]) -> None:
        """Take a record, and those that waited for it."""
        ready = [(first, line)]
        while ready:
            held, line = ready.pop()
            old = held.record.supersedes
            if not self.same_ids and old and old not in self.names:
                self.waiting.setdefault(old, []).append((held, line))
            else:
                self.stand(held, line)
                ready += self.waiting.pop(held.record.id, [])

    def stand(self, held: Held, line: dict[str, Any]) -> None:
        said = self.by_content(line)
        if not self.same_ids:
            self.names[held.record.id] = _digest({k: v for k, v in said.items() if k != "block"})
        self.add("label", [self.name(held.record.id), shape(held.label)])
        if "block" in said:
            self.blocked.append(said)
        else:
            self.add("record", said)

    def by_content(self, line: Mapping[str, Any]) -> dict[str, Any]:
        """The line; without the same ids it has none, nor the justification that produced it, and has the digest of
        what it says in the place of each record that it names."""
        if self.same_ids:
            return dict(line)
        said = self.named(line, REFERENCES)
        if "antecedents" in said:
            said["antecedents"] = sorted(map(self.name, said["antecedents"]))
        if "evidence" in said:
            said["evidence"] = sorted(sorted(map(self.name, place)) for place in said["evidence"])
        return {k: v for k, v in said.items() if k not in ("id", "producer")}

    def named(self, said: Mapping[str, Any], fields: Iterable[str]) -> dict[str, Any]:
        return {k: self.name(v) if k in fields else v for k, v in said.items()}

    def name(self, record: str) -> str:
        return self.names.get(record, record)

    def add(self, kind: str, said: object) -> None:
        self.counts[kind] += 1
        self.sums[kind] = (self.sums[kind] + int(_digest(said), 16)) % (1 << DIGEST_BITS)

    def found(self) -> dict[str, Tally]:
        return {kind: Tally(self.counts[kind], f"{self.sums[kind]:0{DIGEST_BITS // 4}x}") for kind in KINDS}


def _spelt(said: object) -> str:
    return json.dumps(said, sort_keys=True)


def _digest(said: object) -> str:
    return sha256(_spelt(said).encode("ascii")).hexdigest()
