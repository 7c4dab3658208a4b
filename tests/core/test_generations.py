"""Generations of a repository: what is found again lives on untouched, what isn't ends, what is new is born."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from graphmem.core.changes import ChangeSet, empty_snapshot
from graphmem.core.extraction import Extraction, FoundEdge, FoundEntity, Passage, UnresolvedSite
from graphmem.core.generations import Growth, Revision, grow, next_generation, retired
from graphmem.core.intervals import TIME_MAX
from graphmem.core.labelling import Standing
from graphmem.core.labels import Level
from graphmem.core.provenance import Method, Span
from graphmem.core.records import GENERATION_OPEN, Role
from graphmem.core.views import Entries, Generation, Held
from tests.memories import KEY, TENANT

SPAN = Span(0, 9, 1, 2)


def passage(path: str, text: str, about: str = "") -> Passage:
    return Passage(path, "", f"title of {path}", text, SPAN, f"hash of {text}", about or f"pool/{path}")


def thing(path: str, kind: str = "file") -> FoundEntity:
    return FoundEntity(f"pool/{path}", kind, path, path, path, SPAN, "h")


def state(**texts: str) -> Extraction:
    """A revision with a file and its passage for each name; the first imports the others and has a call left open."""
    paths = [f"{name}.py" for name in texts]
    passages = tuple(passage(path, text) for path, text in zip(paths, texts.values(), strict=True))
    imports = tuple(
        FoundEdge("imports", f"pool/{paths[0]}", f"pool/{p}", Method.SYNTACTIC, "", p, SPAN, (p, "")) for p in paths[1:]
    )
    sites = (UnresolvedSite(f"pool/{paths[0]}", "getattr", "dynamic", paths[0], SPAN),)
    return Extraction(tuple(thing(p) for p in paths), passages, imports, sites)


@dataclass
class Repository:
    """The head of a repository, moved by one generation after the other as a store would move it."""

    entries: Entries = field(default_factory=lambda: Entries((), {}, {}, {}))
    held: dict[str, Held] = field(default_factory=dict)

    def grow(self, extraction: Extraction, ordinal: int, revision: str) -> tuple[Growth, ChangeSet]:
        snapshot = empty_snapshot(TENANT, KEY)
        made = Revision(Generation("pool", ordinal, revision, 100 * ordinal), "open", "ann", "x", "1", "c", 7)
        growth, entities = grow(snapshot, self.entries, extraction, made)
        ended = {name: self.held[name] for name in retired(self.entries, growth)}
        changes = next_generation(snapshot, self.entries, growth, entities, made, ended)
        self.move(growth, changes)
        return growth, changes

    def move(self, growth: Growth, changes: ChangeSet) -> None:
        def head(old: dict[str, str], new: dict[str, str]) -> dict[str, str]:
            return {i: n for i, n in {**old, **new}.items() if n not in changes.deaths}

        records = {i: r.id for i, r in growth.records.items()}
        edges = {i: e.id for i, e in growth.edges.items()}
        sites = {i: s.id for i, s in growth.sites.items()}
        old = self.entries
        self.entries = Entries((), head(old.records, records), head(old.edges, edges), head(old.sites, sites))  # type: ignore[arg-type]
        self.held |= {r.id: Held(r, Standing(r.own, Level.GROUNDED), 1) for r in growth.records.values()}


def test_a_first_generation_brings_sources_edges_and_gaps_to_life() -> None:
    growth, changes = Repository().grow(state(a="text a", b="text b"), 1, "r17")
    assert [r.text for r in changes.records] == ["text a", "text b"]
    assert {(r.role, r.birth, r.death, r.own) for r in changes.records} == {
        (Role.SOURCE, 1, GENERATION_OPEN, ((100, TIME_MAX),))
    }
    assert sorted(e.type for e in changes.edges) == ["about", "about", "imports"]
    assert [(s.callee, s.reason, s.birth) for s in changes.sites] == [("getattr", "dynamic", 1)]
    assert changes.generation == Generation("pool", 1, "r17", 100)
    assert (changes.deaths, changes.expects) == ({}, {})
    assert growth.records.keys() <= growth.found


def test_every_record_and_edge_carries_where_it_was_found() -> None:
    _, changes = Repository().grow(state(a="text a", b="text b"), 1, "r17")
    found = [a.provenance for a in changes.assertions] + [e.provenance for e in changes.edges]
    assert {(p.source_kind, p.revision, p.span, p.extractor, p.writer) for p in found} == {
        ("file", "r17", SPAN, "x", "ann")
    }
    assert [a.provenance.content_hash for a in changes.assertions] == ["hash of text a", "hash of text b"]


def test_every_edge_rests_on_a_passage_that_shows_it() -> None:
    _, changes = Repository().grow(state(a="text a", b="text b"), 1, "r17")
    ids = {r.text: r.id for r in changes.records}
    (made,) = (e for e in changes.edges if e.type == "imports")
    assert made.evidence == ((ids["text b"],),)


def test_an_unchanged_state_makes_a_generation_without_births_or_ends() -> None:
    pool = Repository()
    pool.grow(state(a="text a", b="text b"), 1, "r17")
    _, changes = pool.grow(state(a="text a", b="text b"), 2, "r18")
    assert (changes.records, changes.edges, changes.sites, changes.deaths, changes.standings) == ((), (), (), {}, {})
    assert changes.generation == Generation("pool", 2, "r18", 200)


def test_a_changed_passage_is_a_new_record_and_the_old_one_ends_there() -> None:
    pool = Repository()
    _, first = pool.grow(state(a="text a", b="text b"), 1, "r17")
    old = next(r for r in first.records if r.text == "text b")
    _, changes = pool.grow(state(a="text a", b="text b, changed"), 2, "r18")
    assert [r.text for r in changes.records] == ["text b, changed"]
    assert changes.deaths[old.id] == 2
    assert changes.standings[old.id].own == ((100, 200),)
    assert changes.expects == {old.id: 1}


def test_an_edge_ends_with_the_passage_that_showed_it_and_is_born_with_the_next() -> None:
    pool = Repository()
    _, first = pool.grow(state(a="text a", b="text b"), 1, "r17")
    _, changes = pool.grow(state(a="text a", b="text b, changed"), 2, "r18")
    gone = {e.id for e in first.edges if e.id in changes.deaths}
    assert len(gone) == 2
    assert sorted(e.type for e in changes.edges) == ["about", "imports"]


def test_a_file_that_is_gone_ends_with_all_that_it_showed() -> None:
    pool = Repository()
    _, first = pool.grow(state(a="text a", b="text b"), 1, "r17")
    _, changes = pool.grow(state(a="text a"), 2, "r18")
    assert changes.deaths.keys() == {r.id for r in first.records if r.text == "text b"} | {
        e.id for e in first.edges if e.provenance.locator == "b.py"
    }
    assert changes.records == ()


def test_what_comes_back_later_is_born_anew() -> None:
    pool = Repository()
    _, first = pool.grow(state(a="text a", b="text b"), 1, "r17")
    pool.grow(state(a="text a"), 2, "r18")
    _, changes = pool.grow(state(a="text a", b="text b"), 3, "r19")
    (again,) = changes.records
    assert (again.birth, again.own) == (3, ((300, TIME_MAX),))
    assert again.id not in {r.id for r in first.records}


def test_a_head_made_step_by_step_has_the_identities_of_one_made_at_once() -> None:
    stepwise, at_once = Repository(), Repository()
    for ordinal, texts in enumerate([{"a": "1"}, {"a": "1", "b": "2"}, {"a": "3", "b": "2"}, {"a": "3", "c": "4"}], 1):
        stepwise.grow(state(**texts), ordinal, f"r{ordinal}")
    at_once.grow(state(a="3", c="4"), 1, "r4")
    assert stepwise.entries.records.keys() == at_once.entries.records.keys()
    assert stepwise.entries.sites.keys() == at_once.entries.sites.keys()
    assert len(stepwise.entries.edges) == len(at_once.entries.edges)


def test_prose_that_names_one_code_entity_mentions_it() -> None:
    prose = FoundEntity("pool/guide.md", "document", "guide.md", "guide.md", "guide.md", SPAN, "h")
    text = passage("guide.md", "start with a.py", "pool/guide.md")
    code = state(a="text a")
    both = replace(code, entities=(*code.entities, prose), passages=(*code.passages, text))
    _, changes = Repository().grow(both, 1, "r17")
    (made,) = (e for e in changes.edges if e.type == "mentions")
    assert {e.id: e.name for e in changes.entities}[made.target] == "a.py"


def test_prose_that_names_what_two_entities_bear_mentions_neither() -> None:
    prose = FoundEntity("pool/guide.md", "document", "guide.md", "guide.md", "guide.md", SPAN, "h")
    twins = tuple(FoundEntity(f"pool/{n}#run_all", "function", "run_all", f"{n}.run_all", n, SPAN, "h") for n in "ab")
    text = passage("guide.md", "start with run_all()", "pool/guide.md")
    _, changes = Repository().grow(Extraction((prose, *twins), (text,)), 1, "r17")
    assert [e.type for e in changes.edges] == ["about"]


def test_a_passage_without_a_letter_or_digit_is_no_record() -> None:
    _, changes = Repository().grow(Extraction((thing("a.py"),), (passage("a.py", "---\n\n"),)), 1, "r17")
    assert changes.records == ()
