"""Situations that a memory must get right, told through the Python API over every store. Each right answer follows from
the situation as people would judge it, never from an earlier answer of the code."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from graphmem.adapters.store_memory import MemoryStore
from graphmem.core.authority import parse_authority
from graphmem.core.belief import Belief
from graphmem.core.errors import Conflict
from graphmem.core.times import parse_time
from graphmem.core.views import LATEST
from graphmem.memory import Memory
from graphmem.ports.store import Store
from tests.memories import FakeClock, memory_over

RULES = parse_authority(
    """
[[rule]]
source = "contracts/*"
authority = 80

[[rule]]
kind = "conclusion"
authority = 10

[[rule]]
key = "*@person:*"
source = "person:*"
authority = 30

[[rule]]
source = "security/*"
key = "*@person:*"
authority = 100

[[default]]
key = "editor#theme@person:*"
value = "light"
""",
    "authority.toml",
)


class Told:
    """A memory whose clock is set by the story."""

    def __init__(self, store: Store) -> None:
        self.clock = FakeClock(parse_time("2026-01-01"))
        self.store = store
        self.memory = memory_over(store, self.clock)
        self.ruled = memory_over(store, self.clock, authority=RULES)

    def on(self, day: str) -> Memory:
        """The memory on a day, its clock set to it."""
        self.clock.time = parse_time(day)
        return self.memory


@pytest.fixture
def told(store: Store) -> Told:
    return Told(store)


def values(belief: Belief) -> tuple[str | None, list[str | None]]:
    """The value that is believed, and those that contest it."""
    return belief.value, [c.record.value for c in belief.contested]


def test_a_mere_mention_retires_nothing(told: Told) -> None:
    first = told.on("2026-01-02").remember("Kim plays chess.", key="kim#hobby", value="chess", mentions=["Kim"]).id
    for day in range(3, 9):
        written = told.on(f"2026-01-0{day}").remember(f"Kim was seen on day {day}, at tennis.", mentions=["Kim"])
        assert written.fell == ()
    assert values(told.memory.believe("kim#hobby")) == ('"chess"', [])
    assert told.memory.why(first).proof is not None


def test_love_then_hate_leaves_hate_now_and_love_before(told: Told) -> None:
    love = told.on("2026-01-10").remember("Kim loves jazz.", key="kim#jazz", value="loves", valid_from="2026-01-10").id
    told.on("2026-03-10").supersede(love, "Kim hates jazz now.", value="hates", how="change")
    assert values(told.memory.believe("kim#jazz")) == ('"hates"', [])
    assert values(told.memory.believe("kim#jazz", at="2026-02-01")) == ('"loves"', [])
    assert told.memory.believe("kim#jazz", at="2026-01-01").winner is None
    assert values(told.memory.believe("kim#jazz", at="2026-04-01", known_at="2026-02-01")) == ('"loves"', [])


def test_a_contradiction_of_equal_authority_is_contested_with_both_sides_shown(told: Told) -> None:
    eight = told.on("2026-01-02").remember("8 seats", key="room#seats", value=8, source="plan.pdf", authority=5).id
    ten = told.on("2026-01-03").remember("10 seats", key="room#seats", value=10, source="visit.md", authority=5).id
    belief = told.memory.believe("room#seats")
    assert belief.winner is not None
    assert [belief.winner.record.id, *(c.record.id for c in belief.contested)] == [ten, eight]
    (found,) = told.memory.conflicts().found
    assert [side.voices[0].locator for side in found.sides] == ["visit.md", "plan.pdf"]
    assert (str(found.key), found.settled_by, found.component) == ("room#seats", "", "observed_at")


def test_a_change_of_team_leaves_the_old_one_true_of_its_own_time(told: Told) -> None:
    first = told.on("2026-01-05").remember("Kim joins A.", key="kim#team", value="A", valid_from="2026-01-05").id
    told.on("2026-03-01").supersede(first, "Kim joins B.", value="B", how="change")
    assert values(told.memory.believe("kim#team")) == ('"B"', [])
    assert values(told.memory.believe("kim#team", at="2026-02-15")) == ('"A"', [])


def test_a_late_old_fact_never_becomes_current_nor_leaks_into_earlier_knowledge(told: Told) -> None:
    told.on("2026-03-01").remember("Port 443.", key="api#port", value=443, observed_at="2026-03-01")
    late = told.on("2026-04-01").remember("Port 80.", key="api#port", value=80, observed_at="2025-06-01")
    assert values(told.memory.believe("api#port")) == ("443", ["80"])
    assert values(told.memory.believe("api#port", known_at="2026-03-15")) == ("443", [])
    assert values(told.memory.believe("api#port", known_at=late.commit - 1)) == ("443", [])


def test_a_late_fact_of_a_closed_window_answers_for_that_window_alone(told: Told) -> None:
    told.on("2026-03-01").remember("B now", key="kim#team", value="B", valid_from="2026-03-01")
    window = {"valid_from": "2025-01-01", "valid_to": "2026-01-01"}
    told.on("2026-04-01").remember("C in 2025", key="kim#team", value="C", observed_at="2025-02-01", **window)
    assert values(told.memory.believe("kim#team")) == ('"B"', [])
    assert values(told.memory.believe("kim#team", at="2025-06-01")) == ('"C"', [])
    assert told.memory.believe("kim#team", at="2025-06-01", known_at="2026-03-15").winner is None


@pytest.mark.parametrize("lost", ["door.log", "guard.md"])
def test_a_fact_seen_twice_is_one_record_that_outlives_the_loss_of_either_source(told: Told, lost: str) -> None:
    said = {"key": "door#state", "value": "shut"}
    names = {told.memory.remember("The door is shut.", source=s, **said).id for s in ("door.log", "guard.md")}
    assert len(names) == 1
    (name,) = names
    assert len(told.memory.held(name).live) == 2
    assert told.memory.retract(name, source=lost).fell == ()
    assert values(told.memory.believe("door#state")) == ('"shut"', [])
    (left,) = {"door.log", "guard.md"} - {lost}
    assert told.memory.retract(name, source=left).fell == (name,)
    assert told.memory.believe("door#state").winner is None


def test_a_conclusion_of_two_scopes_stands_when_one_of_them_is_gone(told: Told) -> None:
    east, west = (told.memory.remember(f"{s}: exits are lit", key=f"exits#lit@{s}", value=True).id for s in "EW")
    safe = told.memory.remember("Exits are safe.", role="summary", because=[east], key="exits#safe", value=True).id
    told.memory.justify(safe, [west], informant="west alone")
    assert told.memory.retract(east).fell == (east,)
    assert values(told.memory.believe("exits#safe")) == ("true", [])
    assert set(told.memory.retract(west).fell) == {west, safe}


def test_of_twenty_writers_who_supersede_one_version_one_wins_and_all_others_see_the_new_head(told: Told) -> None:
    base = told.memory.remember("v1", key="plan#owner", value=0).id
    won, lost = [], []

    def supersede(writer: int) -> None:
        memory = memory_over(told.store, told.clock, writer=f"writer {writer}")
        try:
            won.append(memory.supersede(base, f"v2 by {writer}", value=writer, expected_version=1).id)
        except Conflict as conflict:
            lost.append((conflict.head, conflict.version))

    at_once = 1 if isinstance(told.store, MemoryStore) else 20  # the in-memory store is for one thread
    with ThreadPoolExecutor(at_once) as pool:
        list(pool.map(supersede, range(20)))
    assert len(won) == 1
    assert lost == [(won[0], 2)] * 19
    winner = told.memory.believe("plan#owner").winner
    assert winner is not None and winner.record.id == won[0]


def test_a_recent_summary_never_beats_a_signed_contract(told: Told) -> None:
    key = "northwind#notice-days"
    told.on("2026-01-02").remember("Notice: 90 days.", key=key, value=90, source="contracts/n.pdf")
    note = told.on("2026-03-01").remember("A call about 30 days.", source="notes/call.md").id
    said = {"role": "summary", "because": [note], "key": key, "value": 30, "authority": 99}
    told.on("2026-06-01").remember("Notice seems to be 30 days.", **said)
    assert values(told.ruled.believe(key)) == ("90", ["30"])
    assert told.ruled.conflicts().found == ()
    (settled,) = told.ruled.conflicts(settled=True).found
    assert (settled.settled_by, settled.component) == ("authority", "authority")


def test_a_new_configuration_is_a_new_belief_without_a_write(told: Told) -> None:
    key = "northwind#notice-days"
    told.on("2026-01-02").remember("Notice: 90 days.", key=key, value=90, source="contracts/n.pdf")
    told.on("2026-03-01").remember("Notice: 30 days.", key=key, value=30, source="mail/7")
    before = list(told.store.dump("acme"))
    assert values(told.memory.believe(key)) == ("30", ["90"])
    assert values(told.ruled.believe(key)) == ("90", ["30"])
    (change,) = told.memory.authority_changes(RULES).found
    assert (change.old.value, change.new.value) == ("30", "90")
    assert told.ruled.authority_changes(RULES).found == ()
    items = {item.found.record.value: item.believed for item in told.ruled.recall("Notice days").items}
    assert items == {"90": True, "30": False}
    assert list(told.store.dump("acme")) == before


def test_a_preference_overrides_the_team_default_for_that_person_and_never_a_security_policy(told: Told) -> None:
    kim, lee = "editor#theme@person:kim", "editor#theme@person:lee"
    told.on("2026-01-02").remember("Kim: dark", key=kim, value="dark", source="person:kim")
    assert values(told.ruled.believe(kim)) == ('"dark"', [])
    assert (told.ruled.believe(lee).value, told.ruled.believe(lee).is_default) == ('"light"', True)
    lock = "screen#lock-minutes@person:kim"
    told.on("2026-01-02").remember("Screens lock.", key=lock, value=5, source="security/baseline.md")
    told.on("2026-02-02").remember("Kim: never", key=lock, value=0, source="person:kim")
    assert values(told.ruled.believe(lock)) == ("5", ["0"])


def test_what_a_policy_says_everywhere_and_a_person_contradicts_is_an_open_conflict(told: Told) -> None:
    scoped = "screen#lock-minutes@person:kim"
    policy = told.memory.remember("Lock.", key="screen#lock-minutes", value=5, source="security/baseline.md").id
    own = told.memory.remember("Kim: never", key=scoped, value=0, source="person:kim").id
    told.memory.remember("Lee: fine", key="screen#lock-minutes@person:lee", value=5, source="person:lee")
    (found,) = told.ruled.conflicts().found
    assert (str(found.key), found.overlap, found.settled_by) == (scoped, "scope", "")
    assert [side.record.id for side in found.sides] == [own, policy]


def test_a_decision_wins_blends_nothing_and_a_later_source_opens_the_conflict_again(told: Told) -> None:
    window = {"valid_from": "2026-01-01", "valid_to": "2026-07-01"}
    eight = told.on("2026-01-02").remember("8 seats", key="room#seats", value=8, source="plan.pdf", **window).id
    ten = told.on("2026-01-03").remember("10 seats", key="room#seats", value=10, source="visit.md").id
    done = told.on("2026-02-01").resolve_conflict("room#seats", keep=eight, reason="Counted them.")
    assert done.fell == ()
    belief = told.memory.believe("room#seats")
    assert belief.winner is not None and belief.winner.record.id == done.id
    assert values(belief) == ("8", ["10"])
    assert told.memory.conflicts().found == ()
    shown = told.memory.conflict("room#seats")
    assert shown is not None and shown.settled_by == "resolution"
    assert {side.record.id for side in shown.sides} == {done.id, eight, ten}
    assert belief.winner.voices[0][:2] == ("writer:ann", "resolution")
    assert values(told.memory.believe("room#seats", at="2026-08-01")) == ("10", [])
    assert values(told.memory.believe("room#seats", known_at="2026-01-15")) == ("10", ["8"])
    told.on("2026-03-01").remember("12 seats", key="room#seats", value=12, source="rebuild.pdf")
    (again,) = told.memory.conflicts().found
    assert again.sides[0].record.value == "12"
    second = told.on("2026-03-02").resolve_conflict("room#seats", value=8, reason="Counted them.")
    assert second.id != done.id
    assert told.memory.believe("room#seats").value == "8"


def test_policies_an_exception_and_its_annulment_move_exactly_what_rests_on_them(told: Told) -> None:
    key, asked = "refunds#window-days", "2026-03-20"
    old = {"valid_from": "2025-01-01", "valid_to": "2026-03-01"}
    told.on("2025-01-01").remember("30 days.", key=key, value=30, source="policy/2025.md", **old)
    current = (
        told.on("2026-03-01")
        .remember("14 days.", key=key, value=14, source="policy/2026.md", valid_from="2026-03-01")
        .id
    )
    claim = told.on(asked).remember("I was promised 60.", role="claim", key=key, value=60, source="mail:customer").id
    for note in range(20):
        told.memory.remember(f"Note {note}: 30 days.", role="claim", key=key, value=30, source=f"agent/{note}")
    assert values(told.memory.believe(key)) == ("14", [])
    assert values(told.memory.believe(key, at="2026-02-01")) == ("30", [])
    waiting = told.memory.tasks(limit=1).found
    assert len(waiting) == 21
    assert claim in {task.claim.record.id for task in waiting}
    assert {task.belief.value for task in waiting} == {"14"}
    granted = told.on("2026-03-21").remember("Order 7 may return late.", key="order-7#late", value=True).id
    citing = [told.memory.remember(f"Reply {n}", role="summary", because=[granted, current]).id for n in range(3)]
    other = told.memory.remember("Window in short", role="summary", because=[current]).id
    assert set(told.on("2026-03-25").retract(granted).fell) == {granted, *citing}
    assert told.memory.why(other).proof is not None
    assert told.memory.believe("order-7#late").winner is None
    assert values(told.memory.believe("order-7#late", known_at="2026-03-22")) == ("true", [])
    assert values(told.memory.believe(key, at=asked)) == ("14", [])


def test_a_claim_is_a_task_until_its_value_is_believed(told: Told) -> None:
    told.memory.remember("It leaks.", role="claim", key="pump#state", value="leaks")
    (task,) = told.memory.tasks().found
    assert (task.claim.record.value, task.belief.winner) == ('"leaks"', None)
    told.memory.remember("Seen: it leaks.", key="pump#state", value="leaks")
    assert told.memory.tasks().found == ()
    assert told.memory.believe("pump#state", known_at=LATEST).value == '"leaks"'
