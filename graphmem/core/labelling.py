"""The incremental least fixpoint of truth maintenance. Lives here: what falls and what rises after an edit, at a cost
proportional to the records whose support changes plus their links. Lives elsewhere: the facts (a Network, given by a
store or by a test) and what to do with the outcome (the store writes it, a dry run shows it).

The fall phase walks along current supports only. A record that loses its support is first saved by its own assertion,
then by a live justification whose antecedents all come before it in rank; otherwise it is OUT and its dependants are
visited. The rise phase then derives again inside what fell, and forward from what was added.

Source: J. Doyle, A Truth Maintenance System (1979); K. Forbus and J. de Kleer, Building Problem Solvers (1993), for
well-founded support; the rank test replaces their search for foundations.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, Protocol, TypeVar

from graphmem.core.intervals import ALWAYS, TIME_MAX, TIME_MIN, Intervals, intersect, normalise, subtract
from graphmem.core.labels import (
    OUT_LABEL,
    PREMISE,
    Label,
    Segment,
    clip,
    ever,
    tidy,
    together,
    without,
)

N = TypeVar("N", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Standing:
    """What one record brings of its own: the times it claims, its level as a premise (OUT for none), a block."""

    own: Intervals
    premise: int
    blocked: bool = False


class Link(NamedTuple, Generic[N]):
    """A live justification as the fixpoint sees it: antecedents are distinct and never include the consequent."""

    id: Hashable
    consequent: N
    antecedents: tuple[N, ...]
    timeless: bool = False


class Network(Protocol[N]):
    """The committed facts, read in batches. Unknown nodes are absent from every answer; order is free."""

    def standings(self, nodes: Collection[N]) -> Mapping[N, Standing]: ...
    def labels(self, nodes: Collection[N]) -> Mapping[N, Label]: ...
    def incoming(self, nodes: Collection[N], dead: Collection[Hashable]) -> Iterable[Link[N]]:
        """Live justifications of the nodes; those among `dead` may be left out."""
        ...

    def outgoing(self, nodes: Collection[N]) -> Iterable[Link[N]]: ...
    def resting(self, nodes: Collection[N]) -> Iterable[tuple[N, Hashable, bool, N]]:
        """(antecedent, justification, timeless, consequent) for each justification that is the current support of some
        stretch of its consequent and has an antecedent among the nodes."""
        ...


@dataclass(slots=True)
class Edit(Generic[N]):
    """What one commit changes: new standings (of old and new nodes), links added, links withdrawn."""

    standings: dict[N, Standing] = field(default_factory=dict)
    created: set[N] = field(default_factory=set)
    added: list[Link[N]] = field(default_factory=list)
    withdrawn: list[Link[N]] = field(default_factory=list)


Outcome = dict[N, tuple[Label, Label]]


def relabel(network: Network[N], edit: Edit[N]) -> Outcome[N]:
    """The labels that differ after the edit, as node -> (before, after); the network itself is only read."""
    work = _Work(network, edit)
    fallen = work.fall(work.losses())
    work.rise(fallen)
    return work.outcome()


def offer_of(link: Link[N], labels: Mapping[N, Label], own: Intervals) -> list[Segment]:
    """What a justification gives its consequent: S(j) within the consequent's own times, with rank and support."""
    found = [labels.get(a, OUT_LABEL) for a in link.antecedents]
    raw = ever(found, (TIME_MIN, TIME_MAX)) if link.timeless else together(found)
    if not raw:
        return raw
    return clip((Segment(s[0], s[1], s[2], s[3] + 1, link.id) for s in raw), own)


def premise_offer(standing: Standing) -> list[Segment]:
    """What a record's own live assertion gives it: rank 0 over its own times."""
    if standing.blocked or not standing.premise:
        return []
    return [Segment(a, b, standing.premise, 0, PREMISE) for a, b in standing.own]


def saves(offered: Segment, lost: Segment) -> bool:
    """Whether an offer may take over a lost stretch: as firm, and resting only on what came before in rank."""
    return offered.level >= lost.level and offered.rank <= lost.rank


class _Work(Generic[N]):
    """One run of the fixpoint: the facts with the edit laid over them, and the labels as they stand so far."""

    def __init__(self, network: Network[N], edit: Edit[N]) -> None:
        self.network = network
        self.edit = edit
        self.withdrawn = {link.id for link in edit.withdrawn}
        self.now: dict[N, Label] = dict.fromkeys(edit.created, OUT_LABEL)
        self.before: dict[N, Label] = dict(self.now)
        self.known: dict[N, Standing] = dict(edit.standings)
        self.added_in: dict[N, list[Link[N]]] = {}
        self.added_out: dict[N, list[Link[N]]] = {}
        self.links: dict[N, tuple[Link[N], ...]] = {}
        self.switched: dict[N, list[Link[N]]] = {}
        self.dead: set[Hashable] = set()
        for link in edit.added:
            self.added_in.setdefault(link.consequent, []).append(link)
            for antecedent in link.antecedents:
                self.added_out.setdefault(antecedent, []).append(link)

    # Reading: the committed facts under the edit.

    def need_labels(self, nodes: Collection[N]) -> None:
        missing = [n for n in nodes if n not in self.now]
        if missing:
            found = {**dict.fromkeys(missing, OUT_LABEL), **self.network.labels(missing)}
            self.now.update(found)
            self.before.update(found)

    def need_standings(self, nodes: Collection[N]) -> None:
        missing = [n for n in nodes if n not in self.known]
        if missing:
            self.known.update(self.network.standings(missing))

    def old(self, nodes: Iterable[N]) -> list[N]:
        return [n for n in nodes if n not in self.edit.created]

    def incoming(self, nodes: Collection[N]) -> dict[N, tuple[Link[N], ...]]:
        """The justifications of each node that may offer it something; nodes without any are absent."""
        missing = [n for n in nodes if n not in self.links]
        self.links.update(dict.fromkeys(missing, ()))
        for node in self.added_in.keys() & missing:
            self.links[node] = tuple(self.added_in[node])
        committed = self.old(missing)
        if committed:
            for link in self.network.incoming(committed, self.dead):
                if link.id not in self.withdrawn and link.id not in self.dead:
                    self.links[link.consequent] += (link,)
        return {n: links for n in nodes if (links := self.links[n])}

    def outgoing(self, nodes: Collection[N]) -> list[Link[N]]:
        links = [link for n in nodes for link in self.added_out.get(n, ())]
        committed = self.old(nodes)
        if committed:
            links += [k for k in self.network.outgoing(committed) if k.id not in self.withdrawn]
        return links

    # Falling.

    def losses(self) -> dict[N, Intervals]:
        """Stretches whose support the edit itself takes away."""
        touched = self.old(self.edit.standings)
        self.need_labels({*touched, *(link.consequent for link in self.edit.withdrawn)})
        lost: dict[N, Intervals] = {}
        for node in touched:
            standing = self.edit.standings[node]
            label = self.now[node]
            gone = label if standing.blocked else _unclaimed(label, standing)
            _lose(lost, node, tuple((s.start, s.end) for s in gone))
        for link in self.edit.withdrawn:
            label = self.now[link.consequent]
            _lose(lost, link.consequent, tuple((s.start, s.end) for s in label if s.support == link.id))
        return lost

    def fall(self, frontier: dict[N, Intervals]) -> dict[N, None]:
        """Take the lost stretches away, and what rested on them; returns the nodes that lost anything, in order."""
        fallen: dict[N, None] = {}
        while frontier:
            self.need_standings(frontier)
            alternatives = self.incoming(frontier)
            self.need_labels({a for links in alternatives.values() for link in links for a in link.antecedents})
            dropped: dict[N, Intervals] = {}
            for node, lost in frontier.items():
                gone = self.settle(node, lost, alternatives.get(node, ()))
                if gone:
                    dropped[node] = gone
            fallen.update(dict.fromkeys(dropped))
            frontier = self.dependants(dropped)
        return fallen

    def settle(self, node: N, lost: Intervals, alternatives: Sequence[Link[N]]) -> Intervals:
        """Save what can be saved of the lost stretches, all of them parts of the label; drop the rest and return it."""
        standing = self.known[node]
        label = self.now[node]
        if not alternatives and not standing.premise:
            whole = len(label) == 1 and lost == (label[0][:2],)
            self.now[node] = OUT_LABEL if whole else tuple(without(label, lost))
            return lost
        kept = without(label, lost)
        for segment in clip(label, lost):
            kept += self.saved(segment, standing, alternatives)
        self.now[node] = tidy(kept)
        return subtract(lost, [(s[0], s[1]) for s in self.now[node]])

    def saved(self, lost: Segment, standing: Standing, alternatives: Sequence[Link[N]]) -> list[Segment]:
        """The parts of a lost stretch that an offer may take over, each by the first that may."""
        saved: list[Segment] = []
        left: Intervals = ((lost.start, lost.end),)
        for offer, link in self.offers(standing, alternatives):
            if not left:
                break
            taken = clip([offer], left) if saves(offer, lost) else []
            if taken:
                saved += taken
                left = subtract(left, [(offer.start, offer.end)])
                if link is not None:
                    for antecedent in link.antecedents:
                        self.switched.setdefault(antecedent, []).append(link)
        return saved

    def offers(self, standing: Standing, links: Iterable[Link[N]]) -> Iterable[tuple[Segment, Link[N] | None]]:
        for segment in premise_offer(standing):
            yield segment, None
        if not standing.blocked:
            for link in links:
                for segment in offer_of(link, self.now, standing.own):
                    yield segment, link

    def dependants(self, dropped: dict[N, Intervals]) -> dict[N, Intervals]:
        """The stretches that rested on what was just dropped."""
        frontier: dict[N, Intervals] = {}
        resting = list(self.network.resting(dropped)) if dropped else []
        self.need_labels([node for _, _, _, node in resting])
        resting += [
            (antecedent, link.id, link.timeless, link.consequent)
            for antecedent in dropped
            for link in self.switched.get(antecedent, ())
        ]
        now = self.now
        for antecedent, link_id, timeless, node in resting:
            if not now[antecedent]:
                self.dead.add(link_id)
            parts: Intervals = ()
            for start, end, _, _, support in now[node]:
                if support == link_id:
                    parts += ((start, end),)
            if parts:
                gone = dropped[antecedent]
                _lose(frontier, node, parts if timeless or gone == ALWAYS else intersect(normalise(parts), gone))
        return frontier

    # Rising.

    def rise(self, fallen: Iterable[N]) -> None:
        """Derive again within what fell, and forward from what was added, until nothing changes."""
        roots = dict.fromkeys((*fallen, *self.edit.standings))
        alternatives = self.incoming(roots)
        frontier = {n: list(alternatives.get(n, ())) for n in roots if n in alternatives or self.known[n].premise}
        for link in self.edit.added:
            if link.consequent not in roots:
                frontier.setdefault(link.consequent, []).append(link)
        while frontier:
            self.need_standings(frontier)
            self.need_labels(
                {*frontier, *(a for links in frontier.values() for link in links for a in link.antecedents)}
            )
            raised = [n for n, links in frontier.items() if self.improve(n, links)]
            frontier = {}
            for link in self.outgoing(raised) if raised else ():
                frontier.setdefault(link.consequent, []).append(link)

    def improve(self, node: N, links: list[Link[N]]) -> bool:
        label = before = self.now[node]
        for offer, _ in self.offers(self.known[node], links):
            label = _raise(label, offer)
        self.now[node] = label
        return label != before

    def outcome(self) -> Outcome[N]:
        return {n: (self.before[n], after) for n, after in self.now.items() if after != self.before[n]}


def _unclaimed(label: Label, standing: Standing) -> list[Segment]:
    """What a new standing no longer backs: times outside `own`, and premise stretches above the premise level."""
    outside = without(label, standing.own)
    stale = [s for s in label if s.support == PREMISE and s.level > standing.premise]
    return [*outside, *stale]


def _lose(lost: dict[N, Intervals], node: N, parts: Intervals) -> None:
    if node in lost or len(parts) > 1:
        lost[node] = normalise((*lost.get(node, ()), *parts))
    elif parts:
        lost[node] = parts


def _raise(label: Label, offer: Segment) -> Label:
    """The label with the offer wherever the offer is firmer than what stands there."""
    if not label:
        return (offer,)
    weaker = without([offer], normalise((s.start, s.end) for s in label if s.level >= offer.level))
    if not weaker:
        return label
    return tidy([*without(label, tuple((s.start, s.end) for s in weaker)), *weaker])
