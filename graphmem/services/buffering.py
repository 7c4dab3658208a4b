"""Writes that wait a moment to be committed together. Lives here: the bounded buffer of one open memory and the thread
that empties it. Lives elsewhere: the commit (writing)."""

from __future__ import annotations

from dataclasses import replace
from threading import Condition, Lock, Thread

from graphmem.core import changes as facts
from graphmem.core.errors import GraphmemError, InvalidInput, NotFound, NotPermitted
from graphmem.services import writing
from graphmem.services.admitting import Admitted
from graphmem.services.committing import Ack, Session, Written
from graphmem.services.writing import Statement

GROUP = 100  # statements of one commit: a commit of so many takes some ten milliseconds
BOUND = 1_000  # statements that wait at most; more are committed at once
WAIT_S = 0.1  # that a statement waits at most for others to join it
AGAIN_S = 1.0  # between two tries while the store fails
REFUSALS = (InvalidInput, NotFound, NotPermitted)  # what one statement can be refused for by itself


class Buffer:
    """Statements accepted and not yet durable: a crash of this process loses them, closing keeps them."""

    def __init__(self, session: Session, *, group: int = GROUP, bound: int = BOUND, wait_s: float = WAIT_S) -> None:
        self.session = session
        self.group = group
        self.bound = bound
        self.wait_s = wait_s
        self._waiting: list[Admitted] = []
        self._refused: list[GraphmemError] = []
        self._news = Condition()
        self._emptying = Lock()
        self._thread: Thread | None = None
        self._closed = False

    def add(self, statement: Statement) -> Written:
        """Accept a statement under the id that it will have; with the buffer full it is committed at once instead.

        Raises InvalidInput for a text that could never be kept, NotPermitted for what admission refuses.
        """
        admitted = writing.let_in(self.session, statement)
        if admitted.skipped:
            return writing.skipped("remember", admitted)
        with self._news:
            full = len(self._waiting) >= self.bound
            if not full:
                self._waiting.append(admitted)
                self._start()
                self._news.notify_all()
        if full:
            done = writing.keep(self.session, "remember", admitted)
            return replace(done, notes=(*done.notes, "the buffer is full: committed at once"))
        name = facts.record_id(
            facts.empty_snapshot(self.session.tenant, self.session.store.identity_key),
            admitted.statement.record,
            admitted.statement.provenance,
        )
        accepted = Written(name, "remember", 0, changed=True, notes=admitted.notes, ack=Ack.BUFFERED)
        return replace(accepted, outcome=admitted.verdict.outcome.value, code=admitted.verdict.code)

    def flush(self) -> list[Written]:
        """Commit everything that waits, in groups, in order. Raises the first refusal since the last flush, when all
        that wasn't refused is kept; when the store fails, what isn't committed waits on."""
        done = self._empty()
        with self._news:
            refused, self._refused = self._refused, []
        if refused:
            raise refused[0]
        return done

    def close(self) -> None:
        """Flush, and end the thread. Raises as `flush` does."""
        with self._news:
            self._closed = True
            self._news.notify_all()
        if self._thread is not None:
            self._thread.join()
        self.flush()

    def _empty(self) -> list[Written]:
        """Commit group after group until nothing waits; one thread at a time."""
        done: list[Written] = []
        with self._emptying:
            while self._waiting:
                with self._news:
                    group, self._waiting = self._waiting[: self.group], self._waiting[self.group :]
                done += self._keep(group)
        return done

    def _keep(self, group: list[Admitted]) -> list[Written]:
        """Commit a group; where one of it is refused, each by itself."""
        try:
            return writing.keep_together(self.session, group)
        except REFUSALS as error:
            if len(group) == 1:
                with self._news:
                    self._refused.append(error)
                return []
            return [done for one in group for done in self._keep([one])]
        except BaseException:
            with self._news:
                self._waiting[:0] = group
            raise

    def _start(self) -> None:
        if self._thread is None:
            self._thread = Thread(target=self._run, name="graphmem-buffer", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        """Flush when a group is full, and what there is after the wait."""
        while True:
            with self._news:
                self._news.wait_for(lambda: self._waiting or self._closed)
                self._news.wait_for(lambda: len(self._waiting) >= self.group or self._closed, self.wait_s)
                if self._closed:
                    return
            try:
                self._empty()
            except Exception:  # told by the next flush, close at the latest: what wasn't kept waits on
                with self._news:
                    self._news.wait_for(lambda: self._closed, AGAIN_S)
