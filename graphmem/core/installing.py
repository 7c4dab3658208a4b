"""From what was found in a record to facts of a draft. Lives here: the pure rules by which turns become records,
statements become summaries, and names become entities and edges, each with the raw record behind it. Lives elsewhere:
finding (adapters of ports.extractor), what a find must pass (core.facts), the reads around it (services.extracting).

Everything is named by what it is, so that finding the same again adds nothing. What a tool guessed, and what somebody
merely said in a conversation, becomes an inference, which is never believed.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import accumulate

from graphmem.core import verbs
from graphmem.core.changes import Draft, record_id
from graphmem.core.echo import compared
from graphmem.core.erasure import marks_of
from graphmem.core.facts import MEASURES, Extracted, Mention, Place, Related, Sort, Stated, Tool, Turn
from graphmem.core.linking import link
from graphmem.core.provenance import Method, Provenance, Span
from graphmem.core.records import (
    Edge,
    Entity,
    Key,
    Kind,
    Record,
    Role,
    canonical,
    digest,
    entity_id,
    named_edge,
)
from graphmem.core.views import Held, Snapshot

# Speakers that are a part in a conversation and nobody in particular: of each conversation they are its own.
PARTS = frozenset({"user", "assistant", "system", "human", "ai", "bot", "tool"})
SAID = "said"  # the evidence status of what a speaker states
# The sorts that a name may turn out to have, the most telling first.
TELLING = (Sort.PERSON, Sort.ORGANISATION, Sort.PLACE, Sort.DATE, Sort.THING)


def names_in(found: Extracted) -> tuple[str, ...]:
    """The names that installing looks up, each once."""
    named = [m.name for m in found.mentions if m.sort not in MEASURES]
    named += [s.entity for s in found.statements]
    named += [n for r in found.relations for n in (r.source, r.target)]
    named += [t.speaker for t in found.turns if t.speaker.casefold() not in PARTS]
    return tuple(dict.fromkeys(named))


def install(draft: Draft, raw: str, found: Extracted, tool: Tool, identifiers: Iterable[str] = ()) -> tuple[str, ...]:
    """Add what was found in a record to a draft, and link it to its key's entity and to the `identifiers` in its text;
    returns the names that several entities bear and that were left alone. Of a deleted record nothing is installed."""
    held = draft.get(raw)
    if held.is_deleted:
        return ()
    unclear = link(draft, held.record, origin_of(held, draft.writer), (), identifiers)
    work = _Installing(draft, held, tool, _sorts(found))
    work.turns(found.turns)
    for statement in found.statements:
        work.state(statement)
    for relation in found.relations:
        work.relate(relation)
    for mention in found.mentions:
        work.mention(mention)
    return (*unclear, *work.ambiguous)


def turn_id(snapshot: Snapshot, raw: Record, start: int) -> str:
    """The id of the turn that begins there in a raw record."""
    bare = Record("", raw.tenant, Role.SUMMARY, "", identity=_turn_identity(raw, start))
    return record_id(snapshot, bare, Provenance("", "", "", Method.DERIVED, 0))


def _turn_identity(raw: Record, start: int) -> str:
    return "turn-" + digest(raw.id, start)


def _sorts(found: Extracted) -> dict[str, Sort]:
    """The most telling sort of each name, case folded."""
    kinds: dict[str, Sort] = {}
    for mention in found.mentions:
        name = compared(mention.name)
        kinds[name] = min(kinds.get(name, Sort.THING), mention.sort, key=_telling)
    return kinds | {compared(t.speaker): Sort.PERSON for t in found.turns}


def _telling(sort: Sort) -> int:
    return TELLING.index(sort) if sort in TELLING else len(TELLING)


class Ruler:
    """Character places of a text as bytes and lines."""

    def __init__(self, text: str) -> None:
        self.text = text
        lines = text.split("\n")
        self.chars = [0, *accumulate(len(line) + 1 for line in lines)]
        self.bytes = [0, *accumulate(len(line.encode("utf-8", "surrogatepass")) + 1 for line in lines)]

    def span(self, place: Place) -> Span:
        (start, first), (end, last) = self._at(place.start), self._at(place.end)
        ends_a_line = place.end > place.start and self.text[place.end - 1] == "\n"
        return Span(start, end, first, max(first, last - ends_a_line))

    def _at(self, char: int) -> tuple[int, int]:
        """The byte and the line (from 1) of a character."""
        line = min(bisect_right(self.chars, char), len(self.chars) - 1)
        before = self.text[self.chars[line - 1] : char]
        return self.bytes[line - 1] + len(before.encode("utf-8", "surrogatepass")), line


@dataclass(slots=True)
class _Installing:
    """One extraction on its way into a draft."""

    draft: Draft
    held: Held
    tool: Tool
    sorts: dict[str, Sort]
    ambiguous: dict[str, None] = field(default_factory=dict)
    local: dict[str, str] = field(default_factory=dict)
    spoken: list[tuple[Place, str]] = field(default_factory=list)
    ruler: Ruler = field(init=False)
    traced: Provenance = field(init=False)

    def __post_init__(self) -> None:
        self.ruler = Ruler(self.raw.text)
        self.traced = replace(
            origin_of(self.held, self.draft.writer),
            captured_at=self.draft.at,
            extractor=self.tool.name,
            extractor_version=self.tool.version,
            configuration_hash=self.tool.configuration,
        )

    @property
    def raw(self) -> Record:
        return self.held.record

    def turns(self, turns: tuple[Turn, ...]) -> None:
        for turn in turns:
            made = replace(
                self._derived(turn.text, Role.SUMMARY, Kind.EPISODIC),
                context="\n".join(filter(None, (turn.session, turn.speaker, *turn.near))),
                observed_at=turn.said_at or self.raw.observed_at,
                identity=_turn_identity(self.raw, turn.place.start),
            )
            if name := self._conclude(made, turn.place):
                self.spoken.append((turn.place, name))
                self._say(name, turn)

    def _say(self, name: str, turn: Turn) -> None:
        speaker = self._part(turn.speaker) if turn.speaker.casefold() in PARTS else self._entity(turn.speaker)
        if speaker:
            self._edge("said_by", name, speaker, (name,), turn.place)
        answered = turn_id(self.draft.snapshot, self.raw, turn.replies_to) if turn.replies_to >= 0 else ""
        if answered in self.draft.held:
            self._edge("replies_to", name, answered, (name, answered), turn.place)

    def state(self, stated: Stated) -> None:
        role = Role.INFERENCE if self.tool.guesses or self._holder(stated.place) != self.raw.id else Role.SUMMARY
        made = replace(
            self._derived(stated.place.of(self.raw.text), role, Kind.SEMANTIC),
            key=Key(stated.entity, stated.attribute),
            value=stated.value,
            identity=self._identity("statement", role, stated.place, stated.entity, stated.attribute, stated.value),
        )
        name = self._conclude(made, stated.place)
        if name and (entity := self._entity(stated.entity)):
            self._edge("about", name, entity, (name,), stated.about)

    def relate(self, related: Related) -> None:
        ends = self._entity(related.source), self._entity(related.target)
        role = Role.INFERENCE if self.tool.guesses else Role.SUMMARY
        value = canonical({"source": related.source, "type": related.type, "target": related.target})
        identity = self._identity("relation", role, related.place, value)
        made = replace(
            self._derived(related.place.of(self.raw.text), role, Kind.SEMANTIC), value=value, identity=identity
        )
        if all(ends) and (name := self._conclude(made, related.place)):
            self._edge(related.type, *ends, (name,), related.place)
            for end in ends:
                self._edge("mentions", name, end, (name,), related.place)

    def mention(self, mention: Mention) -> None:
        if mention.sort is Sort.DATE or mention.sort not in MEASURES:
            holder = self._holder(mention.place)
            name = str(mention.value).strip('"') if mention.sort is Sort.DATE else mention.name
            if entity := self._entity(name, mention.sort):
                self._edge("mentions", holder, entity, (holder,), mention.place)

    # The means.

    def _derived(self, text: str, role: Role, kind: Kind) -> Record:
        """A record that inherits how the raw one may be used."""
        raw = self.raw
        return Record(
            id="",
            tenant=raw.tenant,
            role=role,
            text=text,
            kind=kind,
            own=raw.own,
            observed_at=raw.observed_at,
            authority=raw.authority,
            policy=raw.policy,
            sensitivity=raw.sensitivity,
            retention=raw.retention,
            evidence_status=SAID if role is Role.INFERENCE and not self.tool.guesses else "",
        )

    def _conclude(self, made: Record, place: Place) -> str:
        """Keep a derived record and return its id; nothing for one that somebody corrected, deleted or had forgotten.
        One that is there already is left as it is, with what became of it: a justification that was withdrawn stays
        withdrawn."""
        name = record_id(self.draft.snapshot, made, self.traced)
        if name in self.draft.held:
            self.draft.read.add(name)
            return "" if self.draft.held[name].block is not None else name
        if not self.draft.snapshot.forgotten.keys().isdisjoint(marks_of(self.draft.snapshot, made, self.traced)):
            return ""
        traced = replace(self.traced, method=Method.DERIVED, span=self.ruler.span(place))
        return verbs.conclude(self.draft, made, (self.raw.id,), self.tool.name, traced)[0]

    def _identity(self, what: str, role: Role, place: Place, *said: object) -> str:
        """What a derived record is: what is said at a place of its raw record. The same words said again later are
        another record, with a time and a source of their own."""
        return f"{what}-" + digest(self.raw.id, role.value, *place, *said)

    def _holder(self, place: Place) -> str:
        """The turn that a place lies in, else the raw record."""
        return next((name for where, name in self.spoken if place.within(where)), self.raw.id)

    def _entity(self, name: str, sort: Sort | None = None) -> str:
        """The one entity of a name, made where nothing has it; nothing where several bear it."""
        found = self.draft.snapshot.names.get(name, ())
        if len(found) > 1:
            self.ambiguous[name] = None
        if found:
            return found[0] if len(found) == 1 else ""
        kind = sort if sort is Sort.DATE else self.sorts.get(compared(name), Sort.THING)
        if compared(name) not in self.local:
            self.local[compared(name)] = self._made(Entity("", self.raw.tenant, kind.value, name, name))
        return self.local[compared(name)]

    def _part(self, speaker: str) -> str:
        """The entity of a speaker that is only known as a part in this conversation."""
        return self._made(Entity("", self.raw.tenant, "speaker", speaker, f"{self.raw.id}/{speaker.casefold()}"))

    def _made(self, entity: Entity) -> str:
        named = replace(entity, id=entity_id(entity.tenant, entity.kind, "", entity.symbol))
        if named.id not in self.draft.snapshot.graph:
            self.draft.entities.setdefault(named.id, named)
        return named.id

    def _edge(self, kind: str, source: str, target: str, records: Iterable[str], place: Place) -> None:
        evidence = tuple(sorted({self.raw.id, *records}))
        method = Method.DERIVED if self.tool.guesses else Method.SYNTACTIC
        traced = replace(self.traced, method=method, span=self.ruler.span(place))
        edge = named_edge(Edge("", self.raw.tenant, kind, source, target, (evidence,), traced))
        if edge.id not in self.draft.snapshot.graph:
            self.draft.edges.setdefault(edge.id, edge)


def origin_of(held: Held, writer: str) -> Provenance:
    """Where a raw record comes from: by its first assertion, else by its own id."""
    asserted = (*held.live, *(assertion for assertion, _ in held.withdrawn))
    if asserted:
        return replace(asserted[0].provenance, writer=writer)
    return Provenance("record", held.record.id, writer, Method.DERIVED, 0)
