"""The incremental fixpoint against the naive one, and each of its rules by itself: what a change costs, ranks, both
fixpoints, both modes."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable
from random import Random

import pytest

from graphmem.core.intervals import ALWAYS, Intervals, normalise
from graphmem.core.labelling import Edit, Link, Outcome, Standing, relabel
from graphmem.core.labels import PREMISE, Label, Level, clip, holds, level_at, shape
from tests.oracles import Facts, naive

GROUNDED, HELD, NONE = Level.GROUNDED, Level.IN, Level.OUT


class Net:
    """A network in dictionaries that notes which nodes each of its questions named."""

    def __init__(self) -> None:
        self.standing: dict[str, Standing] = {}
        self.label: dict[str, Label] = {}
        self.link: dict[Hashable, Link[str]] = {}
        self.asked: dict[str, set[str]] = {}

    def note(self, question: str, nodes: Collection[str]) -> None:
        self.asked.setdefault(question, set()).update(nodes)

    def standings(self, nodes: Collection[str]) -> dict[str, Standing]:
        self.note("standings", nodes)
        return {n: self.standing[n] for n in nodes if n in self.standing}

    def labels(self, nodes: Collection[str]) -> dict[str, Label]:
        self.note("labels", nodes)
        return {n: self.label[n] for n in nodes if n in self.label}

    def incoming(self, nodes: Collection[str], dead: Collection[Hashable]) -> Iterable[Link[str]]:
        self.note("incoming", nodes)
        return [k for k in self.link.values() if k.consequent in nodes and k.id not in dead]

    def outgoing(self, nodes: Collection[str]) -> Iterable[Link[str]]:
        self.note("outgoing", nodes)
        return [k for k in self.link.values() if not set(nodes).isdisjoint(k.antecedents)]

    def resting(self, nodes: Collection[str]) -> Iterable[tuple[str, Hashable, bool, str]]:
        self.note("resting", nodes)
        return [
            (antecedent, k.id, k.timeless, k.consequent)
            for k in self.link.values()
            for antecedent in k.antecedents
            if antecedent in nodes and any(s.support == k.id for s in self.label.get(k.consequent, ()))
        ]

    def commit(self, edit: Edit[str]) -> Outcome[str]:
        self.asked = {}
        outcome = relabel(self, edit)
        self.standing.update(edit.standings)
        for link in edit.withdrawn:
            del self.link[link.id]
        self.link.update({link.id: link for link in edit.added})
        for node, (before, after) in outcome.items():
            assert self.label.get(node, ()) == before != after
            self.label[node] = after
        return outcome

    # Short ways to say the edits of these tests.

    def put(
        self, node: str, premise: int = GROUNDED, own: Intervals = ALWAYS, *, blocked: bool = False
    ) -> Outcome[str]:
        created = set() if node in self.standing else {node}
        return self.commit(Edit({node: Standing(own, premise, blocked)}, created))

    def tie(self, link: str, consequent: str, *antecedents: str, timeless: bool = False) -> Outcome[str]:
        for node in (consequent, *antecedents):
            if node not in self.standing:
                self.put(node, NONE)
        return self.commit(Edit(added=[Link(link, consequent, antecedents, timeless)]))

    def untie(self, link: str) -> Outcome[str]:
        return self.commit(Edit(withdrawn=[self.link[link]]))

    def levels(self, nodes: str, at: int = 0) -> str:
        """The level of each node named by a letter, as a row of digits."""
        return "".join(str(int(level_at(self.label.get(n, ()), at))) for n in nodes.split())

    def support(self, node: str) -> object:
        (segment,) = self.label[node]
        return segment.support

    def rank(self, node: str) -> int:
        (segment,) = self.label[node]
        return segment.rank


@pytest.fixture
def net() -> Net:
    return Net()


# Supports and ranks.


def test_a_premise_has_rank_0_and_a_conclusion_comes_after_what_it_rests_on(net: Net) -> None:
    net.put("a")
    net.tie("j1", "b", "a")
    net.tie("j2", "c", "a", "b")
    assert [(net.support(n), net.rank(n)) for n in "abc"] == [(PREMISE, 0), ("j1", 1), ("j2", 2)]


def test_a_record_that_is_a_premise_too_is_saved_by_that_at_rank_0(net: Net) -> None:
    net.put("a")
    net.tie("j", "b", "a")
    net.put("b", GROUNDED)
    assert net.support("b") == "j"
    net.untie("j")
    assert (net.support("b"), net.rank("b"), net.levels("b")) == (PREMISE, 0, "2")


def test_what_rests_on_a_saved_premise_is_not_even_visited(net: Net) -> None:
    net.put("a")
    net.tie("j", "b", "a")
    net.put("b", GROUNDED)
    for n in range(9):
        net.tie(f"k{n}", f"c{n}", "b")
    outcome = net.untie("j")
    assert outcome.keys() == {"b"}
    assert set().union(*net.asked.values()) <= {"a", "b"}


def test_a_record_switches_to_a_justification_from_lower_ranks_and_stops_the_fall_there(net: Net) -> None:
    net.put("p")
    net.put("q")
    net.tie("j1", "a", "p")
    net.tie("j2", "a", "q")
    net.tie("k", "b", "a")
    outcome = net.put("p", NONE)
    assert net.levels("p a b") == "022"
    assert (net.support("a"), outcome.keys()) == ("j2", {"p", "a"})
    assert "b" not in net.asked["resting"]


def test_a_circle_holds_nothing_up(net: Net) -> None:
    net.put("p")
    net.tie("j", "a", "p")
    net.tie("k1", "b", "a")
    net.tie("k2", "a", "b")
    assert net.levels("a b") == "22"
    net.put("p", NONE)
    assert net.levels("a b") == "00"


def test_a_circle_without_any_premise_never_rises(net: Net) -> None:
    net.tie("j1", "a", "c")
    net.tie("j2", "b", "a")
    net.tie("j3", "c", "b")
    assert net.levels("a b c") == "000"


def test_a_circle_is_held_up_by_either_of_its_ways_in(net: Net) -> None:
    for node in "pq":
        net.put(node)
    net.tie("in1", "a", "p")
    net.tie("k1", "b", "a")
    net.tie("k2", "a", "b")
    net.tie("in2", "b", "q")
    net.put("p", NONE)
    assert net.levels("a b") == "22"
    net.put("q", NONE)
    assert net.levels("a b") == "00"
    net.put("q")
    assert net.levels("a b") == "22"


def test_a_justification_holds_only_while_every_antecedent_does(net: Net) -> None:
    for node in "pq":
        net.put(node)
    net.tie("j", "a", "p", "q")
    net.put("q", NONE)
    assert net.levels("a") == "0"
    net.put("q")
    assert net.levels("a") == "2"


def test_a_record_falls_with_the_last_of_its_justifications(net: Net) -> None:
    for n in range(4):
        net.put(f"p{n}")
        net.tie(f"j{n}", "a", f"p{n}")
    order = [2, 0, 3, 1]
    fell = ["a" in net.put(f"p{n}", NONE) and net.levels("a") == "0" for n in order]
    assert fell == [False, False, False, True]


# Cost.


def test_a_change_asks_only_about_what_it_touches(net: Net) -> None:
    for n in range(50):
        net.put(f"p{n}")
        net.tie(f"j{n}", f"a{n}", f"p{n}")
    net.put("p7", NONE)
    assert set().union(*net.asked.values()) <= {"p7", "a7"}
    net.put("p7")
    assert set().union(*net.asked.values()) <= {"p7", "a7"}


def test_a_change_that_changes_nothing_moves_no_label(net: Net) -> None:
    net.put("p")
    net.tie("j", "a", "p")
    assert net.put("p") == {}
    assert net.tie("again", "a", "p") == {}
    assert net.untie("again") == {}


# The two fixpoints.


def test_a_summary_that_rests_on_a_hypothesis_holds_but_is_not_grounded(net: Net) -> None:
    net.put("guess", HELD)
    net.put("seen", GROUNDED)
    net.tie("j", "summary", "guess", "seen")
    assert net.levels("summary") == "1"


def test_a_second_grounded_support_grounds_a_record_and_its_loss_leaves_it_held(net: Net) -> None:
    net.put("guess", HELD)
    net.put("seen", GROUNDED)
    net.tie("j1", "summary", "guess")
    net.tie("j2", "summary", "seen")
    net.tie("k", "above", "summary")
    assert net.levels("summary above") == "22"
    net.put("seen", NONE)
    assert net.levels("summary above") == "11"


def test_a_hypothesis_is_not_laundered_through_a_circle(net: Net) -> None:
    net.put("guess", HELD)
    net.tie("j1", "a", "guess")
    net.tie("j2", "b", "a")
    net.tie("j3", "a", "b")
    assert net.levels("a b") == "11"


# Blocks.


def test_a_block_stands_against_every_support_until_it_is_lifted(net: Net) -> None:
    net.put("p")
    net.put("a", GROUNDED)
    net.tie("j", "a", "p")
    net.tie("k", "b", "a")
    net.put("a", GROUNDED, blocked=True)
    net.tie("later", "a", "p")
    assert net.levels("a b") == "00"
    net.put("a", GROUNDED)
    assert net.levels("a b") == "22"


# Time.

EARLY, LATE, BOTH = ((0, 6),), ((4, 9),), ((4, 6),)


def test_a_conclusion_holds_while_all_it_rests_on_holds(net: Net) -> None:
    net.put("p", own=EARLY)
    net.put("q", own=LATE)
    net.tie("j", "a", "p", "q")
    assert holds(net.label["a"]) == BOTH


def test_a_timeless_conclusion_outlasts_the_expiry_of_what_it_rests_on_but_not_its_fall(net: Net) -> None:
    net.put("p", own=((0, 2),))
    net.put("q", own=((7, 9),))
    net.tie("j", "a", "p", "q", timeless=True)
    assert holds(net.label["a"]) == ALWAYS
    net.put("q", NONE, own=((7, 9),))
    assert net.levels("a") == "0"


def test_a_conclusion_is_within_the_times_that_it_claims_itself(net: Net) -> None:
    net.put("p", own=EARLY)
    net.put("a", NONE, own=((5, 20),))
    net.tie("j", "a", "p")
    assert holds(net.label["a"]) == ((5, 6),)
    net.put("a", NONE, own=((2, 3),))
    assert holds(net.label["a"]) == ((2, 3),)


def test_an_alternative_takes_over_just_the_stretch_that_it_covers(net: Net) -> None:
    net.put("p", own=((0, 9),))
    net.put("q", own=((3, 5),))
    net.tie("j1", "a", "p")
    net.tie("j2", "a", "q")
    net.put("p", NONE, own=((0, 9),))
    assert shape(net.label["a"]) == ((3, 5, 2),)


def test_a_closed_window_takes_away_only_what_lay_behind_it(net: Net) -> None:
    net.put("p")
    net.tie("j", "a", "p")
    outcome = net.put("p", own=((0, 5),))
    assert [shape(after) for _, after in outcome.values()] == [((0, 5, 2),), ((0, 5, 2),)]


def test_a_timeless_circle_holds_nothing_up(net: Net) -> None:
    net.put("p", own=((0, 2),))
    net.tie("in", "a", "p")
    net.tie("k1", "b", "a", timeless=True)
    net.tie("k2", "a", "b", timeless=True)
    assert holds(net.label["a"]) == ALWAYS
    net.put("p", NONE, own=((0, 2),))
    assert net.levels("a b", 1) == "00"


# Several changes at once.


def test_a_new_record_with_its_justification_comes_in_one_edit(net: Net) -> None:
    net.put("p")
    net.commit(Edit({"a": Standing(ALWAYS, NONE)}, {"a"}, [Link("j", "a", ("p",))]))
    assert net.levels("a") == "2"


def test_swapping_one_support_for_another_moves_nothing_above(net: Net) -> None:
    net.put("p")
    net.put("q")
    net.tie("j", "a", "p")
    net.tie("k", "b", "a")
    net.commit(Edit(withdrawn=[net.link["j"]], added=[Link("new", "a", ("q",))]))
    assert (net.levels("a b"), net.support("a")) == ("22", "new")


# Everything at random.


def own_at_random(chance: Random, *, temporal: bool) -> Intervals:
    if not temporal or chance.random() < 0.4:
        return ALWAYS
    start, more = chance.randrange(8), chance.randrange(8)
    return normalise([(start, chance.randrange(start + 1, 10)), (more, more + chance.randrange(2))])


def edit_at_random(chance: Random, facts: Facts, nodes: list[str], step: int, *, temporal: bool) -> Edit[str]:
    """One change to the facts, and the same change as an edit."""
    edit: Edit[str] = Edit()
    node = chance.choice(nodes)
    what = chance.choice(["premise", "premise", "link", "link", "link", "unlink", "block", "own", "retract", "retract"])
    if node not in facts.own:
        edit.created.add(node)
        facts.own[node], facts.premise[node] = own_at_random(chance, temporal=temporal), chance.choice([0, 1, 2, 2])
    elif what == "link" and len(facts.own) > 1:
        others = [n for n in facts.own if n != node]
        antecedents = tuple(sorted(set(chance.choices(others, k=chance.choice([1, 1, 2, 3])))))
        link = Link(f"j{step}", node, antecedents, chance.random() < 0.2)
        facts.links[f"j{step}"] = link[1:]
        edit.added.append(link)
        return edit
    elif what == "unlink" and facts.links:
        name = chance.choice(sorted(facts.links))
        edit.withdrawn.append(Link(name, *facts.links.pop(name)))
        return edit
    elif what == "block":
        facts.blocked ^= {node}
    elif what == "own":
        facts.own[node] = own_at_random(chance, temporal=temporal)
    else:
        facts.premise[node] = 0 if what == "retract" else chance.choice([0, 1, 2])
    edit.standings[node] = Standing(facts.own[node], facts.premise[node], node in facts.blocked)
    return edit


@pytest.mark.parametrize("seed", range(80))
def test_labels_equal_the_naive_fixpoint_after_every_random_edit(seed: int) -> None:
    chance, net, facts = Random(seed), Net(), Facts()
    nodes = [f"r{n}" for n in range(3 + seed % 6)]
    for step in range(40):
        net.commit(edit_at_random(chance, facts, nodes, step, temporal=bool(seed % 3)))
        for level in (1, 2):
            least = naive(facts, level)
            assert {n: holds(net.label.get(n, ()), level) for n in facts.own} == least
        well_founded(net)


def well_founded(net: Net) -> None:
    for node, label in net.label.items():
        for segment in label:
            if segment.support == PREMISE:
                continue
            link = net.link[segment.support]
            assert link.consequent == node
            for antecedent in link.antecedents:
                below = net.label[antecedent]
                earlier = [
                    (s.level, -s.rank) > (segment.level, -segment.rank)
                    for s in (below if link.timeless else clip(below, ((segment.start, segment.end),)))
                ]
                assert any(earlier) if link.timeless else all(earlier)
