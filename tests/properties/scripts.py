"""Scripts of operations run over stores and held against oracles after every commit. Lives here: the operations, a
plain model of what they leave behind, and the checks. Lives elsewhere: drawing scripts (test_stateful), breaking the
rules on purpose (test_mutants).

The model knows nothing of ranks or increments: it keeps the facts, and tests/oracles.py computes labels from scratch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from graphmem.adapters.store_sqlite import SqliteStore
from graphmem.core.belief import believe
from graphmem.core.changes import Applied, ChangeSet, Draft, empty_snapshot, justification_id, record_id
from graphmem.core.explain import Step, prove, refute
from graphmem.core.intervals import ALWAYS, Intervals, normalise, subtract
from graphmem.core.labels import PREMISE, Segment, clip, holds, level_at, shape
from graphmem.core.records import PREMISE_LEVEL, Key, Mode, Record, Role
from graphmem.core.verbs import (
    conclude,
    delete,
    justify,
    reassert,
    reject,
    remember,
    retract,
    supersede,
    unreject,
    withdraw,
)
from graphmem.core.views import LATEST, Proof, Wanted
from graphmem.ports.store import Store
from tests.memories import KEY, TENANT, draft_on, provenance, record, view
from tests.oracles import Facts, least_model, naive

INSTANTS = range(11)
CHAIN = Key("thing", "state")
ADDING = {"remember", "justify", "reassert", "unreject", "conclude"}
TAKING = {"withdraw", "retract", "reject", "delete"}

Action = Callable[[Draft], object]
Shapes = dict[str, tuple[tuple[int, int, int], ...]]


@dataclass(frozen=True)
class Operation:
    """One verb with plain numbers, which the script reads as places in its lists."""

    verb: str
    subject: int = 0
    others: tuple[int, ...] = ()
    source: int = 0
    timeless: bool = False
    how: str = "change"
    own: Intervals = ALWAYS


@dataclass(frozen=True)
class Cast:
    """What one record of a script is from the start: its role and the times it claims."""

    role: Role
    own: Intervals = ALWAYS


class Script:
    """The stores under one script, and the model of what they should hold."""

    def __init__(self, stores: Mapping[str, Store], cast: Sequence[Cast]) -> None:
        self.stores = stores
        self.cast = cast
        self.facts = Facts()
        self.asserted: dict[str, dict[str, int | None]] = {}
        self.roles: dict[str, Role] = {}
        self.corrected: set[str] = set()
        self.deleted: set[str] = set()
        self.rejected: set[str] = set()
        self.chain: list[str] = []
        self.links: dict[str, tuple[str, tuple[str, ...], bool]] = {}
        self.commits = 0
        self.past: list[tuple[int, Shapes, list[object]]] = []
        self.proofs: dict[str, Proof] = {}

    # Reading the script's numbers.

    @property
    def barred(self) -> set[str]:
        """What can't come back: corrected or deleted."""
        return self.corrected | self.deleted

    @property
    def known(self) -> list[str]:
        return list(self.facts.own)

    def pick(self, number: int) -> str | None:
        return self.known[number % len(self.known)] if self.known else None

    def made(self, number: int) -> Record:
        part = self.cast[number % len(self.cast)]
        return record(f"record {number % len(self.cast)}", part.role, part.own)

    # Operations: each notes in the model what it does and returns what the draft is to do; None when it can't be done.

    def action(self, op: Operation) -> Action | None:
        found: Callable[[Operation], Action | None] = getattr(self, f"on_{op.verb}")
        return found(op)

    def on_remember(self, op: Operation) -> Action | None:
        made, source = self.made(op.subject), provenance(f"source {op.source}")
        if made.role is Role.SUMMARY:
            return None
        name = named(made)
        if name in self.barred:
            return None
        self.admit(name, made)
        self.asserted[name][source.locator] = None
        self.stand(name)
        return lambda draft: remember(draft, made, source)

    def on_conclude(self, op: Operation) -> Action | None:
        made = self.made(op.subject)
        name, because = named(made), self.antecedents(op, named(made))
        if (
            made.role not in (Role.SUMMARY, Role.INFERENCE)
            or not because
            or name in self.barred
            or self.deleted & set(because)
        ):
            return None
        self.admit(name, made)
        mode = self.join(op, name, because)
        return lambda draft: conclude(draft, made, because, "rule", provenance(), mode)

    def on_justify(self, op: Operation) -> Action | None:
        name = self.pick(op.subject)
        because = self.antecedents(op, name or "")
        if name is None or not because or self.deleted & {name, *because}:
            return None
        mode = self.join(op, name, because)
        return lambda draft: justify(draft, name, because, "rule", provenance(), mode)

    def on_withdraw(self, op: Operation) -> Action | None:
        if not self.facts.links:
            return None
        link = list(self.facts.links)[op.subject % len(self.facts.links)]
        del self.facts.links[link]
        return lambda draft: withdraw(draft, link)

    def on_retract(self, op: Operation) -> Action | None:
        name = self.pick(op.subject)
        if name is None or not self.asserted[name]:
            return None
        source = f"source {op.source}" if op.source else ""
        for each, gone in self.asserted[name].items():
            if gone is None and source in ("", each):
                self.asserted[name][each] = self.commits + 1
        self.stand(name)
        return lambda draft: retract(draft, name, source)

    def on_reassert(self, op: Operation) -> Action | None:
        name = self.pick(op.subject)
        if name is None or not self.asserted[name] or name in self.barred:
            return None
        gone = [k for k in self.asserted[name].values() if k is not None]
        if len(gone) == len(self.asserted[name]):
            back = {s: None for s, k in self.asserted[name].items() if k == max(gone)}
            self.asserted[name].update(back)
        self.stand(name)
        return lambda draft: reassert(draft, name)

    def on_reject(self, op: Operation) -> Action | None:
        name = self.pick(op.subject)
        if name is None:
            return None
        if name not in self.barred:
            self.rejected.add(name)
        self.stand(name)
        return lambda draft: reject(draft, name, "bob")

    def on_unreject(self, op: Operation) -> Action | None:
        name = self.pick(op.subject)
        if name is None or name in self.barred:
            return None
        self.rejected.discard(name)
        self.stand(name)
        return lambda draft: unreject(draft, name)

    def on_delete(self, op: Operation) -> Action | None:
        name = self.pick(op.subject)
        if name is None:
            return None
        self.deleted.add(name)
        self.rejected.discard(name)
        for link, (consequent, because, _) in list(self.facts.links.items()):
            if name in (consequent, *because):
                del self.facts.links[link]
        self.stand(name)
        return lambda draft: delete(draft, name, "receipt")

    def on_supersede(self, op: Operation) -> Action:
        text, source = f"link {len(self.chain)} of the chain", provenance()
        old = self.chain[-1] if self.chain else ""
        made = record(text, Role.OBSERVATION, op.own, key=CHAIN, value=f'"{text}"', supersedes=old)
        name = named(made)
        self.admit(name, made)
        self.asserted[name][source.locator] = None
        self.stand(name)
        self.chain.append(name)
        if not old:
            return lambda draft: remember(draft, made, source)
        if op.how == "correct":
            self.corrected.add(old)
            self.rejected.discard(old)
        else:
            self.facts.own[old] = subtract(self.facts.own[old], op.own)
        self.stand(old)
        return lambda draft: supersede(draft, old, made, source, how=op.how)

    # The model.

    def admit(self, name: str, made: Record) -> None:
        self.facts.own.setdefault(name, made.own)
        self.roles[name] = made.role
        self.asserted.setdefault(name, {})
        self.stand(name)

    def stand(self, name: str) -> None:
        live = any(gone is None for gone in self.asserted[name].values())
        self.facts.premise[name] = int(PREMISE_LEVEL[self.roles[name]]) if live else 0
        self.facts.blocked = self.rejected | self.barred

    def antecedents(self, op: Operation, consequent: str) -> tuple[str, ...]:
        found = {self.pick(n) for n in op.others} - {consequent, None}
        return tuple(sorted(str(name) for name in found))

    def join(self, op: Operation, name: str, because: tuple[str, ...]) -> Mode:
        mode = Mode.TIMELESS if op.timeless else Mode.INTERSECT
        link = justification_id(empty_snapshot(TENANT, KEY), name, because, "rule", mode)
        self.facts.links[link] = self.links[link] = (name, because, op.timeless)
        return mode

    # Committing.

    def commit(self, *ops: Operation) -> None:
        """Run the operations that can be done, in one commit, over every store, and check everything that must hold."""
        planned = [(op, action) for op in ops if (action := self.action(op))]
        before = self.read_shapes() if planned else {}
        applied = {name: self.apply(store, [a for _, a in planned]) for name, store in self.stores.items()}
        self.commits = max((a.commit for a in applied.values()), default=0) or self.commits
        self.compare(applied)
        self.check()
        if planned and {op.verb for op, _ in planned} <= ADDING:
            self.only(before, lambda was, now: was <= now)
        if planned and {op.verb for op, _ in planned} <= TAKING:
            self.only(before, lambda was, now: was >= now)
        self.past.append((self.commits, self.read_shapes(), self.beliefs(self.first, LATEST)))

    def apply(self, store: Store, actions: Iterable[Action]) -> Applied:
        draft = draft_on(store, Wanted(tuple(self.known), tuple(self.links), (CHAIN,)))
        for action in actions:
            action(draft)
        changes = draft.finish()
        previewed = dry_run(store, changes)
        applied = store.apply(changes)
        assert previewed == replace(applied, commit=0), "the dry run told something else than what then happened"
        return applied

    def there_and_back(self, number: int) -> None:
        """Retracting a premise and asserting it again leaves labels, beliefs and counts as they were."""
        name = self.pick(number)
        if name is None or name in self.barred or None not in self.asserted[name].values():
            return
        before = [(self.read_shapes(), self.beliefs(s, LATEST), counts(s)) for s in self.stores.values()]
        for verb in ("retract", "reassert"):
            self.commit(Operation(verb, number))
        after = [(self.read_shapes(), self.beliefs(s, LATEST), counts(s)) for s in self.stores.values()]
        assert before == after

    # Checks.

    @property
    def first(self) -> Store:
        return next(iter(self.stores.values()))

    def read_shapes(self, known_at: int = LATEST) -> Shapes:
        found = self.first.proof(view(known_at=known_at), self.known, 1_000).records
        return {name: shape(held.label) for name, held in found.items()}

    def beliefs(self, store: Store, known_at: int) -> list[object]:
        found = []
        for at in INSTANTS:
            belief = believe(CHAIN, store.candidates(view(at, known_at), [CHAIN]).get(CHAIN, ()))
            found.append((belief.value, [c.record.id for c in belief.contested]))
        return found

    def compare(self, applied: Mapping[str, Applied]) -> None:
        """Every store moved the same labels to the same shapes, in the same commit."""
        told = []
        for one in applied.values():
            moved = [(c.record, shape(c.before), shape(c.after)) for c in one.moved]
            told.append((one.commit, [m for m in moved if m[1] != m[2]]))
        assert all(one == told[0] for one in told)

    def only(self, before: Shapes, allowed: Callable[[int, int], bool]) -> None:
        after = self.read_shapes()
        for name, was in before.items():
            for at in INSTANTS:
                assert allowed(at_shape(was, at), at_shape(after[name], at)), f"{name} moved the wrong way at {at}"

    def check(self) -> None:
        wanted = {level: naive(self.facts, level) for level in (1, 2)}
        reasons = []
        for store in self.stores.values():
            proof = store.proof(view(), self.known, 1_000)
            assert proof.records.keys() == self.facts.own.keys()
            for name, held in proof.records.items():
                assert held.standing.own == held.record.own == self.facts.own[name]
                for level, least in wanted.items():
                    assert holds(held.label, level) == least[name], f"{name} isn't what the least fixpoint says"
            for name in proof.records:
                well_founded(proof, name)
            reasons.append([refute(proof, name, at) for name in self.known for at in (0, 5)])
            self.finite_proofs(proof)
        assert all(one == reasons[0] for one in reasons), "two stores give different reasons"
        self.check_by_clingo(wanted)

    def finite_proofs(self, proof: Proof) -> None:
        for name, held in proof.records.items():
            for at in (1, 6):
                step = prove(proof, name, at)
                assert (step is not None) == bool(level_at(held.label, at))
                if step is not None:
                    falls(step)

    def check_by_clingo(self, wanted: Mapping[int, Mapping[str, Intervals]]) -> None:
        if any(timeless for _, _, timeless in self.facts.links.values()):
            return
        at = self.commits % 9
        for level, least in wanted.items():
            model = {name for name, when in least.items() if any(a <= at < b for a, b in when)}
            assert model == least_model(self.facts, at, level)

    def check_the_past(self, stores: Iterable[Store]) -> None:
        """Every answer that was given at a commit is given again."""
        for store in stores:
            for commit, told, believed in self.past:
                proof = store.proof(view(known_at=commit), list(told), 1_000)
                assert {n: shape(h.label) for n, h in proof.records.items()} == told
                assert self.beliefs(store, commit) == believed


def named(made: Record) -> str:
    return record_id(empty_snapshot(TENANT, KEY), made, provenance())


def counts(store: Store) -> dict[str, int]:
    return {name: count for name, count in store.status(TENANT).counts.items() if name != "commits"}


def at_shape(found: tuple[tuple[int, int, int], ...], at: int) -> int:
    return next((level for start, end, level in found if start <= at < end), 0)


def dry_run(store: Store, changes: ChangeSet) -> Applied:
    """What a preview says; it must leave the facts, and the files of a store that has files, as they are."""
    before, files = list(store.dump(TENANT)), bytes_of(store)
    previewed = store.preview(changes)
    assert (list(store.dump(TENANT)), bytes_of(store)) == (before, files), "a dry run changed something"
    return previewed


def bytes_of(store: Store) -> list[str]:
    if not isinstance(store, SqliteStore):
        return []
    paths = (store.path, Path(f"{store.path}-wal"))
    return [sha256(path.read_bytes()).hexdigest() for path in paths if path.exists()]


def well_founded(proof: Proof, name: str) -> None:
    """Each support is live, belongs to the record, and comes strictly before what it supports."""
    for segment in proof.records[name].label:
        if segment.support == PREMISE:
            assert segment.rank == 0
            continue
        link = proof.justifications[str(segment.support)]
        assert link.consequent == name
        for antecedent in link.antecedents:
            below = proof.records[antecedent].label
            if link.mode is Mode.TIMELESS:
                assert any(comes_before(s, segment) for s in below)
            else:
                window = ((segment.start, segment.end),)
                parts = clip(below, window)
                assert normalise((s.start, s.end) for s in parts) == window
                assert all(comes_before(s, segment) for s in parts)


def comes_before(below: Segment, above: Segment) -> bool:
    return below.level > above.level or (below.level == above.level and below.rank < above.rank)


def falls(step: Step) -> None:
    """A proof gets strictly earlier downwards, and ends in premises."""
    for below in step.antecedents:
        assert (-below.level, below.rank) < (-step.level, step.rank)
        falls(below)
    assert step.justification is None or step.repeated or len(step.antecedents) == len(step.justification.antecedents)
