"""History, diff, audit and impact, held on every store against what was answered at each commit, and against the
in-memory store."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from random import Random

import pytest

from graphmem.adapters.store_memory import MemoryStore
from graphmem.core.auditing import Place, Sought
from graphmem.core.errors import Conflict, NotPermitted
from graphmem.core.labels import level_at, shape
from graphmem.core.lifetimes import Said, said
from graphmem.core.records import Key
from graphmem.memory import Memory
from graphmem.ports.store import Store
from graphmem.services.committing import Written
from tests.memories import DAY, KEY, TENANT, FakeClock, labels, memory_over, view

SEEDS = [1, 2]
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FAR = (datetime(2100, 1, 1, tzinfo=UTC) - EPOCH) // timedelta(microseconds=1)
STEPS = 30
KEYS = [Key("pump-7", "state"), Key("valve-3", "state")]
SOURCES = ["mail/1", "mail/22", "crm/1", "crm/%"]
ON_ONE = ["retract", "reassert", "reject", "unreject"]


def step(memory: Memory, chance: Random, number: int, names: list[str], *, dry_run: bool = False) -> Written:
    """One write of a random kind."""
    verb = chance.choice(["remember", "remember", "conclude", "again", "supersede", *ON_ONE]) if names else "remember"
    about = {"key": chance.choice(KEYS), "value": chance.randrange(3), "source": chance.choice(SOURCES)}
    if verb == "remember":
        return memory.remember(f"note {number}", authority=chance.randrange(3), subject=f"p{number % 2}", **about)
    if verb == "conclude":
        return memory.remember(f"sum {number}", role="summary", because=[chance.choice(names)], **about)
    old = chance.choice(names)
    if verb == "again":
        record = memory.held(old).record
        if record.role == "summary" or record.supersedes:
            return memory.retract(old, dry_run=dry_run)
        value = None if record.value is None else int(record.value)
        return memory.remember(record.text, key=record.key, value=value, source="crm/9", authority=5)
    if verb == "supersede":
        return memory.supersede(
            old, f"new {number}", value=9, how=chance.choice(["change", "correct"]), dry_run=dry_run
        )
    done: Written = getattr(memory, verb)(old, dry_run=dry_run)
    return done


class Lived:
    """A memory with a random history, and what it believed and how its records stood after each commit."""

    def __init__(self, store: Store, seed: int) -> None:
        chance, clock = Random(seed), FakeClock()
        self.store, self.memory = store, memory_over(store, clock)
        self.names: list[str] = []
        self.said: list[dict[Key, Said]] = [{key: Said() for key in KEYS}]
        self.times = [0]
        for number in range(STEPS):
            clock.time += DAY
            try:
                name = step(self.memory, chance, number, self.names).id
            except (Conflict, NotPermitted):
                continue
            self.names += [name] if name not in self.names else []
            if self.commit == len(self.said):
                self.said.append(self.believed())
                self.times.append(clock.time)

    @property
    def commit(self) -> int:
        return self.store.status(TENANT).commit

    def believed(self) -> dict[Key, Said]:
        return {key: said(self.memory.believe(key, at="2100-01-01")) for key in KEYS}


@pytest.mark.parametrize("seed", SEEDS)
def test_the_history_of_a_key_tells_each_change_of_belief_that_was_seen(store: Store, seed: int) -> None:
    lived = Lived(store, seed)
    for key in KEYS:
        story = lived.memory.history(key, at="2100-01-01")
        seen = [
            (commit, before[key], after[key])
            for commit, (before, after) in enumerate(zip(lived.said, lived.said[1:], strict=False), start=1)
            if before[key] != after[key]
        ]
        assert [(t.commit, t.before, t.after) for t in story.turns] == seen
        assert not story.partial


@pytest.mark.parametrize("seed", SEEDS)
def test_a_life_tells_the_label_at_every_commit(store: Store, seed: int) -> None:
    lived = Lived(store, seed)
    history = store.history(view(), lived.names)
    assert history.lives.keys() == set(lived.names)
    for commit in range(1, lived.commit + 1):
        expected = labels(store, lived.names, commit)
        assert {n: life.label(commit) for n, life in history.lives.items() if life.born <= commit} == expected


@pytest.mark.parametrize("seed", SEEDS)
def test_a_diff_is_the_difference_of_the_labels_and_beliefs_then(store: Store, seed: int) -> None:
    lived = Lived(store, seed)
    for since, until in [(0, lived.commit), (3, 9), (7, 8), (lived.commit // 2, lived.commit), (5, 5)]:
        then, now = (labels(store, lived.names, k) for k in (since, until))
        changed = {n for n in lived.names if shape(then.get(n, ())) != shape(now.get(n, ()))}
        diff = lived.memory.diff(since, until, at="2100-01-01")
        assert {m.record for m in diff.moved if m.way(FAR) != "restated"} == changed
        assert {m.record: shape(m.after) for m in diff.moved if m.record in changed} == {
            n: shape(now.get(n, ())) for n in changed
        }
        turned = {k: (lived.said[since][k], lived.said[until][k]) for k in KEYS}
        expected = {k: pair for k, pair in turned.items() if pair[0] != pair[1]}
        assert {t.key: (t.before, t.after) for t in diff.turns} == expected
        falls = [n for n in changed if level_at(now.get(n, ()), FAR) < level_at(then.get(n, ()), FAR)]
        assert diff.counts["fell"] == len(falls)


def test_pages_of_a_diff_join_to_the_whole(store: Store) -> None:
    lived = Lived(store, 3)
    whole = lived.memory.diff(0)
    found, after = [], ""
    while True:
        page = lived.memory.diff(0, limit=2, after=after)
        assert page.counts == whole.counts
        found += page.moved
        assert page.partial == bool(page.next)
        if not (after := page.next):
            break
    assert tuple(found) == whole.moved


def resting_by_why(lived: Lived, records: Iterable[str]) -> set[str]:
    """The records whose proof names one of some, read off `why`."""
    found = set()
    for name in set(lived.names) - set(records):
        proof = lived.memory.why(name, at="2100-01-01").proof
        pending, seen = [proof] if proof else [], set()
        while pending:
            one = pending.pop()
            seen.add(one.record)
            pending += one.antecedents
        found |= {name} if seen & set(records) else set()
    return found


@pytest.mark.parametrize("asked", [{"source": "mail/"}, {"source": "crm/%"}, {"subject": "p1"}, {"by": "ann"}, {}])
def test_an_audit_finds_every_assertion_by_its_provenance_and_what_rests_on_it(
    store: Store, asked: dict[str, str]
) -> None:
    lived = Lived(store, 5)
    memory_over(store, tenant="other").remember("not ours", source="mail/1", subject="p1")
    audit = lived.memory.audit(**asked, at="2100-01-01")
    expected = {
        (a.id, name)
        for name, held in lived.memory.held_all(lived.names).items()
        for a in (*held.live, *(w for w, _ in held.withdrawn))
        if a.provenance.locator.startswith(asked.get("source", ""))
        and asked.get("subject", a.provenance.subject) == a.provenance.subject
    }
    found = {(e.id, e.names[0]) for e in audit.found.entries if e.kind == "assertion"}
    assert found == expected
    records = {e.names[0] for e in audit.found.entries if e.kind != "edge"}
    assert audit.found.counts["record"] == len(records)
    assert audit.found.counts["resting"] == len(resting_by_why(lived, records))


def test_an_audit_within_a_time_holds_exactly_the_commits_of_that_time(store: Store) -> None:
    lived = Lived(store, 6)
    whole = lived.memory.audit().found.entries
    for first, last in [(2, 5), (1, 1), (4, lived.commit)]:
        window = [EPOCH + timedelta(microseconds=t) for t in (lived.times[first], lived.times[last] + 1)]
        found = lived.memory.audit(recorded_from=window[0], recorded_to=window[1]).found
        assert {e.place for e in found.entries} == {e.place for e in whole if first <= e.commit <= last}
        assert all(e.at == lived.times[e.commit] for e in found.entries)


def test_pages_of_an_audit_join_to_the_whole(store: Store) -> None:
    lived = Lived(store, 6)
    whole, found, after = lived.memory.audit(limit=1_000), [], ""
    while True:
        page = lived.memory.audit(limit=3, after=after)
        assert page.found.counts == whole.found.counts
        found += page.found.entries
        if not (after := page.next):
            break
    assert tuple(found) == whole.found.entries


def test_edges_are_audited_and_hidden_with_their_evidence(store: Store) -> None:
    memory = memory_over(store)
    note = memory.remember("pump-7 leaks", mentions=["valve-3"], source="mail/1", policy="secret").id
    (edge,) = [e for e in memory.audit(source="mail").found.entries if e.kind == "edge"]
    assert (edge.names[0], edge.detail) == (note, "mentions")
    assert memory_over(store, policies=("open",)).audit(source="mail").found.entries == ()


def test_what_rests_on_an_audit_is_followed_only_so_far(store: Store) -> None:
    memory = memory_over(store)
    below = memory.remember("root", source="a").id
    for n in range(4):
        below = memory.remember(f"sum {n}", role="summary", because=[below], source="b").id
    found = store.audit(view(), Sought(source="a"), Place(), 10, reach=2)
    assert (found.counts["resting"], found.reach_cut) == (2, True)


@pytest.mark.parametrize("seed", [7, 8])
def test_an_impact_foresees_the_beliefs_that_the_commit_changes(store: Store, seed: int) -> None:
    lived = Lived(store, seed)
    chance = Random(seed)
    tried = 0
    for name in lived.names:
        verb = chance.choice([*ON_ONE, "supersede"])
        arguments = (name, "instead") if verb == "supersede" else (name,)
        details = {"value": 7, "how": chance.choice(["change", "correct"])} if verb == "supersede" else {}
        before = {k: said(lived.memory.believe(k)) for k in KEYS}
        try:
            foreseen = lived.memory.impact(verb, *arguments, **details)
        except (Conflict, NotPermitted):
            continue
        assert {k: said(lived.memory.believe(k)) for k in KEYS} == before
        done = getattr(lived.memory, verb)(*arguments, **details)
        after = {k: said(lived.memory.believe(k)) for k in KEYS}
        expected = [(k, before[k], after[k]) for k in sorted(KEYS) if before[k] != after[k]]
        assert [t[:3] for t in foreseen.beliefs] == expected
        assert (foreseen.fell, foreseen.rose) == (done.fell, done.rose)
        tried += 1
    assert tried > 5


def test_every_store_tells_the_same_past_as_the_in_memory_store(store: Store) -> None:
    ours, theirs = Lived(store, 9), Lived(MemoryStore(KEY), 9)
    assert ours.names == theirs.names
    for known in (3, ours.commit // 2, ours.commit):
        for asked in (Sought(), Sought(source="crm/"), Sought(subject="p0", since=2), Sought(writer="ann", since=1)):
            found = [x.store.audit(view(FAR, known), asked, Place(2, "x"), 5) for x in (ours, theirs)]
            assert found[0].entries == found[1].entries
            assert found[0].counts | {"resting": 0} == found[1].counts | {"resting": 0}
        stories = [x.store.history(view(0, known), x.names[:4], KEYS[:1]) for x in (ours, theirs)]
        assert stories[0].commits == stories[1].commits
        for name, life in stories[0].lives.items():
            other = stories[1].lives[name]
            assert (life.record, life.born, life.assertions, life.blocks, life.links) == (
                other.record, other.born, other.assertions, other.blocks, other.links
            )  # fmt: skip
