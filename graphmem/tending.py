"""The upkeep of an open memory, as part of the Python API. Lives here: what is done with records once they are kept:
review, consolidation, merging, the work that writes left, forgetting. Lives elsewhere: the verbs that keep them
(memory), its questions (asking), what each does (services)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from threading import Event, Thread
from typing import Any

from graphmem.asking import Asking
from graphmem.core.arguments import several
from graphmem.core.records import Key, parse_key
from graphmem.core.similarity import Similar
from graphmem.ports.drafter import Drafter
from graphmem.services import consenting, consolidating, forgetting, merging, reviewing
from graphmem.services.buffering import Buffer
from graphmem.services.committing import Written
from graphmem.services.consenting import Consent, Withdrawal
from graphmem.services.consolidating import Consolidated
from graphmem.services.forgetting import Forgotten
from graphmem.services.maintaining import OnJob, Tally, Worker


class Tending(Asking):
    """An open memory that is looked after. Memory documents its times and views."""

    def __init__(self, **parts: Any) -> None:
        """Open over the parts that Asking names."""
        super().__init__(**parts)
        self._buffer = Buffer(self.session)
        self._stop = Event()
        self._thread: Thread | None = None

    # Review.

    def review_similar(self, record: str, *, limit: int = 20) -> tuple[Similar, ...]:
        """Records that say nearly the same as one, nearest first, and in what they differ; nothing is done about it.

        Raises NotFound.
        """
        view, _ = self._view(None, None, "")
        return reviewing.similar_to(self.store, view, self.held(record), limit)

    def review_approve(self, record: str, *, reason: str = "") -> Written:
        """Let in a record that waits for review, and record that decision as the writer's observation.

        Raises NotFound where it doesn't wait, NotPermitted for one's own where the configuration wants four eyes.
        """
        return reviewing.decide(self.session, self.resolve(record), approved=True, reason=reason)

    def review_reject(self, record: str, *, reason: str = "") -> Written:
        """Keep out for good a record that waits for review, and record that decision. Raises NotFound."""
        return reviewing.decide(self.session, self.resolve(record), approved=False, reason=reason)

    # Consent.

    def consents(self, subject: str = "") -> tuple[Consent, ...]:
        """The consents that were given or withdrawn, of one person or of all, by person and purpose."""
        return consenting.consents(self.session, subject)

    def consent_give(self, subject: str, purpose: str, *, reason: str = "") -> Written:
        """Record that a person agreed to be remembered for a purpose; what is kept under it names the purpose as its
        `consent`. Raises InvalidInput."""
        return consenting.give(self.session, subject, purpose, reason)

    def consent_withdraw(
        self, subject: str, purpose: str = "", *, reason: str = "", dry_run: bool = False
    ) -> tuple[Withdrawal, ...]:
        """Record that a person withdrew a consent (without a purpose: each that stands), and erase what was kept about
        them under it; later writes under it are refused. Raises NotFound where no such consent stands."""
        if not dry_run:
            self.flush()
        return consenting.withdraw_all(self.session, subject, purpose, reason, dry_run=dry_run)

    # Many as one.

    def consolidate(
        self,
        *keys: str | Key,
        into: str | Key | None = None,
        drafter: Drafter | None = None,
        dry_run: bool = False,
    ) -> Consolidated:
        """Summarise what is believed about some keys as one record of the key `into` (default: the sole key), which
        falls, and loses its text, with what it was drawn from.

        Without a `drafter` the text is made of the observations' own sentences. A draft that says anything else, cites
        anything else or has another value is kept as rejected, with the reason. Raises NotFound for a key that nothing
        seen speaks to, InvalidInput for several keys without `into`.
        """
        view, _ = self._view(None, None, "")
        asked = tuple(parse_key(key) if isinstance(key, str) else key for key in keys)
        target = parse_key(into) if isinstance(into, str) else into
        return consolidating.consolidate(
            self.session, view, self.authority, asked, target, drafter=drafter, dry_run=dry_run
        )

    def merge(self, one: str, other: str, *, reason: str, dry_run: bool = False) -> Written:
        """Say that two entities, by name or id, are one: what is asked about one finds what is known of the other. The
        answer names the record of the decision; retracting that undoes the merge.

        Raises NotFound for a name that nothing has, InvalidInput for one that several have.
        """
        return merging.merge(self.session, merging.Same(one, other, reason), dry_run=dry_run)

    # What writes left to be done.

    def flush(self) -> tuple[Written, ...]:
        """Commit what was remembered with ack="buffered"; what is refused of it is raised when all else is kept."""
        return tuple(self._buffer.flush())

    def maintain(self, *, watch: bool = False, stop: Event | None = None, on_job: OnJob | None = None) -> Tally:
        """Do the jobs that may be done now, or with `watch` those that come too, until `stop` is set. `on_job` hears
        the tally after each. Any number of processes and threads may do this at once."""
        worker = Worker(self.session, self.handlers, stop)
        tally = worker.watch(on_job) if watch else worker.until_idle(on_job)
        return replace(tally, left=self.store.status(self.session.tenant).jobs)

    def maintain_in_background(self) -> None:
        """Do jobs in a thread of this process until the memory is closed."""
        if self._thread is None:
            worker = Worker(self.session, self.handlers, self._stop)
            self._thread = Thread(target=worker.watch, name="graphmem-maintain", daemon=True)
            self._thread.start()

    def stop_maintaining(self) -> None:
        """End the background work after the window at hand; without any, nothing happens."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()

    def retry_jobs(self, jobs: Iterable[str] | None = None) -> int:
        """Let dead jobs (by id; None: every one) be tried anew; how many they were."""
        names = None if jobs is None else several(jobs, "jobs")
        return self.store.retry(self.session.tenant, names, self.clock.now())

    # Forgetting.

    def forget(
        self,
        ids: str | Iterable[str] = (),
        *,
        subject: str = "",
        source: str = "",
        query: str = "",
        reason: str,
        dry_run: bool = False,
    ) -> Forgotten:
        """Erase records for good, at every known time: those of some ids, about a subject, from a source, or whose
        words are all of a query. What was made of them loses its text; what only rested on them falls.

        The receipt is a record without content; forgetting again gives the same one. What was forgotten can't come back
        without an `override`. Raises InvalidInput without a reason or a choice, NotFound when nothing is there.
        """
        if not dry_run:
            self.flush()
        named = (ids,) if isinstance(ids, str) else several(ids, "ids")
        chosen = forgetting.Chosen(tuple(self.resolve(name) for name in named), subject, source, query)
        return forgetting.forget(self.session, chosen, reason, dry_run=dry_run)
