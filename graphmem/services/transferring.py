"""Import of JSON lines. Lives here: reading lines in batches, and the commits that they make. Lives elsewhere: the
shape of each line (services.lines), its documentation and JSON Schema (docs/reference), export (services.exporting).

A line's `ref` (or `id`, as export writes it) is a name for other lines of the same file; ids are derived anew, so equal
content keeps its id in the same memory and finds its links in another.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from graphmem.core import changes as facts
from graphmem.core import verbs
from graphmem.core.auditing import Place, Sought
from graphmem.core.changes import ChangeSet, Draft
from graphmem.core.erasure import SOURCE, SUBJECT, Erasure, is_tombstone, marks_of
from graphmem.core.errors import GraphmemError, InvalidInput, NotPermitted
from graphmem.core.forgetting import RECEIPTS
from graphmem.core.labelling import Standing
from graphmem.core.records import Assertion, Block, BlockKind, Record, Tombstone, entity_id, named_edge, named_site
from graphmem.core.views import Head, Held, Joint, View, Wanted
from graphmem.ports.detector import Detector
from graphmem.services import lines as shapes
from graphmem.services import writing
from graphmem.services.admitting import cleaned
from graphmem.services.committing import Session, commit
from graphmem.services.writing import Statement

BATCH = 1_000  # lines of one commit


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did. `ids` maps each line's ref to the id that it has now; `unchanged` records were there
    already."""

    lines: int
    records: int
    justifications: int
    edges: int
    entities: int
    superseded: int
    unchanged: int
    commits: int
    ids: Mapping[str, str]


def import_lines(
    session: Session,
    lines: Iterable[str],
    *,
    override: str = "",
    on_line: Callable[[int], None] | None = None,
    exact: bool = False,
) -> ImportReport:
    """Read lines in batches, one commit each. Credentials are taken out of records, unless the lines are to come in
    `exact`. Raises InvalidInput naming the first line that isn't right, NotPermitted naming one that is nothing but a
    credential, or that was forgotten and that no `override` lets in."""
    importer = _Importer(session, exact, override)
    batch: list[tuple[int, dict[str, Any]]] = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            batch.append((number, _parsed(number, line)))
        if len(batch) == BATCH:
            importer.take(batch)
            batch = []
        if on_line is not None:
            on_line(number)
    importer.take(batch)
    importer.finish()
    return importer.report()


def _without_credentials(detector: Detector, item: shapes.Stated | shapes.Kept) -> shapes.Stated | shapes.Kept:
    """A record's line without its credentials. Raises NotPermitted when it says nothing else."""
    if isinstance(item, shapes.Stated):
        statement = cleaned(detector, item.statement)
        return replace(item, statement=statement, key=item.key and statement.record.key)
    record, assertions = item.record, []
    for assertion, withdrawn in item.assertions:
        statement = cleaned(detector, Statement(record, assertion.provenance))
        record = statement.record
        assertions.append((replace(assertion, provenance=statement.provenance), withdrawn))
    return replace(item, record=record, assertions=tuple(assertions))


def _parsed(number: int, line: str) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError as error:
        raise InvalidInput(f"line {number} isn't JSON: {error}", hint="every line is one JSON object") from error
    if not isinstance(found, dict) or found.get("type") not in shapes.TYPES:
        raise InvalidInput(f"line {number} has no known type", hint=f"types are {', '.join(shapes.TYPES)}")
    return found


@dataclass(slots=True)
class _Counts:
    lines: int = 0
    records: int = 0
    justifications: int = 0
    edges: int = 0
    entities: int = 0
    superseded: int = 0
    unchanged: int = 0
    commits: int = 0


@dataclass
class _Importer:
    """The state of one import: what refs mean by now, and the blocks that wait for records named later."""

    session: Session
    exact: bool
    override: str = ""
    ids: dict[str, str] = field(default_factory=dict)
    blocks: list[tuple[str, BlockKind, str]] = field(default_factory=list)
    counts: _Counts = field(default_factory=_Counts)

    def take(self, batch: list[tuple[int, dict[str, Any]]]) -> None:
        """Commit one batch; generations are commits of their own, since the ordinals of others refer to them."""
        self.counts.lines += len(batch)
        rest = []
        for number, line in batch:
            with _Located(number):
                if line["type"] == "generation":
                    self.generation(line)
                else:
                    ref = line.get("ref") or line.get("id") or f"line {number}"
                    rest.append((number, self.read(line | {"ref": ref})))
        if not rest:
            return
        wanted = self.wanted([item for _, item in rest])

        def plan(draft: Draft) -> _Counts:
            counts = _Counts()
            draft.override = self.override
            for number, item in rest:
                with _Located(number):
                    self.place(draft, item, counts)
            return counts

        counts, applied, *_ = commit(self.session, "import", wanted, plan)
        for name in ("records", "justifications", "edges", "entities", "superseded", "unchanged"):
            setattr(self.counts, name, getattr(self.counts, name) + getattr(counts, name))
        self.counts.commits += bool(applied.commit)

    def read(self, line: dict[str, Any]) -> shapes.Item:
        """A line as values, its refs replaced by what they mean, its own ref given a meaning."""
        item = shapes.read_line(line, self.session.tenant, self.session.writer, self.session.clock.now(), self.ids)
        if isinstance(item, shapes.Stated):
            statement = replace(item.statement, override=self.override) if self.override else item.statement
            item = replace(item, statement=writing.prepare(statement, self.session.clock.now()))
        if isinstance(item, shapes.Stated | shapes.Kept) and not self.exact:
            item = _without_credentials(self.session.detector, item)
        self.ids[item.ref] = self.name(item)
        return item

    def name(self, item: shapes.Item) -> str:
        empty = facts.empty_snapshot(self.session.tenant, self.session.store.identity_key)
        match item:
            case shapes.Stated(statement=statement, key=key):
                record = replace(statement.record, key=key) if key else statement.record
                if self.has_forgotten:
                    wanted = Wanted((facts.record_id(empty, record, statement.provenance),))
                    draft = Draft(self.session.store.load(self.session.tenant, wanted), at=0, writer="", verb="")
                    return writing.follow(self.session, draft, replace(statement, record=record))
                return facts.record_id(empty, record, statement.provenance)
            case shapes.Kept(record=Record(text="")):
                return item.ref
            case shapes.Kept(record=record, assertions=assertions):
                first = assertions[0][0].provenance if assertions else item.provenance
                return facts.record_id(empty, record, first)
            case shapes.Linked(justification=j):
                return facts.justification_id(empty, j.consequent, j.antecedents, j.informant, j.mode)
            case shapes.Thing(entity=e, kind=kind):
                return entity_id(e.tenant, kind, e.repository, e.symbol)
            case shapes.Joined() | shapes.Gap():
                return (named_edge(item.edge) if isinstance(item, shapes.Joined) else named_site(item.site)).id
            case _:
                return item.ref

    @cached_property
    def has_forgotten(self) -> bool:
        """Whether anything of the tenant was ever forgotten."""
        view = View(self.session.tenant, self.session.clock.now())
        return bool(self.session.store.audit(view, Sought(source=RECEIPTS), Place(), 1, reach=0).entries)

    def wanted(self, items: list[shapes.Item]) -> Wanted:
        records: dict[str, None] = {}
        links: dict[str, None] = {}
        keys = {}
        names: dict[str, None] = {}
        graph: list[str] = []
        edges: list[Joint] = []
        marks: dict[str, None] = {}
        empty = facts.empty_snapshot(self.session.tenant, self.session.store.identity_key)
        for item in items:
            match item:
                case shapes.Stated(statement=statement):
                    more = writing.wanted_for(self.session, statement)
                    records.update(dict.fromkeys((self.ids[item.ref], *more.records, *filter(None, (item.old,)))))
                    links.update(dict.fromkeys(more.justifications))
                    names.update(dict.fromkeys(more.names))
                    keys.update(dict.fromkeys(more.keys))
                    marks.update(dict.fromkeys(more.marks))
                case shapes.Gone():
                    records[self.ids[item.ref]] = marks[self.ids[item.ref]] = None
                case shapes.Kept(record=record, assertions=asserted):
                    records.update(dict.fromkeys(filter(None, (self.ids[item.ref], record.supersedes))))
                    for said, _ in asserted:
                        marks.update(dict.fromkeys(marks_of(empty, record, said.provenance)))
                    keys.update({record.key: None} if record.key else {})
                case shapes.Linked(justification=j):
                    records.update(dict.fromkeys((j.consequent, *j.antecedents)))
                    links[self.ids[item.ref]] = None
                case shapes.Joined(edge=edge):
                    edges.append(Joint(self.ids[item.ref], edge.source, edge.target))
                case _:
                    graph.append(self.ids[item.ref])
        return Wanted(
            tuple(records),
            tuple(links),
            tuple(keys),
            tuple(names),
            tuple(graph),
            tuple(edges),
            bool(self.session.extraction),
            tuple(marks),
        )

    def place(self, draft: Draft, item: shapes.Item, counts: _Counts) -> None:
        """Write one item into the draft."""
        match item:
            case shapes.Stated():
                self.state(draft, item, counts)
            case shapes.Kept():
                self.keep(draft, item, counts)
            case shapes.Linked(live=live) if _stands_so(draft, self.ids[item.ref], live):
                pass
            case shapes.Linked(justification=j, live=live):
                made = verbs.justify(draft, j.consequent, j.antecedents, j.informant, j.provenance, j.mode)
                counts.justifications += 1
                if not live:
                    verbs.withdraw(draft, made)
            case shapes.Gone(tombstone=tombstone):
                _bury(draft, tombstone)
            case shapes.Thing() | shapes.Joined() | shapes.Gap():
                if self.ids[item.ref] not in draft.snapshot.graph:
                    self.draw(draft, item, counts)

    def draw(self, draft: Draft, item: shapes.Thing | shapes.Joined | shapes.Gap, counts: _Counts) -> None:
        """Add an entity, edge or site that isn't there yet."""
        name = self.ids[item.ref]
        match item:
            case shapes.Thing(entity=entity):
                draft.entities[name] = replace(entity, id=name)
                counts.entities += 1
            case shapes.Joined(edge=edge):
                draft.edges[name] = named_edge(edge)
                counts.edges += 1
            case shapes.Gap(site=site):
                draft.sites[name] = replace(site, id=name)

    def state(self, draft: Draft, item: shapes.Stated, counts: _Counts) -> None:
        outcome = writing.Outcome()
        statement = item.statement
        if draft.snapshot.records:
            writing.follow(self.session, draft, statement)
        known = self.ids[item.ref] in draft.held
        counts.unchanged += known
        counts.records += not known
        if item.old and not known:
            name = verbs.supersede(draft, item.old, statement.record, statement.provenance, how=item.how)
            writing.attach(draft, name, statement, outcome)
            counts.superseded += 1
        elif not item.old:
            name = writing.state(draft, statement, outcome)
        else:
            return
        writing.enqueue(draft, self.session, name, statement, outcome)
        if name != self.ids[item.ref]:
            raise InvalidInput(f"{item.ref} was understood as another record", hint="give the key on the line itself")

    def keep(self, draft: Draft, item: shapes.Kept, counts: _Counts) -> None:
        """Restore an exported record with its assertions as they stood."""
        name = self.ids[item.ref]
        held = draft.held.get(name)
        counts.unchanged += held is not None
        counts.records += held is None
        draft.read.add(name)
        record = replace(item.record, id=name)
        _refuse_forgotten(draft, item, held)
        if held is None:
            draft.records[name] = record
            held = Held(record, Standing(record.own, 0), 0)
            draft.standings[name] = held.standing
            draft.held[name] = held
            if record.key is not None and record.version > (head.version if (head := draft.head(record.key)) else 0):
                draft.heads[record.key] = draft.new_heads[record.key] = Head(name, record.version)
        self.assert_again(draft, name, held, item)
        if item.block is not None and item.block[0] is BlockKind.QUARANTINED:
            verbs.quarantine(draft, name, item.block[1])
        elif item.block is not None and held.block is None:
            self.blocks.append((name, item.block[0], item.block[1]))

    def assert_again(self, draft: Draft, name: str, held: Held, item: shapes.Kept) -> None:
        known = {a.id for a in held.live} | {a.id for a, _ in held.withdrawn}
        live: list[Assertion] = []
        gone: list[tuple[Assertion, int]] = []
        for raw, withdrawn in item.assertions:
            made = facts.assertion_of(draft.snapshot, name, held.record, raw.provenance)
            made = replace(made, authority=raw.authority, observed_at=raw.observed_at)
            if made.id in known:
                continue
            draft.assertions[made.id] = made
            if withdrawn:
                draft.withdrawn[made.id] = None
                gone.append((made, draft.snapshot.commit + 1))
            else:
                live.append(made)
        draft.restand(replace(held, live=(*held.live, *live), withdrawn=(*held.withdrawn, *gone)))

    def generation(self, line: Mapping[str, Any]) -> None:
        found = shapes.generation_of(line)
        known = self.session.store.entries(self.session.tenant, found.repository).generations
        if found.ordinal <= len(known):
            return
        self.session.store.apply(
            ChangeSet(
                tenant=self.session.tenant,
                at=self.session.clock.now(),
                writer=self.session.writer,
                verb="import",
                generation=found,
            )
        )
        self.counts.commits += 1

    def finish(self) -> None:
        """Set the blocks, now that every record has its id."""
        if not self.blocks:
            return
        wanted = Wanted(records=tuple(name for name, *_ in self.blocks))

        def plan(draft: Draft) -> None:
            for name, kind, by in self.blocks:
                held = draft.get(name)
                block = Block(name, kind, self.ids.get(by, by))
                draft.blocks.append(block)
                draft.restand(replace(held, block=block))

        _, applied, *_ = commit(self.session, "import", wanted, plan)
        self.counts.commits += bool(applied.commit)

    def report(self) -> ImportReport:
        c = self.counts
        return ImportReport(
            c.lines, c.records, c.justifications, c.edges, c.entities, c.superseded, c.unchanged, c.commits, self.ids
        )


def _refuse_forgotten(draft: Draft, item: shapes.Kept, held: Held | None) -> None:
    """Raise NotPermitted for what was forgotten here, and for what was forgotten there and isn't yet here."""
    record, forgotten = item.record, draft.snapshot.forgotten
    if held is not None and bool(held.record.text) != bool(record.text):
        where, hint = ("here", "leave it out") if record.text else ("where this comes from", "forget it here too")
        raise NotPermitted(f"{held.record.id} was forgotten {where}", hint=f"{hint}, then import again")
    if held is not None or not record.text:
        return
    marks = {m for a, _ in item.assertions for m in marks_of(draft.snapshot, record, a.provenance)}
    found = sorted(forgotten[m] for m in marks if m in forgotten)
    draft.unforgotten |= marks - forgotten.keys()
    replaced = draft.held.get(record.supersedes)
    if found and not (replaced is not None and is_tombstone(replaced)):
        if not draft.override:
            raise NotPermitted(f"this was forgotten (tombstone {found[0]})", hint="to let it in, say --override REASON")
        verbs.note_override(draft, "import", record.id or item.ref, found[0])


def _bury(draft: Draft, tombstone: Tombstone) -> None:
    """Put up a tombstone; that of a record, at its row. Raises InvalidInput without one."""
    if tombstone.role not in (SOURCE, SUBJECT) and tombstone.id not in draft.held:
        raise InvalidInput(f"no record {tombstone.id} for this tombstone", hint="records stand above tombstones")
    if tombstone.id not in draft.snapshot.forgotten:
        before = draft.erasure or Erasure()
        draft.erasure = replace(before, tombstones=(*before.tombstones, tombstone))


def _stands_so(draft: Draft, link: str, live: bool) -> bool:
    """Whether a justification is there already, live or withdrawn as it should be."""
    return link in draft.links and (link in draft.live) == live


class _Located:
    """Puts the line's number before the message of any error raised within."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, GraphmemError) and not str(error).startswith("line "):
            error.args = (f"line {self.number}: {error}",)
        elif isinstance(error, (KeyError, TypeError, AttributeError, ValueError)) and not isinstance(
            error, GraphmemError
        ):
            raise InvalidInput(
                f"line {self.number} lacks or misspells a field: {error}", hint="see docs/reference/jsonl.md"
            ) from error
