"""The store port: the system of record. Lives here: the Protocol that every store keeps. Lives elsewhere: the values it
speaks in (core.views, core.changes) and the stores (adapters.store_*).

Every read is one call, sees one commit, and filters by the view's tenant, policies, label, both clocks and
generations in the store's own query. Ids that aren't in the view are absent from the answer, never an error. A read
whose view has a timeout is stopped by the database when that has passed, and raises DeadlineExceeded; the in-memory
store, which has no database, lets it end. Every write is one transaction: all of it or nothing, labels included.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Protocol

from graphmem.core.auditing import REACH, Audited, Moved, Place, Sought
from graphmem.core.belief import Candidate
from graphmem.core.changes import Applied, ChangeSet
from graphmem.core.erasure import Closure
from graphmem.core.intervals import TIME_MAX
from graphmem.core.jobs import Job, JobState, Offer
from graphmem.core.lifetimes import History
from graphmem.core.records import Key
from graphmem.core.views import (
    Caps,
    Entries,
    Fact,
    Found,
    Hits,
    Keys,
    Neighbourhood,
    Proof,
    Quarantine,
    Snapshot,
    Status,
    View,
    Wanted,
)


class Store(Protocol):
    """What every store does. All methods raise StoreUnavailable when it can't be reached and CorruptStore when what is
    there isn't a memory of a version that this one reads."""

    @property
    def identity_key(self) -> bytes:
        """The key that derives ids from content; fixed when the memory is made."""
        ...

    def load(self, tenant: str, wanted: Wanted) -> Snapshot:
        """Facts of now for planning, whatever their labels; unknown ids and keys are absent."""
        ...

    def apply(self, changes: ChangeSet) -> Applied:
        """Commit the changes and the labels that follow from them, atomically and durably; labels of the answer are in
        order of record id. An empty ChangeSet commits nothing and gives commit 0. What it erases is gone from every
        answer, about any known time, when this returns; `scour` makes the bytes go.

        New jobs are enqueued with the facts; jobs of a record that the changes block as deleted are dropped.

        Raises Conflict, with nothing written, when a record, a head or what surrounds the records to be erased differs
        from what the changes expect; LeaseLost when a lease that they settle isn't held any more or its record is
        deleted; NotPermitted when an edge names a record that was erased.
        """
        ...

    def preview(self, changes: ChangeSet) -> Applied:
        """What `apply` would answer, by the same code, without writing a byte; the commit is 0."""
        ...

    def search(self, view: View, terms: Sequence[str], words: Sequence[str], limit: int) -> Hits:
        """Nodes named exactly by a term (an id, a name, a path, a symbol), the terms that occur nowhere in the view,
        and records by BM25 over the analysed words, best first, ties by id, at most `limit`."""
        ...

    def neighbourhood(self, view: View, seeds: Collection[str], caps: Caps) -> Neighbourhood:
        """Everything within the caps of the seeds, breadth first and by id within a level. Edges count only while their
        evidence holds in the view, justifications only while they are live and their records are in the view."""
        ...

    def candidates(
        self, view: View, keys: Collection[Key], *, claims: bool = False
    ) -> Mapping[Key, tuple[Candidate, ...]]:
        """Grounded records of a believable role for each key (with `claims` the claims that are IN), each with its live
        assertions, in no order; keys without any are absent."""
        ...

    def disputed(self, view: View, after: Key | None, limit: int, *, claims: bool = False) -> Keys:
        """Keys whose candidates say different things, or something else than those of the same entity and attribute
        everywhere; with `claims` every key that a claim speaks to. In order of the key, those after one, `limit` at
        most, with the count of all that follow."""
        ...

    def quarantined(self, view: View, after: Place, limit: int) -> Quarantine:
        """Records that are quarantined at the view's known time, by the commit that did it and by id: those after a
        place, `limit` at most, with the count of all that follow. Tenant and policies filter."""
        ...

    def find(self, view: View, ids: Collection[str]) -> Mapping[str, Found]:
        """Records by id, as far as the view admits them."""
        ...

    def proof(self, view: View, roots: Collection[str], limit: int) -> Proof:
        """The records above the roots through every justification live at the view's known time, with their labels
        then, at most `limit` records. Policies and tenant filter; labels and generations don't."""
        ...

    def keyed(self, view: View, key: Key) -> tuple[str, ...]:
        """Ids of every record of a key that the view's tenant and policies allow, whatever its label, sorted."""
        ...

    def history(self, view: View, ids: Collection[str], keys: Collection[Key] = ()) -> History:
        """The lives of some records, and of all records of some keys, up to the view's known time, with the commits
        that they name. Tenant and policies filter; labels and generations don't."""
        ...

    def moved(self, view: View, since: int, limit: int) -> tuple[Moved, ...]:
        """Records with a stretch of label or an assertion that began or ended after the commit `since`, up to the
        view's known time, with their label at both; by id, at most `limit`. Tenant and policies filter."""
        ...

    def audit(self, view: View, sought: Sought, after: Place, limit: int, reach: int = REACH) -> Audited:
        """What was brought in from somewhere, by somebody or within some commits, counted, and at most `limit` entries
        after a place. Tenant and policies filter, an edge by one of its evidence sets; what rests on the records found
        is followed to at most `reach` records."""
        ...

    def lease(self, tenant: str, offer: Offer) -> tuple[Job, ...]:
        """Lease the jobs that an offer may have, oldest first, atomically: of a lane the oldest job alone, and none
        that another worker holds. A lease that has ended may be taken over; after too many the job is dead."""
        ...

    def fail(self, tenant: str, job: Job, cause: str, now: int) -> Job | None:
        """Give a leased job back with a cause (core.jobs.cause_of), or none when it wasn't tried; what became of it.
        None, with nothing changed, when the lease isn't held any more."""
        ...

    def jobs(
        self,
        tenant: str,
        *,
        state: JobState | None = None,
        records: Collection[str] | None = None,
        after: str = "",
        limit: int = 100,
    ) -> tuple[Job, ...]:
        """Jobs by id, of one state or of some records where these are given, those after an id, at most `limit`."""
        ...

    def retry(self, tenant: str, ids: Collection[str] | None, now: int) -> int:
        """Make dead jobs (None: every one) wait again, as if never tried; how many they were. Others stay as they
        are."""
        ...

    def match(self, tenant: str, prefix: str, limit: int = 10) -> tuple[str, ...]:
        """Ids of records and justifications that start with the prefix, sorted."""
        ...

    def commit_at(self, tenant: str, instant: int) -> int:
        """The last commit at or before an instant in microseconds; 0 before the first."""
        ...

    def entries(self, tenant: str, repository: str) -> Entries:
        """What lives at the head of a repository, for the next generation to be compared with."""
        ...

    def dump(self, tenant: str) -> Iterator[Fact]:
        """Every fact of now of a tenant, withdrawn and blocked ones too, streamed in the order of their commits within
        generations, entities, records, justifications, edges, sites, tombstones."""
        ...

    def closure(self, tenant: str, roots: Collection[str]) -> Closure:
        """What a deletion of some records may touch, as it is now; roots may also be marks of sources and subjects, of
        which only the tombstone is looked up. Unknown ids are absent."""
        ...

    def keyed_by(self, tenant: str, entity: str) -> tuple[str, ...]:
        """Ids of every record whose key is of an entity, whatever attribute, scope and label, sorted."""
        ...

    def scour(self) -> tuple[str, ...]:
        """Overwrite what was erased wherever the store's own files or indexes still hold it; what this process keeps of
        it goes too. Gives the places that it couldn't reach now, in plain words."""
        ...

    def status(self, tenant: str, at: int = TIME_MAX - 1) -> Status:
        """Counts and facts for people; what is out is counted at an instant, by default at the end of time."""
        ...

    def close(self) -> None:
        """Release everything; closing again does nothing."""
        ...
