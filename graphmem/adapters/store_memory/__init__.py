"""The in-memory store, for tests and throw-away memories. Lives here: the store port's reads on dictionaries, as
plainly as the semantics allow, so that it can be the other side of differential tests. Lives elsewhere: its facts
(facts), what it tells of its past (questions), deletion (erasing), and everything durable."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from graphmem.adapters.store_memory.erasing import Erasing
from graphmem.adapters.store_memory.facts import OPEN, Known, Row
from graphmem.adapters.store_memory.turns import in_turn
from graphmem.core.analyzer import analyze, occurrence
from graphmem.core.belief import Candidate, Voice, candidate
from graphmem.core.intervals import TIME_MAX
from graphmem.core.jobs import Job, JobState, Offer, pending_of
from graphmem.core.labels import Level, segment_at
from graphmem.core.ranking import best_first, bm25_rank
from graphmem.core.records import (
    BELIEVABLE,
    GENERATION_OPEN,
    Edge,
    Key,
    Record,
    Role,
    Site,
    context_text,
)
from graphmem.core.views import (
    LATEST,
    Caps,
    Entries,
    Fact,
    Found,
    Hits,
    Keys,
    LinkState,
    Neighbourhood,
    Proof,
    Status,
    View,
)

CONTEXT_WEIGHT = 0.25  # of headings and paths, beside the text's 1; the other stores weigh alike


@in_turn
class MemoryStore(Erasing):
    """The store port on dictionaries; threads that share it take turns."""

    def _alive(self, view: View, entry: Record | Edge) -> bool:
        if not entry.repository:
            return True
        return entry.birth <= self._generation(view, entry.repository) < entry.death

    def _visible(self, view: View, name: str) -> bool:
        row = self._rows.get(name)
        if row is None or not self._allowed(view, row) or not self._alive(view, row.record):
            return False
        segment = segment_at(row.label(self._known(view)), view.at)
        return segment is not None and segment.level >= view.level

    def _admitted(self, view: View, known: Known[Edge]) -> bool:
        edge = known.value
        return (
            edge.tenant == view.tenant
            and known.at(self._known(view))
            and self._alive(view, edge)
            and any(all(self._visible(view, r) for r in place) for place in edge.evidence)
        )

    def search(self, view: View, terms: Sequence[str], words: Sequence[str], limit: int) -> Hits:
        edges = [k.value for k in self._edges.values() if terms and self._admitted(view, k)]
        touched = {node for e in edges for node in (e.source, e.target)}
        exact = {
            t: tuple(
                sorted(
                    {t, t.casefold()} & {n for n in self._rows if self._visible(view, n)}
                    | set(self._named(view.tenant, t)) & touched
                )
            )
            for t in terms
        }
        seen = [row.record for n, row in self._rows.items() if words and self._visible(view, n)]
        scores = dict(bm25_rank(list(words), {r.id: analyze(r.text) for r in seen}))
        for name, score in bm25_rank(list(words), {r.id: analyze(context_text(r)) for r in seen}):
            scores[name] = scores.get(name, 0.0) + CONTEXT_WEIGHT * score
        ranked = best_first(scores)
        return Hits(
            commit=self._known(view),
            exact={t: nodes for t, nodes in exact.items() if nodes},
            lexical=tuple(ranked[:limit]),
            absent=tuple(t for t in terms if not exact[t] and not self._occurs(view, t)),
        )

    def _occurs(self, view: View, term: str) -> bool:
        """Whether a visible record may say the term; a term without words is taken to occur."""
        ways = [set(terms) for terms in occurrence(term) if terms]
        return not ways or any(
            way <= {*analyze(row.record.text), *analyze(context_text(row.record))}
            for name, row in self._rows.items()
            if self._visible(view, name)
            for way in ways
        )

    def neighbourhood(self, view: View, seeds: Collection[str], caps: Caps) -> Neighbourhood:
        edges = [k.value for k in self._edges.values() if self._admitted(view, k)]
        links = [j for j in self._live(self._known(view)) if j.tenant == view.tenant]
        ends: dict[str, tuple[str, ...]] = {e.id: (e.source, e.target) for e in edges}
        ends |= {j.id: (j.consequent, *j.antecedents) for j in links}
        kept, stopped = self._walk(view, seeds, ends, caps)
        records = self.find(view, kept)
        return Neighbourhood(
            records=records,
            entities={n: self._entities[n].value for n in kept if n in self._entities},
            edges=tuple(sorted((e for e in edges if kept >= set(ends[e.id])), key=lambda e: e.id)[: caps.edges]),
            justifications=tuple(sorted((j for j in links if kept >= set(ends[j.id])), key=lambda j: j.id)),
            stopped_by=tuple(sorted(stopped)),
        )

    def _walk(
        self, view: View, seeds: Collection[str], ends: Mapping[str, tuple[str, ...]], caps: Caps
    ) -> tuple[set[str], set[str]]:
        kept: set[str] = set()
        stopped: set[str] = set()
        joined: set[str] = set()
        frontier = {s for s in seeds if self._exists(view, s)}
        for depth in range(caps.depth + 1):
            room = caps.nodes - len(kept)
            if len(frontier) > room:
                stopped.add("nodes")
            level = set(sorted(frontier)[:room])
            kept |= level
            touching = [k for k, nodes in ends.items() if not level.isdisjoint(nodes)]
            if depth < caps.depth:
                joined |= set(touching)
                if len(joined) > caps.edges:
                    stopped.add("edges")
            near = {n for k in touching for n in ends[k]} - kept
            frontier = {n for n in near if self._exists(view, n)} if depth < caps.depth else near
        if frontier:
            stopped.add("depth")
        return kept, stopped

    def _exists(self, view: View, node: str) -> bool:
        if node in self._entities:
            known = self._entities[node]
            return known.value.tenant == view.tenant and known.at(self._known(view))
        return self._visible(view, node)

    def candidates(
        self, view: View, keys: Collection[Key], *, claims: bool = False
    ) -> Mapping[Key, tuple[Candidate, ...]]:
        wanted = set(keys)
        found: dict[Key, tuple[Candidate, ...]] = {}
        for key, name, row in self._speaking(view, claims):
            if key in wanted:
                held = row.held(self._known(view))
                voices = [
                    Voice(a.provenance.locator, a.provenance.source_kind, a.authority, a.observed_at) for a in held.live
                ]
                made = candidate(held.record, voices, row.born, self.find(view, [name])[name].support)
                found[key] = (*found.get(key, ()), made)
        return found

    def _speaking(self, view: View, claims: bool) -> Iterator[tuple[Key, str, Row]]:
        """The records with a key that speak in a view: grounded ones of a believable role, or claims."""
        roles = {Role.CLAIM} if claims else BELIEVABLE
        seen = replace(view, level=Level.IN if claims else Level.GROUNDED)
        for name, row in self._rows.items():
            if row.record.key is not None and row.record.role in roles and self._visible(seen, name):
                yield row.record.key, name, row

    def disputed(self, view: View, after: Key | None, limit: int, *, claims: bool = False) -> Keys:
        said: dict[Key, set[str]] = {}
        for key, _, row in self._speaking(view, claims):
            said.setdefault(key, set()).add(row.record.text if row.record.value is None else row.record.value)
        found = [
            key
            for key in sorted(said)
            if (after is None or key > after)
            and (claims or len(said[key] | said.get(replace(key, scope=""), set())) > 1)
        ]
        return Keys(tuple(found[:limit]), len(found))

    def find(self, view: View, ids: Collection[str]) -> Mapping[str, Found]:
        found = {}
        for name in sorted(set(ids)):
            if not self._visible(view, name):
                continue
            row = self._rows[name]
            held = row.held(self._known(view))
            segment = segment_at(held.label, view.at)
            if segment is not None:
                shown = [*held.live[-1:], *(a for a, _ in held.withdrawn[:1])]
                support = str(segment.support) if segment.support else ""
                found[name] = Found(
                    record=held.record,
                    level=segment.level,
                    rank=segment.rank,
                    support=support,
                    commit=row.born,
                    recorded_at=self._commits[row.born - 1].at,
                    assertion=shown[0] if shown else None,
                    pending=pending_of(self._queue.of(name)),
                )
        return found

    def proof(self, view: View, roots: Collection[str], limit: int) -> Proof:
        known = self._known(view)
        live = [j for j in self._live(known) if j.tenant == view.tenant]
        kept: dict[str, None] = {}
        frontier = sorted(roots)
        while frontier:
            level = [n for n in frontier if n in self._rows and self._allowed(view, self._rows[n])]
            kept.update(dict.fromkeys(level))
            frontier = sorted({a for j in live if j.consequent in set(level) for a in j.antecedents} - kept.keys())
        names = list(kept)[:limit]
        return Proof(
            records={n: self._rows[n].held(known) for n in names},
            justifications={j.id: j for j in live if j.consequent in set(names)},
            truncated=len(kept) > limit,
        )

    def keyed(self, view: View, key: Key) -> tuple[str, ...]:
        return tuple(sorted(n for n, row in self._rows.items() if row.record.key == key and self._allowed(view, row)))

    def match(self, tenant: str, prefix: str, limit: int = 10) -> tuple[str, ...]:
        owned = [n for n, row in self._rows.items() if row.record.tenant == tenant]
        owned += [n for n, states in self._links.items() if states[-1].value.tenant == tenant]
        return tuple(sorted(n for n in owned if n.startswith(prefix))[:limit])

    def commit_at(self, tenant: str, instant: int) -> int:
        return max((k for k, c in enumerate(self._commits, 1) if c.tenant == tenant and c.at <= instant), default=0)

    def entries(self, tenant: str, repository: str) -> Entries:
        def living(entries: Iterable[Record | Edge | Site]) -> dict[str, str]:
            return {
                e.identity: e.id
                for e in entries
                if e.identity and (e.tenant, e.repository, e.death) == (tenant, repository, GENERATION_OPEN)
            }

        return Entries(
            generations=tuple(
                x.value[1] for x in self._generations if x.value[0] == tenant and x.value[1].repository == repository
            ),
            records=living(row.record for row in self._rows.values()),
            edges=living(k.value for k in self._edges.values()),
            sites=living(self._sites.values()),
        )

    def dump(self, tenant: str) -> Iterator[Fact]:
        yield from (x.value[1] for x in self._generations if x.value[0] == tenant)
        yield from (k.value for k in self._entities.values() if k.value.tenant == tenant)
        yield from (r.held(LATEST) for r in self._rows.values() if r.record.tenant == tenant)
        for states in self._links.values():
            if states[-1].value.tenant == tenant:
                yield LinkState(states[-1].value, states[-1].end == OPEN)
        yield from (k.value for k in self._edges.values() if k.value.tenant == tenant)
        yield from (s for s in self._sites.values() if s.tenant == tenant)
        yield from (t for t in self._tombstones.values() if t.tenant == tenant)

    def status(self, tenant: str, at: int = TIME_MAX - 1) -> Status:
        rows = [r for r in self._rows.values() if r.record.tenant == tenant]
        roles: dict[str, int] = {}
        for row in rows:
            roles[row.record.role] = roles.get(row.record.role, 0) + 1
        heads = {x.value[1].repository: x.value[1] for x in self._generations if x.value[0] == tenant}
        counts = {
            "record": len(rows),
            "entity": sum(k.value.tenant == tenant for k in self._entities.values()),
            "edge": sum(k.value.tenant == tenant for k in self._edges.values()),
            "site": sum(s.tenant == tenant for s in self._sites.values()),
            "commits": sum(c.tenant == tenant for c in self._commits),
            "justification": sum(j.tenant == tenant for j in self._live(LATEST)),
            "out": sum(segment_at(row.label(LATEST), at) is None for row in rows),
        }
        jobs = Counter(job.state.value for job in self.jobs(tenant, limit=sys.maxsize))
        last = self.commit_at(tenant, TIME_MAX)
        return Status("memory", "memory:", 1, last, counts, roles, tuple(heads.values()), jobs)

    def lease(self, tenant: str, offer: Offer) -> tuple[Job, ...]:
        return self._queue.lease(tenant, offer)

    def fail(self, tenant: str, job: Job, cause: str, now: int) -> Job | None:
        return self._queue.fail(tenant, job, cause, now)

    def jobs(
        self,
        tenant: str,
        *,
        state: JobState | None = None,
        records: Collection[str] | None = None,
        after: str = "",
        limit: int = 100,
    ) -> tuple[Job, ...]:
        return self._queue.jobs(tenant, state, records, after, limit)

    def retry(self, tenant: str, ids: Collection[str] | None, now: int) -> int:
        return self._queue.retry(tenant, ids, now)

    def close(self) -> None:
        """Nothing to release."""
