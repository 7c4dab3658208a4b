"""Handlers of jobs for tests. Lives here: one that notes lines of a text as summaries, and one that fails. Lives
elsewhere: the handlers of the product (services)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from graphmem.core.changes import Draft, empty_snapshot, record_id
from graphmem.core.jobs import Job
from graphmem.core.records import Role
from graphmem.core.verbs import conclude
from graphmem.core.views import Wanted
from graphmem.core.windows import Window
from graphmem.services.committing import Session
from graphmem.services.maintaining import Handler, Installing
from tests.memories import provenance, record

FACT = re.compile(r"^FACT: .+$", re.MULTILINE)


def note_facts(session: Session, job: Job, window: Window) -> Installing:
    """Each line that begins with FACT becomes a summary that rests on the record."""
    made = [replace(record(found, Role.SUMMARY), tenant=job.tenant) for found in FACT.findall(window.text)]
    empty = empty_snapshot(job.tenant, session.store.identity_key)
    names = [record_id(empty, one, provenance()) for one in made]

    def plan(draft: Draft) -> None:
        for one in made:
            conclude(draft, one, (job.record,), "test", provenance())

    return Installing(Wanted(records=(job.record, *names)), plan)


def failing(error: BaseException, times: int = 10**9) -> Handler:
    """A handler that raises so many times and then notes facts."""
    left = times

    def handle(session: Session, job: Job, window: Window, /) -> Installing:
        nonlocal left
        if left:
            left -= 1
            raise error
        return note_facts(session, job, window)

    return handle


def after(do: Callable[[Job], None]) -> Handler:
    """A handler that first does something else, as if it took long."""

    def handle(session: Session, job: Job, window: Window, /) -> Installing:
        do(job)
        return note_facts(session, job, window)

    return handle
