"""What a memory is asked, as the Python API offers it. Lives here: Asking, an open memory's questions; none of them
writes. Lives elsewhere: the verbs that write (memory) and what the questions do (services)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from types import TracebackType
from typing import Self

from graphmem.core.admission_policy import DEFAULT, Policy
from graphmem.core.arguments import choice, moment
from graphmem.core.auditing import Sought, parse_place
from graphmem.core.authority import UNCONFIGURED, Authority, Verdict
from graphmem.core.belief import Belief
from graphmem.core.conflicts import Dispute, Task
from graphmem.core.credentials import KnownForms
from graphmem.core.envelope import Envelope
from graphmem.core.errors import InvalidInput, NotFound
from graphmem.core.jobs import OPEN_JOBS, Job, JobState
from graphmem.core.lifetimes import History
from graphmem.core.records import Key, canonical, parse_key
from graphmem.core.views import LATEST, Caps, Held, Status, View, Wanted
from graphmem.ports.clock import Clock
from graphmem.ports.detector import Detector
from graphmem.ports.store import Store
from graphmem.ports.tokenizer import Tokenizer
from graphmem.services import auditing, disputing, explaining, forgetting, ingesting, recalling, reviewing
from graphmem.services.auditing import Audit, Diff, Story
from graphmem.services.committing import Session
from graphmem.services.disputing import Difference, Page
from graphmem.services.explaining import Why, WhyNotValue
from graphmem.services.forgetting import Verified
from graphmem.services.maintaining import Handlers
from graphmem.services.reviewing import Queue

Moment = datetime | str | None


class Asking:
    """An open memory of one tenant, for one writer, as far as it is only asked."""

    def __init__(
        self,
        *,
        store: Store,
        clock: Clock,
        tokenizer: Tokenizer,
        tenant: str,
        writer: str,
        policies: tuple[str, ...] | None = None,
        authority: Authority = UNCONFIGURED,
        handlers: Handlers | None = None,
        open_jobs: int = OPEN_JOBS,
        admission: Policy = DEFAULT,
        detector: Detector | None = None,
    ) -> None:
        self.store = store
        self.clock = clock
        self.tokenizer = tokenizer
        self.policies = policies
        self.authority = authority
        self.handlers: Handlers = handlers or {}
        self.session = Session(
            store,
            clock,
            tenant,
            writer,
            authority,
            admission=admission,
            detector=detector or KnownForms(),
            extraction=tuple(sorted(self.handlers)),
            bound=open_jobs,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the store; closing again does nothing."""
        self.store.close()

    def recall(
        self,
        query: str = "",
        *,
        limit: int = 10,
        budget: int = 2_000,
        depth: int = 3,
        max_nodes: int = 400,
        max_edges: int = 4_000,
        deadline_ms: int | None = None,
        at: Moment = None,
        known_at: Moment | int = None,
        revision: str = "",
        cursor: str = "",
    ) -> Envelope:
        """Evidence for a question as a connected path of records within a token budget. `cursor` goes on where an
        earlier, partial answer ended, against the same snapshot.

        Raises InvalidInput for an empty question, a budget or limit below 1, or a foreign cursor.
        """
        seen: tuple[str, ...] = ()
        view, revisions = self._view(at, known_at, revision)
        if cursor:
            query, instant, known, generations, seen = recalling.decode_cursor(cursor)
            view = replace(view, at=instant, known_at=known, generations=generations)
        question = recalling.Question(
            text=query,
            view=view,
            limit=limit,
            budget=budget,
            caps=Caps(depth, max_nodes, max_edges),
            deadline_ms=deadline_ms,
            revisions=revisions,
            seen=seen,
            authority=self.authority,
        )
        answer = recalling.recall(self.store, self.clock, self.tokenizer, question)
        for item in answer.items:
            self.session.delivered.note(item.id, item.text)
        return answer

    def believe(
        self,
        key: str | Key,
        *,
        at: Moment = None,
        known_at: Moment | int = None,
        default: object = None,
        reperceive: Callable[[Key], object] | None = None,
    ) -> Belief:
        """The one record that answers for a key, and those that say otherwise.

        Where nothing is believed `default` answers, else the configuration's default for the key, marked as such.
        `reperceive` is called with the key before the answer, for a caller that must look at the source again before a
        costly action; whatever it remembers counts.
        """
        asked = _key(key)
        if reperceive is not None:
            reperceive(asked)
        view, _ = self._view(at, known_at, "")
        return explaining.belief(self.store, view, asked, canonical(default), self.authority)

    def why(
        self,
        record: str,
        *,
        at: Moment = None,
        known_at: Moment | int = None,
        limit: int = 1_000,
        depth: int | None = None,
        alternatives: int = 0,
    ) -> Why:
        """One proof of a record down to its premises, or the reasons for its being OUT; on request at most so many
        alternative minimal sets of premises. What a limit of records, depth or sets cuts off makes it partial.

        Raises NotFound.
        """
        view, _ = self._view(at, known_at, "")
        name = self.resolve(record)
        return explaining.why(self.store, view, name, limit, depth=depth, alternatives=alternatives)

    def why_not(
        self, record: str, value: object = None, *, at: Moment = None, known_at: Moment | int = None, limit: int = 1_000
    ) -> Why | WhyNotValue:
        """Why a record is OUT; or, with a key and a value, which candidate beats that value and by what."""
        if value is None:
            return self.why(record, at=at, known_at=known_at, limit=limit)
        view, _ = self._view(at, known_at, "")
        return explaining.why_not_value(
            self.store, view, parse_key(record), canonical(value) or "", limit, self.authority
        )

    def conflicts(
        self,
        *,
        settled: bool = False,
        after: str | Key | None = None,
        limit: int = disputing.LIMIT,
        at: Moment = None,
        known_at: Moment | int = None,
    ) -> Page[Dispute]:
        """The conflict queue: keys whose candidates disagree and no rule separates them, in order of the key; with
        `settled` those too that a rule separates. `limit` is of keys looked at; `after` goes on from an earlier page.
        """
        view, _ = self._view(at, known_at, "")
        return disputing.conflicts(
            self.store, view, self.authority, _key(after) if after else None, limit, settled=settled
        )

    def conflict(self, key: str | Key, *, at: Moment = None, known_at: Moment | int = None) -> Dispute | None:
        """Both sides of the disagreement about one key, settled or not; None where nobody disagrees."""
        view, _ = self._view(at, known_at, "")
        return disputing.conflict(self.store, view, self.authority, _key(key))

    def tasks(
        self,
        *,
        after: str | Key | None = None,
        limit: int = disputing.LIMIT,
        at: Moment = None,
        known_at: Moment | int = None,
    ) -> Page[Task]:
        """Claims to be verified: those whose value isn't the belief for their key, in order of the key."""
        view, _ = self._view(at, known_at, "")
        return disputing.tasks(self.store, view, self.authority, _key(after) if after else None, limit)

    def authority_changes(
        self, proposed: Authority, *, after: str | Key | None = None, limit: int = disputing.LIMIT
    ) -> Page[Difference]:
        """Which beliefs would be others under a proposed configuration, in order of the key; `limit` is of keys looked
        at, and only keys whose candidates disagree are. Declared defaults aren't compared."""
        view, _ = self._view(None, None, "")
        return disputing.changes(self.store, view, (self.authority, proposed), _key(after) if after else None, limit)

    def authority_explain(self, key: str | Key, source: str, *, kind: str = "document") -> tuple[Verdict, ...]:
        """Each rule of the configuration in force, most specific first, and whether it decides for a key and source."""
        return self.authority.explain(_key(key), source, kind)

    def review_list(self, *, after: str = "", limit: int = reviewing.LIMIT, known_at: Moment | int = None) -> Queue:
        """What waits for a person's look, oldest first. `after` is the `next` of the page before."""
        view, _ = self._view(None, known_at, "")
        return reviewing.queue(self.store, view, parse_place(after), limit)

    def diff(
        self,
        since: Moment | int,
        until: Moment | int = None,
        *,
        at: Moment = None,
        limit: int = 100,
        after: str = "",
    ) -> Diff:
        """Labels and beliefs that changed between two known times, the later one by default now: counts of all, then a
        page of records by id with the beliefs of their keys. `after` is the `next` of the page before.

        Raises InvalidInput.
        """
        start = self._view(at, since, "")[0].known_at
        view = self._view(at, until, "")[0]
        if start > view.known_at:
            raise InvalidInput("the first known time is the later one", hint="give the earlier one first")
        return auditing.diff(self.store, view, start, after, limit, self.authority)

    def history(
        self, subject: str | Key, *, at: Moment = None, known_at: Moment | int = None, limit: int = 1_000
    ) -> Story:
        """Everything that happened to a record, or to every record of a key, commit by commit; for a key also each
        change of belief at a valid time. Raises NotFound."""
        view, _ = self._view(at, known_at, "")
        if isinstance(subject, Key) or "#" in subject:
            key = subject if isinstance(subject, Key) else parse_key(subject)
            return auditing.story_of_key(self.store, view, key, limit, self.authority)
        return auditing.story_of_record(self.store, view, self.resolve(subject), limit)

    def audit(
        self,
        *,
        source: str = "",
        subject: str = "",
        by: str = "",
        recorded_from: Moment = None,
        recorded_to: Moment = None,
        at: Moment = None,
        known_at: Moment | int = None,
        limit: int = 100,
        after: str = "",
    ) -> Audit:
        """What came from sources whose locator begins so, about a subject, by a writer, recorded within a time: counts
        of all with what rests on it, then a page by commit and id. `after` is the `next` of the page before.

        Raises InvalidInput.
        """
        view, _ = self._view(at, known_at, "")
        tenant, since = self.session.tenant, 0
        if recorded_from is not None:
            since = self.store.commit_at(tenant, moment(recorded_from) - 1)
        if recorded_to is not None:
            view = replace(view, known_at=min(view.known_at, self.store.commit_at(tenant, moment(recorded_to) - 1)))
        return auditing.audit(self.store, view, Sought(source, subject, by, since), after, limit)

    def lives(self, records: Iterable[str]) -> History:
        """The lives of several records, by whole id; unknown ones are absent."""
        return self.store.history(self._view(None, None, "")[0], set(records))

    def held(self, record: str) -> Held:
        """A record as it is kept now, whatever its label; one under a policy that isn't read is unknown. Raises
        NotFound."""
        name = self.resolve(record)
        found = self.held_all((name,)).get(name)
        if found is None:
            raise NotFound(f"no record {record}", hint="ids come from recall and export")
        return found

    def held_all(self, records: Iterable[str]) -> Mapping[str, Held]:
        """Several records as they are kept now, by whole id; unknown ones are absent."""
        found = self.store.load(self.session.tenant, Wanted(records=tuple(records))).records
        allowed = self.policies
        return {n: h for n, h in found.items() if allowed is None or h.record.policy in allowed}

    def receipts(self) -> tuple[Held, ...]:
        """The receipts of everything that was forgotten, oldest first."""
        return forgetting.receipts(self.session)

    def receipt(self, name: str) -> Held:
        """The receipt of one deletion; its value says what went. Raises NotFound."""
        return forgetting.receipt(self.session, self.resolve(name))

    def verify_receipt(self, name: str) -> Verified:
        """Look through the whole memory for anything that a receipt says was forgotten. Raises NotFound."""
        return forgetting.verify(self.session, self.receipt(name))

    def resolve(self, name: str) -> str:
        """The whole id that a beginning of an id stands for; anything else is returned as it is.

        Raises InvalidInput when several ids begin so.
        """
        if not name.startswith(("r-", "j-")) or len(name) >= len("r-") + 20:
            return name
        found = self.store.match(self.session.tenant, name)
        if len(found) > 1:
            raise InvalidInput(f"{name} is the beginning of several ids: {', '.join(found)}", hint="give more of it")
        return found[0] if found else name

    def status(self) -> Status:
        """Counts of this tenant and facts about the store."""
        return self.store.status(self.session.tenant, self.clock.now())

    def jobs(self, *, state: str = "", after: str = "", limit: int = 100) -> tuple[Job, ...]:
        """Jobs that aren't done, by id, of one state (waiting, leased, deferred or dead) or of all; `after` goes on
        after an id. Raises InvalidInput."""
        wanted = choice(JobState, state, "state") if state else None
        return self.store.jobs(self.session.tenant, state=wanted, after=after, limit=limit)

    # The means.

    def _view(self, at: Moment, known_at: Moment | int, revision: str) -> tuple[View, dict[str, str]]:
        tenant = self.session.tenant
        known = LATEST
        if isinstance(known_at, int):
            if known_at < 0:
                raise InvalidInput(f"there is no commit {known_at}", hint="commits count from 1; 0 is before the first")
            known = known_at
        elif known_at is not None:
            known = self.store.commit_at(tenant, moment(known_at))
        instant = self.clock.now() if at is None else moment(at)
        view = View(tenant, instant, known, self.policies)
        if not revision:
            return view, {}
        generation = ingesting.generation_named(self.store, tenant, revision)
        fixed = replace(view, generations={generation.repository: generation.ordinal})
        if at is None:
            fixed = replace(fixed, at=generation.begins)
        return fixed, {generation.repository: generation.revision}


def _key(given: str | Key) -> Key:
    return parse_key(given) if isinstance(given, str) else given
