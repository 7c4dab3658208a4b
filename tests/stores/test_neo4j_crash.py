"""A killed server loses nothing that it acknowledged and leaves nothing half done, and a client that was there goes on
by itself. One client writes in a thread while its server, which is this test's own, is killed (SIGKILL) after a random
number of acknowledged writes and a random wait, and started again.

A start takes five to fifteen seconds and the first writes after it as long again: three kills make an everyday run, and
the promised twenty a deep one (pytest --hypothesis-profile=deep).
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import cycle

import psutil
import pytest
from hypothesis import settings

from graphmem.core.errors import CommitUnknown, DeadlineExceeded, GraphmemError, StoreUnavailable
from graphmem.core.labels import holds
from graphmem.core.records import Role
from graphmem.core.views import Held, LinkState
from graphmem.memory import Memory
from graphmem.ports.server import LocalServer
from graphmem.services.committing import Written
from graphmem.wiring import local_neo4j
from tests.conformance.emptied import address_of
from tests.memories import KEY, memory_over
from tests.oracles import GROUNDING, naive
from tests.servers.neo4j import Neo4j
from tests.stores.test_crash import facts_of

pytestmark = [pytest.mark.neo4j, pytest.mark.timeout(900)]

DEEP = settings.get_current_profile_name() == "deep"
KILLS = 20 if DEEP else 3
MOST_WRITES = 12  # acknowledged before a kill
MOST_TURNS = 400_000  # of an empty loop before a kill: some ten milliseconds, as long as a few writes
PATIENCE_S = 12.0  # of the client; half of it passes before it says that the server is down
PORT = 24_787  # not the usual one, which another server could take while this one is down
ANSWER_S = 120  # until which a client that goes on has gone on
CHANCE = random.Random(23)


@dataclass
class Client:
    """Writes until it is told to stop, and keeps what was acknowledged, what was only asked for, and what went wrong.

    `premise` may be live or not as `may_hold` says: both, when the last word about it was lost.
    """

    memory: Memory
    premise: str
    acknowledged: set[str] = field(default_factory=set)
    asked: set[str] = field(default_factory=set)
    may_hold: set[bool] = field(default_factory=lambda: {True})
    commit: int = 0
    writes: int = 0
    trouble: list[GraphmemError] = field(default_factory=list)
    stopping: bool = False
    news: threading.Condition = field(default_factory=threading.Condition)

    def run(self) -> None:
        turns = cycle((self.note, self.conclude, self.retract, self.note, self.conclude, self.reassert))
        while not self.stopping:
            turn = next(turns)
            try:
                turn()
            except (StoreUnavailable, CommitUnknown, DeadlineExceeded) as error:
                self.trouble.append(error)
            else:
                self.writes += 1
            with self.news:
                self.news.notify_all()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Write in a thread of its own until the block ends."""
        self.stopping = False
        thread = threading.Thread(target=self.run)
        thread.start()
        try:
            yield
        finally:
            self.stopping = True
            thread.join()

    def note(self) -> None:
        text = f"note {len(self.asked)}"
        self.asked.add(text)
        self.kept(self.memory.remember(text), text)

    def conclude(self) -> None:
        text = f"conclusion {len(self.asked)}"
        self.asked.add(text)
        self.kept(self.memory.remember(text, role="summary", because=[self.premise]), text)

    def kept(self, written: Written, text: str) -> None:
        self.acknowledged.add(text)
        self.commit = max(self.commit, written.commit)

    def retract(self) -> None:
        self.turn_premise(self.memory.retract, held=False)

    def reassert(self) -> None:
        self.turn_premise(self.memory.reassert, held=True)

    def turn_premise(self, verb: Callable[[str], object], *, held: bool) -> None:
        self.may_hold.add(held)
        verb(self.premise)
        self.may_hold = {held}

    def wait(self, enough: Callable[[], bool]) -> None:
        with self.news:
            assert self.news.wait_for(enough, ANSWER_S), f"the client got stuck; it was told {self.trouble[-3:]}"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalServer]:
    """A Neo4j that nobody else uses."""
    found = local_neo4j(str(tmp_path_factory.mktemp("crash") / "neo4j"))
    try:
        found.start(port=PORT)
    except GraphmemError as error:
        pytest.skip(f"no Neo4j: {error} ({error.hint})")
    yield found
    found.stop()


def opened(server: LocalServer) -> Memory:
    from graphmem.adapters.store_neo4j import Neo4jStore

    url = (server.status().url or "").replace("neo4j://neo4j@", "bolt://")
    address = replace(address_of(Neo4j(url, "neo4j", server.password())), timeout_s=PATIENCE_S)
    return memory_over(Neo4jStore(address, identity_key=KEY))


def kill_during_writes(server: LocalServer, client: Client, *, until_told: bool) -> None:
    """Kill the server at a random point of a write, start it again (after the client was told, if wanted), and see the
    client go on."""
    enough = client.writes + CHANCE.randint(3, MOST_WRITES)
    running = psutil.Process(server.status().pid)
    with client.writing():
        client.wait(lambda: client.writes >= enough)
        for _ in range(CHANCE.randrange(MOST_TURNS)):
            pass
        running.kill()
        running.wait()
        if until_told:
            client.wait(lambda: bool(client.trouble))
        server.start(port=PORT)
        before = client.writes
        client.wait(lambda: client.writes > before)


def check_sound(client: Client) -> None:
    """Whatever was acknowledged is there, nothing that nobody asked for, each commit whole, and each label right."""
    facts, records = facts_of(client.memory)
    for level in (1, GROUNDING):
        assert {name: holds(held.label, level) for name, held in records.items()} == naive(facts, level)
    texts = {held.record.text for held in records.values()} - {records[client.premise].record.text}
    assert client.acknowledged <= texts <= client.asked
    assert bool(records[client.premise].live) in client.may_hold
    status = client.memory.status()
    assert status.commit == status.counts["commits"] >= client.commit
    check_conclusions(client, records)


def check_conclusions(client: Client, records: dict[str, Held]) -> None:
    """A conclusion and its justification are one commit: neither is there without the other."""
    found = client.memory.store.dump(client.memory.session.tenant)
    links = [fact.justification for fact in found if isinstance(fact, LinkState)]
    summaries = {name for name, held in records.items() if held.record.role is Role.SUMMARY}
    assert summaries == {link.consequent for link in links}
    assert all(link.antecedents == (client.premise,) for link in links)


def test_a_killed_server_keeps_what_it_acknowledged_and_its_client_goes_on(server: LocalServer) -> None:
    with opened(server) as memory:
        client = Client(memory, memory.remember("the pool has eight places").id)
        for kill in range(KILLS):
            kill_during_writes(server, client, until_told=not kill)
            check_sound(client)
    assert all(error.hint and error.retryable for error in client.trouble)


def test_a_memory_of_a_server_that_is_down_says_so_and_works_again_later(server: LocalServer) -> None:
    with opened(server) as memory:
        name = memory.remember("kept before").id
        server.stop()
        for attempt in (lambda: memory.held(name), lambda: memory.remember("not kept")):
            with pytest.raises(StoreUnavailable, match="can't be reached") as caught:
                attempt()
            assert caught.value.retryable
        server.start(port=PORT)
        assert memory.held(name).record.text == "kept before"
        assert memory.remember("kept after").commit > 0
