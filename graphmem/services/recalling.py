"""Recall: from a question to an envelope, in at most three store calls. Lives here: the order of the stages and their
timings. Lives elsewhere: each stage's rule (core) and the reads (the store)."""

from __future__ import annotations

import binascii
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from math import exp
from typing import TypeVar

from graphmem.core.analyzer import analyze_query, exact_terms
from graphmem.core.authority import UNCONFIGURED, Authority
from graphmem.core.belief import Candidate, others
from graphmem.core.envelope import Envelope, Item, Scope, hop, merge, staged_text
from graphmem.core.errors import DeadlineExceeded, InvalidInput
from graphmem.core.pagerank import personalized_pagerank
from graphmem.core.paths import Link, Step, connect
from graphmem.core.ranking import rrf
from graphmem.core.records import Key, Record
from graphmem.core.staging import stage
from graphmem.core.views import Caps, Hits, Neighbourhood, View
from graphmem.ports.clock import Clock
from graphmem.ports.store import Store
from graphmem.ports.tokenizer import Tokenizer

T = TypeVar("T")

CANDIDATES = 50  # of each list; fusion looks at these
SEEDS = 12  # best fused candidates that the expansion starts from
MAX_QUERY_CHARS = 8_000  # of a question that are analysed; longer ones are told so

# How readily the walk follows an edge: what is about a thing says most of it, what contains it least.
EDGE_WEIGHTS: Mapping[str, float] = {"contains": 0.4, "imports": 0.4, "supports": 1.5, "about": 4.0}
DEFAULT_WEIGHT = 1.0
# A step to a record is exp(BIAS x its relevance) times as likely, relevance being its share of the best lexical score.
# Measured on three multi-hop sets against the plain walk: 5 to 20 points of recall at 5 (docs/decisions/0004-walk.md).
BIAS = 4.0
EXPANSION_SHARE = 0.7  # of the time that is left, for the neighbourhood; the rest is for the seeds alone
NOTHING_NEAR = Neighbourhood({}, {}, (), (), ())


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of a memory. `budget` is in tokens of the whole staged text, `deadline_ms` from the start of the
    call."""

    text: str
    view: View
    limit: int = 10
    budget: int = 2_000
    caps: Caps = field(default_factory=Caps)
    deadline_ms: int | None = None
    revisions: Mapping[str, str] = field(default_factory=dict)
    seen: tuple[str, ...] = ()
    authority: Authority = UNCONFIGURED


def recall(store: Store, clock: Clock, tokenizer: Tokenizer, question: Question) -> Envelope:
    """Answer a question with evidence that is connected to what it names. Raises InvalidInput on a bad question."""
    return _Recall(store, clock, tokenizer, _checked(question)).answer()


def _checked(question: Question) -> Question:
    if not question.text.strip():
        raise InvalidInput("the question is empty", hint="ask for something")
    for name, value in (
        ("limit", question.limit),
        ("budget", question.budget),
        ("deadline", question.deadline_ms or 1),
    ):
        if value < 1:
            raise InvalidInput(f"the {name} is {value}", hint=f"give a {name} of 1 or more")
    return question


class _Recall:
    """One recall on its way through the stages."""

    def __init__(self, store: Store, clock: Clock, tokenizer: Tokenizer, question: Question) -> None:
        self.store = store
        self.clock = clock
        self.tokenizer = tokenizer
        self.question = question
        self.view = question.view
        self.started = self.lap = clock.now()
        self.timings: dict[str, float] = {}
        self.reasons: list[str] = []
        self.relevance: dict[str, float] = {}
        self.named: set[str] = set()
        self.links: list[Link] = []

    def answer(self) -> Envelope:
        hits = self.candidates()
        seeds = self.seeds(hits)
        near = self.expand(seeds)
        scores = self.walk(near, seeds)
        chosen = self.choose(near, scores, hits)
        items = self.judge(near, self.connect(near, seeds, chosen), chosen, scores)
        return self.stage(items, near, hits)

    # Stages.

    def candidates(self) -> Hits:
        text = self.question.text.encode("utf-8", "replace").decode("utf-8")
        if len(text) > MAX_QUERY_CHARS:
            self.reasons.append(f"question: only its first {MAX_QUERY_CHARS} characters were used")
            text = text[:MAX_QUERY_CHARS]
        terms = exact_terms(text)
        words = analyze_query(text)
        found = self.ask(lambda view: self.store.search(view, terms, words, CANDIDATES))
        hits = found or Hits(self.view.known_at, {}, ())
        self.view = replace(self.view, known_at=hits.commit)
        self.tick("candidates")
        return hits

    def seeds(self, hits: Hits) -> dict[str, float]:
        exact = [node for nodes in hits.exact.values() for node in nodes]
        lexical = [record for record, _ in hits.lexical]
        fused = [node for node, _ in rrf([list(dict.fromkeys(exact)), lexical])]
        kept = dict.fromkeys([*fused[:SEEDS], *exact[:CANDIDATES]])
        best = max((score for _, score in hits.lexical), default=1.0)
        self.relevance = {record: score / best for record, score in hits.lexical} | dict.fromkeys(exact, 1.0)
        self.tick("fusion")
        return {node: self.relevance[node] for node in kept}

    def expand(self, seeds: Mapping[str, float]) -> Neighbourhood:
        """What is around the seeds; the seeds alone where that would take too long, and nothing where even they do."""
        near = NOTHING_NEAR
        if seeds:
            only = Caps(0, len(seeds), 0)
            near = (
                self.ask(lambda view: self.store.neighbourhood(view, seeds, self.question.caps), EXPANSION_SHARE)
                or self.ask(lambda view: self.store.neighbourhood(view, seeds, only))
                or near
            )
        self.links = _links(near)
        self.reasons += [f"cap: {name}" for name in near.stopped_by if name != "depth"]
        self.tick("expansion")
        return near

    def walk(self, near: Neighbourhood, seeds: Mapping[str, float]) -> dict[str, float]:
        nodes = sorted([*near.records, *near.entities])
        if not nodes:
            return {}
        place = {node: i for i, node in enumerate(nodes)}
        lure = {n: exp(BIAS * self.relevance.get(n, 0.0)) if n in near.records else 1.0 for n in nodes}
        steps = [(k.source, k.target, 1 / k.cost) for k in self.links]
        steps += [(b, a, w) for a, b, w in steps]
        start = {place[s]: score for s, score in seeds.items() if s in place}
        ranks = personalized_pagerank(
            len(nodes),
            [place[a] for a, _, _ in steps],
            [place[b] for _, b, _ in steps],
            [w * lure[b] for _, b, w in steps],
            start,
        )
        self.tick("walk")
        return dict(zip(nodes, map(float, ranks.scores), strict=True))

    def choose(self, near: Neighbourhood, scores: Mapping[str, float], hits: Hits) -> list[str]:
        named = self.named = _named(near, hits)
        ranked = sorted(
            (r for r in near.records if r not in self.question.seen),
            key=lambda r: (r not in named, -scores[r], r),
        )
        if len(ranked) > self.question.limit:
            self.reasons.append(f"limit: {len(ranked) - self.question.limit} more records were found")
        return ranked[: self.question.limit]

    def connect(
        self, near: Neighbourhood, seeds: Mapping[str, float], chosen: Sequence[str]
    ) -> Mapping[str, tuple[Step, ...]]:
        present = [s for s in seeds if s in near.records or s in near.entities]
        if not present:
            return {}
        found = connect(self.links, present[:1], [*present[1:], *chosen], 2 * self.question.caps.depth)
        self.tick("paths")
        return found.paths

    def judge(
        self,
        near: Neighbourhood,
        paths: Mapping[str, tuple[Step, ...]],
        chosen: Sequence[str],
        scores: Mapping[str, float],
    ) -> list[Item]:
        rivals = self.rivals([near.records[r].record for r in chosen])
        edges = {e.id: e for e in near.edges}
        links = {j.id: j for j in near.justifications}
        connectors = [
            n for r in chosen for s in paths.get(r, ()) for n in (s.node_from, s.node_to) if n in near.records
        ]
        kept = list(dict.fromkeys([*chosen, *(c for c in connectors if c not in self.question.seen)]))
        items = [
            Item(
                id=r,
                text=near.records[r].record.text,
                found=near.records[r],
                method="exact" if r in self.named else "walk" if r in chosen else "connector",
                score=scores[r],
                because=links[s].antecedents if (s := near.records[r].support) in links else (),
                contested=others(near.records[r].record, rivals.get(near.records[r].record.key, ())),
                believed=_believed(r, rivals.get(near.records[r].record.key, ())),
                via=tuple(hop(step, edges, links) for step in paths.get(r, ())),
            )
            for r in kept
        ]
        self.tick("judge")
        return merge(items)

    def rivals(self, records: Sequence[Record]) -> dict[Key | None, tuple[Candidate, ...]]:
        """The candidates for the belief on each key of the answer."""
        keys = {r.key for r in records if r.key is not None}
        found = (self.ask(lambda view: self.store.candidates(view, keys)) if keys else None) or {}
        return {key: self.question.authority.weigh(found.get(key, ())) for key in keys}

    def stage(self, items: list[Item], near: Neighbourhood, hits: Hits) -> Envelope:
        view = self.view
        scope = Scope(view.tenant, view.policies, view.at, view.known_at, self.question.revisions)
        staged = stage(
            items,
            lambda some, handles: staged_text(some, handles, near.entities, scope),
            self.tokenizer.count,
            self.tokenizer.excerpt,
            self.question.budget,
        )
        if staged.partial:
            self.reasons.append(f"budget: {len(staged.handles)} records don't fit into {self.question.budget} tokens")
        if staged.envelope_tokens > self.question.budget:
            self.reasons.append(f"budget: the empty envelope takes {staged.envelope_tokens} tokens")
        if self.time_left() == 0:
            self.late()
        self.tick("staging")
        shown = {n for i in staged.items for h in i.via for n in (h.node_from, h.node_to)}
        return Envelope(
            query=self.question.text,
            status="partial" if self.reasons else "complete",
            reasons=tuple(self.reasons),
            scope=scope,
            items=staged.items,
            entities={n: e for n, e in near.entities.items() if n in shown},
            handles=staged.handles,
            ambiguous={t: nodes for t, nodes in hits.exact.items() if len(nodes) > 1},
            absent=hits.absent,
            text=staged.text,
            tokens=staged.used,
            budget=self.question.budget,
            tokenizer=self.tokenizer.name,
            plan=("exact", "lexical", "rrf", "neighbourhood", "pagerank", "paths", "belief", "staging"),
            timings_ms=self.timings,
            cursor=self.cursor(staged.items),
        )

    # The means.

    def cursor(self, delivered: Sequence[Item]) -> str:
        if not self.reasons or not delivered:
            return ""
        seen = [name for item in delivered for name in (item.id, *item.merged)]
        return encode_cursor(self.question.text, self.view, (*self.question.seen, *seen))

    def ask(self, read: Callable[[View], T], share: float = 1.0) -> T | None:
        """What the store answers within a share of the time that is left; None where that isn't enough."""
        left = self.time_left()
        if left is None:
            return read(self.view)
        with suppress(DeadlineExceeded):
            if left:
                return read(replace(self.view, timeout_ms=left * share))
        self.late()
        return None

    def time_left(self) -> float | None:
        """Milliseconds to the deadline, 0 when it has passed, None without one."""
        limit = self.question.deadline_ms
        return None if limit is None else max(0.0, limit - (self.clock.now() - self.started) / 1_000)

    def late(self) -> None:
        if "deadline" not in self.reasons:
            self.reasons.append("deadline")

    def tick(self, stage_name: str) -> None:
        now = self.clock.now()
        self.timings[stage_name] = (now - self.lap) / 1_000
        self.lap = now


def _believed(name: str, candidates: Sequence[Candidate]) -> bool | None:
    """Whether a record is the belief among the candidates for its key; None when it is no candidate."""
    mine = next((c for c in candidates if c.record.id == name), None)
    return None if mine is None else mine.order == max(c.order for c in candidates)


def _named(near: Neighbourhood, hits: Hits) -> set[str]:
    """The records that the question names: by id, or by the name of what they are about."""
    exact = {node for nodes in hits.exact.values() for node in nodes}
    return exact | {e.source for e in near.edges if e.type == "about" and e.target in exact}


def _links(near: Neighbourhood) -> list[Link]:
    """Edges and justifications as one graph; a justification joins its consequent to each antecedent."""
    links = [Link(e.id, e.source, e.target, 1 / EDGE_WEIGHTS.get(e.type, DEFAULT_WEIGHT)) for e in near.edges]
    cost = 1 / EDGE_WEIGHTS["supports"]
    links += [
        Link(f"{j.id} {n}", antecedent, j.consequent, cost)
        for j in near.justifications
        for n, antecedent in enumerate(j.antecedents)
    ]
    return links


def encode_cursor(text: str, view: View, seen: Sequence[str]) -> str:
    """What a continuation needs, as opaque text."""
    body = json.dumps([text, view.at, view.known_at, dict(view.generations), list(seen)], separators=(",", ":"))
    return urlsafe_b64encode(body.encode()).decode()


def decode_cursor(cursor: str) -> tuple[str, int, int, dict[str, int], tuple[str, ...]]:
    """Query, both clocks, generations and what was delivered. Raises InvalidInput on anything that isn't a cursor."""
    try:
        text, at, known, generations, seen = json.loads(urlsafe_b64decode(cursor.encode()))
        return str(text), int(at), int(known), dict(generations), tuple(map(str, seen))
    except (ValueError, TypeError, binascii.Error) as error:
        raise InvalidInput("that isn't a cursor", hint="use the cursor of an earlier answer, whole") from error
