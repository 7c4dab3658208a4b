"""Ingest: a directory, file or git revision becomes the next generation of a repository. Lives here: reading the files,
choosing the revision's name, one commit. Lives elsewhere: extraction (graphmem.code), comparison (core.generations)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from graphmem.code import EXTRACTOR_VERSION, extract
from graphmem.code import git as git_files
from graphmem.code.listing import Listing
from graphmem.code.walk import list_files
from graphmem.core.changes import ChangeSet, Draft, empty_snapshot
from graphmem.core.credentials import scrub
from graphmem.core.echo import cited
from graphmem.core.erasure import marks_of
from graphmem.core.errors import InvalidInput, NotFound, NotPermitted
from graphmem.core.extraction import Extraction
from graphmem.core.generations import Growth, Revision, grow, next_generation, retired
from graphmem.core.records import digest
from graphmem.core.verbs import note_override
from graphmem.core.views import Entries, Generation, Held, Wanted
from graphmem.ports.detector import Detector
from graphmem.ports.store import Store
from graphmem.services.committing import Session, acknowledge

EXTRACTOR = "graphmem.code"
SHORT_REVISION = 12  # characters of a commit id that name a revision


@dataclass(frozen=True, slots=True)
class Request:
    """What to ingest and what to call it; `replace` lets it take the place of a state that shares no file with it,
    `override` is why what was forgotten is let in again."""

    path: Path
    repository: str = ""
    revision: str = ""
    policy: str = "open"
    replace: bool = False
    override: str = ""


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What an ingest did. `born`, `died` and `unchanged` count source records; `commit` is 0 when the head already
    was this very revision. Unresolved call sites are counted by reason."""

    repository: str
    revision: str
    generation: int
    commit: int
    files: int
    born: int
    died: int
    unchanged: int
    entities: int
    edges: int
    unresolved: Mapping[str, int]
    skipped: tuple[tuple[str, str], ...]
    problems: tuple[tuple[str, str], ...]
    fell: tuple[str, ...]
    rose: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Source:
    repository: str
    revision: str
    listing: Listing


def ingest(
    session: Session,
    request: Request,
    *,
    on_file: Callable[[str], None] | None = None,
    on_listed: Callable[[int], None] | None = None,
) -> IngestReport:
    """Read what the request names and commit it as one generation, or nothing at all.

    Raises NotFound for a path or revision that isn't there, InvalidInput for a repository without commits, NotPermitted
    when the repository's name already stands for files of which none is here, and for what was forgotten.
    """
    source = _read(request)
    if on_listed is not None:
        on_listed(len(source.listing.files))
    extraction = without_credentials(session.detector, extract(source.listing.files, on_file))
    entries = session.store.entries(session.tenant, source.repository)
    now = session.clock.now()
    head = entries.generations[-1] if entries.generations else None
    ordinal = head.ordinal + 1 if head else 1
    revision = Revision(
        generation=Generation(source.repository, ordinal, source.revision, now),
        policy=request.policy,
        writer=session.writer,
        extractor=EXTRACTOR,
        extractor_version=EXTRACTOR_VERSION,
        configuration_hash=digest(EXTRACTOR, EXTRACTOR_VERSION),
        now=now,
    )
    quoted = dict.fromkeys(name for passage in extraction.passages for name in cited(passage.text))
    snapshot = session.store.load(session.tenant, Wanted(records=tuple(quoted)))
    growth, entities = grow(snapshot, entries, extraction, revision)
    ending = retired(entries, growth)
    ended = session.store.load(session.tenant, Wanted(records=ending)).records if ending else {}
    if not request.replace:
        _refuse_foreign(source, entries, ended)
    changes = next_generation(snapshot, entries, growth, entities, revision, ended)
    changes = _unforgotten(session, changes, growth, request.override)
    same = head is not None and head.revision == source.revision
    moved = bool(changes.records or changes.edges or changes.sites or changes.deaths)
    applied = session.store.apply(changes) if moved or not same else None
    done = acknowledge("", "ingest", applied, now, True) if applied else None
    return IngestReport(
        repository=source.repository,
        revision=source.revision,
        generation=ordinal if applied else ordinal - 1,
        commit=applied.commit if applied else 0,
        files=len(source.listing.files),
        born=len(changes.records),
        died=len(ending),
        unchanged=len(entries.records) - len(ending),
        entities=len(entities),
        edges=len(changes.edges),
        unresolved=dict(sorted(Counter(s.reason for s in extraction.unresolved).items())),
        skipped=source.listing.skipped,
        problems=extraction.problems,
        fell=done.fell if done else (),
        rose=done.rose if done else (),
    )


def without_credentials(detector: Detector, extraction: Extraction) -> Extraction:
    """What was found, with a marker in the place of each credential that its own form tells; each is a problem that
    people should read. Spans stay those of the file."""
    passages, problems = [], list(extraction.problems)
    for passage in extraction.passages:
        if found := detector.strong(passage.text):
            problems += [(passage.path, f"credential removed: {f.type}") for f in found]
            passage = replace(passage, text=scrub(passage.text, found))  # noqa: PLW2901
        passages.append(passage)
    return replace(extraction, passages=tuple(passages), problems=tuple(dict.fromkeys(problems)))


def _marks(session: Session, growth: Growth) -> dict[str, str]:
    """The digests by which new entries may be known as forgotten, each with the path that it stands for."""
    locators = {a.record: a.provenance for a in growth.assertions} | {j.consequent: j.provenance for j in growth.links}
    empty = empty_snapshot(session.tenant, session.store.identity_key)
    return {m: locators[r.id].locator for r in growth.records.values() for m in marks_of(empty, r, locators[r.id])}


def _forgotten(session: Session, marks: Mapping[str, str], override: str) -> tuple[str, ...]:
    """The tombstones of what a generation would bring back. Raises NotPermitted without an override."""
    found = session.store.load(session.tenant, Wanted(marks=tuple(marks))).forgotten if marks else {}
    if found and not override:
        path = min(marks[m] for m in found)
        raise NotPermitted(
            f"{len(found)} parts of what is here were forgotten, the first of {path}",
            hint="take them out of the files, or say why they are let in again: --override REASON",
        )
    return tuple(sorted(found.values()))


def _unforgotten(session: Session, changes: ChangeSet, growth: Growth, override: str) -> ChangeSet:
    """The changes, to be refused when something of them is forgotten before they are in; or with an override, with a
    record of why what was forgotten is let in again. Raises NotPermitted for what was forgotten, without one."""
    marks = _marks(session, growth)
    tombstones = _forgotten(session, marks, override)
    if not override:
        return replace(changes, unforgotten=tuple(sorted(marks)))
    generation = changes.generation
    if not tombstones or generation is None:
        return changes
    empty = empty_snapshot(session.tenant, session.store.identity_key)
    draft = Draft(empty, at=changes.at, writer=changes.writer, verb=changes.verb)
    draft.override = override
    note_override(draft, f"generation {generation.ordinal}", generation.repository, " ".join(tombstones))
    return replace(
        changes,
        records=(*changes.records, *draft.records.values()),
        assertions=(*changes.assertions, *draft.assertions.values()),
        standings={**changes.standings, **draft.standings},
    )


def _refuse_foreign(source: _Source, entries: Entries, ended: Mapping[str, Held]) -> None:
    """Raise NotPermitted when everything that lives in the repository would end, and no file of it is there."""
    paths = {file.path for file in source.listing.files}
    known = {a.provenance.locator for held in ended.values() for a in held.live}
    if known and len(ended) == len(entries.records) and not paths & known:
        raise NotPermitted(
            f"{source.repository} holds other files, and none of them is here",
            hint="name this one with --repository, or say --replace",
        )


def _read(request: Request) -> _Source:
    path = request.path.expanduser()
    if not path.exists():
        raise NotFound(f"there is nothing at {path}", hint="give a directory, a file or a git repository")
    path = path.resolve()
    name = request.repository or path.name or "root"
    state = git_files.describe(path)
    if state is None or state.repository_root.resolve() != path:
        listing = list_files(path)
        return _Source(name, request.revision or _snapshot_name(listing), listing)
    if request.revision:
        commit = git_files.resolve_revision(path, request.revision)
        return _Source(name, commit[:SHORT_REVISION], git_files.list_files_at(path, commit))
    listing = list_files(path)
    if state.head and not state.dirty:
        return _Source(name, state.head[:SHORT_REVISION], listing)
    return _Source(name, f"{state.head[:SHORT_REVISION] or 'uncommitted'}+{_snapshot_name(listing)}", listing)


def _snapshot_name(listing: Listing) -> str:
    """The name of a state that no revision names: it follows from the contents."""
    return "snapshot-" + digest(*((f.path, f.content_hash) for f in listing.files))[:SHORT_REVISION]


def generation_named(store: Store, tenant: str, name: str) -> Generation:
    """The generation that REVISION or REPOSITORY=REVISION names. Raises NotFound, or InvalidInput when several fit."""
    repository, equals, revision = name.rpartition("=")
    revision = revision if equals else name
    heads = store.status(tenant).heads
    names = [repository] if equals else [head.repository for head in heads]
    fitting = [
        generation
        for each in names
        for generation in store.entries(tenant, each).generations
        if generation.revision == revision
    ]
    newest = {g.repository: g for g in fitting}
    if not newest:
        raise NotFound(f"no revision {name}", hint="graphmem status lists repositories and their heads")
    if len(newest) > 1:
        raise InvalidInput(f"{name} is a revision of {', '.join(newest)}", hint=f"write {next(iter(newest))}={name}")
    return next(iter(newest.values()))
