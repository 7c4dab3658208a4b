"""The rule and the refusals of each verb, on drafts alone: no store, no clock."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from graphmem.core.changes import Draft, assertion_of, justification_id
from graphmem.core.errors import Conflict, InvalidInput, NotFound, NotPermitted
from graphmem.core.intervals import ALWAYS, TIME_MAX
from graphmem.core.labelling import Standing
from graphmem.core.labels import Level
from graphmem.core.records import Block, BlockKind, Key, Mode, Role
from graphmem.core.verbs import (
    conclude,
    confirm,
    delete,
    justify,
    reassert,
    reject,
    remember,
    retract,
    supersede,
    unreject,
    withdraw,
)
from graphmem.core.views import Head, Held, Snapshot
from tests.memories import KEY, TENANT, provenance, record

NAME = Key("vendor-23", "legal-name")
RULE = provenance("rule")


def new_draft(commit: int = 0, **known: object) -> Draft:
    snapshot = Snapshot(TENANT, commit, KEY, **known)  # type: ignore[arg-type]
    return Draft(snapshot, at=1, writer="ann", verb="test")


def later(draft: Draft) -> Draft:
    """A draft over what the first one leaves, as if it had been committed."""
    return new_draft(
        draft.snapshot.commit + 1,
        records=dict(draft.held),
        justifications=dict(draft.links),
        live=frozenset(draft.live),
        heads=dict(draft.heads),
    )


def told(role: Role = Role.OBSERVATION, text: str = "seen") -> tuple[Draft, str]:
    draft = new_draft()
    name = remember(draft, record(text, role), provenance())
    return later(draft), name


def concluded() -> tuple[Draft, str, str, str]:
    """A draft that knows an observation, a summary of it, and the justification between them."""
    draft = new_draft()
    seen = remember(draft, record("seen"), provenance())
    summary, link = conclude(draft, record("told", Role.SUMMARY), [seen], "rule", RULE)
    return later(draft), seen, summary, link


def blocked(kind: BlockKind) -> tuple[Draft, str]:
    """A record under a block of a kind, as loaded."""
    draft, name = told()
    held = draft.held[name]
    known = Held(held.record, Standing(ALWAYS, Level.GROUNDED, True), 1, held.live, (), Block(name, kind, "x"))
    return new_draft(1, records={name: known}), name


def standing(draft: Draft, name: str) -> Standing:
    return draft.finish().standings[name]


# remember


@pytest.mark.parametrize(
    ("role", "level"),
    [
        (Role.SOURCE, Level.GROUNDED),
        (Role.OBSERVATION, Level.GROUNDED),
        (Role.CLAIM, Level.IN),
        (Role.INFERENCE, Level.IN),
    ],
)
def test_what_is_asserted_is_a_premise_of_the_level_of_its_role(role: Role, level: Level) -> None:
    draft = new_draft()
    name = remember(draft, record("seen", role), provenance())
    assert standing(draft, name) == Standing(ALWAYS, level)


def test_an_inference_that_names_nothing_is_kept_as_a_hypothesis() -> None:
    draft = new_draft()
    name = remember(draft, record("perhaps", Role.INFERENCE), provenance())
    assert draft.records[name].evidence_status == "hypothesis"


def test_a_summary_that_names_nothing_is_refused() -> None:
    draft = new_draft()
    with pytest.raises(NotPermitted, match="rests on"):
        remember(draft, record("told", Role.SUMMARY), provenance())
    assert draft.finish().is_empty


def test_the_same_fact_from_another_source_is_one_record_with_two_assertions() -> None:
    draft, name = told()
    assert remember(draft, record("seen"), provenance("elsewhere")) == name
    assert [a.provenance.locator for a in draft.held[name].live] == ["src", "elsewhere"]
    assert (len(draft.assertions), draft.records) == (1, {})


def test_the_same_fact_from_the_same_source_changes_nothing() -> None:
    draft, name = told()
    assert remember(draft, record("seen"), provenance()) == name
    assert draft.finish().is_empty


def test_an_assertion_speaks_with_the_authority_and_time_of_its_own() -> None:
    draft, name = told()
    remember(draft, record("seen", authority=7, observed_at=9), provenance("elsewhere"))
    assert [(a.authority, a.observed_at) for a in draft.held[name].live] == [(0, 1), (7, 9)]


def test_what_was_withdrawn_is_a_premise_again_when_it_is_said_again() -> None:
    draft, name = told()
    retract(draft, name)
    draft = later(draft)
    remember(draft, record("seen"), provenance())
    assert (len(draft.held[name].live), draft.held[name].withdrawn) == (1, ())
    assert standing(draft, name).premise == Level.GROUNDED


@pytest.mark.parametrize("kind", [BlockKind.DELETED, BlockKind.CORRECTED])
def test_what_was_deleted_or_corrected_is_never_asserted_again(kind: BlockKind) -> None:
    draft, name = blocked(kind)
    for act in (lambda: remember(draft, record("seen"), provenance("new")), lambda: reassert(draft, name)):
        with pytest.raises(NotPermitted, match=kind.value):
            act()


def test_what_was_rejected_may_be_asserted_but_stays_blocked() -> None:
    draft, name = blocked(BlockKind.REJECTED)
    remember(draft, record("seen"), provenance("new"))
    assert standing(draft, name) == Standing(ALWAYS, Level.GROUNDED, True)


def test_the_first_record_of_a_key_opens_its_chain_at_version_1() -> None:
    draft = new_draft()
    first = remember(draft, record("GmbH", key=NAME), provenance())
    second = remember(draft, record("Ltd", key=NAME), provenance())
    changes = draft.finish()
    assert [draft.records[name].version for name in (first, second)] == [1, 0]
    assert (changes.heads, changes.expects_heads) == ({NAME: Head(first, 1)}, {NAME: None})


# conclude, justify, withdraw


def test_a_conclusion_names_the_justification_that_produced_it() -> None:
    draft, seen, summary, link = concluded()
    assert (draft.held[summary].record.producer, draft.held[summary].standing.premise) == (link, Level.OUT)
    assert draft.links[link].antecedents == (seen,)


def test_a_second_justification_leaves_the_producer_as_it_is() -> None:
    draft, seen, summary, link = concluded()
    _, second = conclude(draft, record("told", Role.SUMMARY), [seen], "other rule", RULE)
    assert second != link
    assert draft.held[summary].record.producer == link


@pytest.mark.parametrize("role", [Role.SOURCE, Role.OBSERVATION, Role.CLAIM])
def test_only_an_inference_or_a_summary_is_a_conclusion(role: Role) -> None:
    draft, seen, *_ = concluded()
    with pytest.raises(InvalidInput):
        conclude(draft, record("x", role), [seen], "rule", RULE)


def test_a_justification_needs_an_antecedent() -> None:
    draft, name = told()
    with pytest.raises(InvalidInput, match="at least one"):
        justify(draft, name, [], "rule", RULE)


def test_a_record_cannot_support_itself() -> None:
    draft, seen, summary, _ = concluded()
    with pytest.raises(InvalidInput, match="itself"):
        justify(draft, seen, [summary, seen], "rule", RULE)


def test_support_in_a_circle_is_taken() -> None:
    draft, seen, summary, _ = concluded()
    justify(draft, seen, [summary], "rule", RULE)
    assert len(draft.finish().justifications) == 1


def test_antecedents_given_twice_count_once_and_in_any_order() -> None:
    draft, a = told(text="a")
    b = remember(draft, record("b"), provenance())
    c = remember(draft, record("c"), provenance())
    first = justify(draft, c, [b, a, b], "rule", RULE)
    assert justify(draft, c, [a, b], "rule", RULE) == first
    assert [j.antecedents for j in draft.finish().justifications] == [tuple(sorted((a, b)))]


def test_another_rule_or_mode_makes_another_justification() -> None:
    draft, seen, summary, link = concluded()
    names = {justify(draft, summary, [seen], rule, RULE, mode) for rule in ("rule", "other") for mode in Mode}
    assert (len(names), link in names) == (4, True)


@pytest.mark.parametrize("unknown", ["consequent", "antecedent"])
def test_a_justification_of_or_by_nothing_known_is_refused(unknown: str) -> None:
    draft, name = told()
    ends = ("r-nowhere", [name]) if unknown == "consequent" else (name, ["r-nowhere"])
    with pytest.raises(NotFound, match="r-nowhere"):
        justify(draft, *ends, "rule", RULE)


def test_a_deleted_record_is_part_of_no_justification() -> None:
    draft, name = blocked(BlockKind.DELETED)
    other = remember(draft, record("other"), provenance())
    for consequent, antecedent in ((name, other), (other, name)):
        with pytest.raises(NotPermitted, match="deleted"):
            justify(draft, consequent, [antecedent], "rule", RULE)


def test_withdrawing_ends_a_live_justification_once() -> None:
    draft, _, _, link = concluded()
    withdraw(draft, link)
    assert draft.finish().withdrawn_justifications == (link,)
    draft = later(draft)
    withdraw(draft, link)
    assert draft.finish().is_empty


def test_withdrawing_an_unknown_justification_is_refused() -> None:
    with pytest.raises(NotFound, match="j-nowhere"):
        withdraw(new_draft(), "j-nowhere")


def test_a_withdrawn_justification_lives_again_under_its_id() -> None:
    draft, seen, summary, link = concluded()
    withdraw(draft, link)
    draft = later(draft)
    assert justify(draft, summary, [seen], "rule", RULE) == link
    assert [j.id for j in draft.finish().justifications] == [link]


# retract, reassert


def test_retracting_withdraws_every_assertion() -> None:
    draft, name = told()
    remember(draft, record("seen"), provenance("elsewhere"))
    draft = later(draft)
    assert retract(draft, name) == 2
    assert (len(draft.withdrawn), standing(draft, name).premise) == (2, Level.OUT)


def test_retracting_by_source_withdraws_that_ones_assertion_and_the_record_stays() -> None:
    draft, name = told()
    remember(draft, record("seen"), provenance("elsewhere"))
    draft = later(draft)
    assert retract(draft, name, "elsewhere") == 1
    assert [a.provenance.locator for a in draft.held[name].live] == ["src"]
    assert standing(draft, name).premise == Level.GROUNDED


def test_retracting_by_a_source_that_said_nothing_changes_nothing() -> None:
    draft, name = told()
    assert retract(draft, name, "nobody") == 0
    assert draft.finish().is_empty


def test_retracting_a_conclusion_is_refused_with_what_to_do_instead() -> None:
    draft, _, summary, _ = concluded()
    with pytest.raises(NotPermitted) as refused:
        retract(draft, summary)
    assert "withdraw" in refused.value.hint
    assert "reject" in refused.value.hint


def test_reasserting_brings_back_what_the_latest_retraction_took() -> None:
    draft, name = told()
    remember(draft, record("seen"), provenance("elsewhere"))
    for source in ("elsewhere", "src"):
        draft = later(draft)
        retract(draft, name, source)
    draft = later(draft)
    assert reassert(draft, name) == 1
    assert [a.provenance.locator for a in draft.held[name].live] == ["src"]
    assert reassert(draft, name, "elsewhere") == 1
    assert len(draft.held[name].live) == 2


def test_reasserting_what_stands_changes_nothing() -> None:
    draft, name = told()
    assert reassert(draft, name) == 0
    assert draft.finish().is_empty


def test_what_was_never_asserted_is_not_reasserted() -> None:
    draft, _, summary, _ = concluded()
    with pytest.raises(NotPermitted, match="never asserted"):
        reassert(draft, summary)


# reject, unreject


def test_a_confirmation_is_one_more_assertion_as_of_its_own_time() -> None:
    draft, name = told()
    draft.at = 50
    assert confirm(draft, name, provenance("looked")) is True
    assert confirm(draft, name, provenance("looked")) is False
    first, again = draft.held[name].live
    assert (first.observed_at, again.observed_at, again.provenance.source_kind) == (1, 50, "confirmation")
    later_on = later(draft)
    later_on.at = 60
    assert confirm(later_on, name, provenance("looked")) is True


def test_only_a_premise_that_stands_can_be_confirmed() -> None:
    draft, seen, summary, _ = concluded()
    with pytest.raises(NotPermitted, match="no premise now"):
        confirm(draft, summary, provenance())
    retract(draft, seen)
    with pytest.raises(NotPermitted, match="no premise now"):
        confirm(draft, seen, provenance())
    blocked, name = told()
    reject(blocked, name, "ann")
    with pytest.raises(NotPermitted, match="was rejected"):
        confirm(blocked, name, provenance())


def test_rejecting_blocks_once_and_unrejecting_lifts_once() -> None:
    draft, name = told()
    assert (reject(draft, name, "bob"), reject(draft, name, "eve")) == (True, False)
    assert draft.finish().blocks == (Block(name, BlockKind.REJECTED, "bob"),)
    draft = later(draft)
    assert (unreject(draft, name), unreject(draft, name)) == (True, False)
    assert (draft.finish().unblocks, draft.finish().blocks) == ((name,), ())


@pytest.mark.parametrize("kind", [BlockKind.DELETED, BlockKind.CORRECTED])
def test_only_a_rejection_can_be_lifted(kind: BlockKind) -> None:
    draft, name = blocked(kind)
    assert reject(draft, name, "bob") is False
    with pytest.raises(NotPermitted, match=kind.value):
        unreject(draft, name)


# delete


@pytest.mark.parametrize("before", [None, BlockKind.REJECTED, BlockKind.CORRECTED])
def test_a_deletion_takes_the_place_of_every_other_block_and_is_for_good(before: BlockKind | None) -> None:
    draft, name = blocked(before) if before else told()
    assert (delete(draft, name, "receipt"), delete(draft, name, "another")) == (True, False)
    assert draft.finish().blocks == (Block(name, BlockKind.DELETED, "receipt"),)
    assert draft.finish().unblocks == ((name,) if before else ())
    draft = later(draft)
    assert reject(draft, name, "bob") is False
    for verb in (reassert, unreject):
        with pytest.raises(NotPermitted, match="deleted"):
            verb(draft, name)


def test_no_live_justification_names_what_is_deleted() -> None:
    draft, seen, summary, link = concluded()
    other = justify(draft, summary, [remember(draft, record("other"), provenance())], "rule", RULE)
    draft = later(draft)
    delete(draft, seen, "receipt")
    assert draft.finish().withdrawn_justifications == (link,)
    assert draft.live == {other}


def test_a_correction_does_not_take_a_deletions_place() -> None:
    draft, old = named()
    delete(draft, old, "receipt")
    supersede(draft, old, record("B.V.", key=NAME), provenance(), how="correct")
    assert draft.held[old].block == Block(old, BlockKind.DELETED, "receipt")


# supersede


def named(text: str = "GmbH") -> tuple[Draft, str]:
    draft = new_draft()
    name = remember(draft, record(text, key=NAME), provenance())
    return later(draft), name


def test_a_change_ends_the_old_record_where_the_new_one_begins() -> None:
    draft, old = named()
    new = supersede(draft, old, record("B.V.", own=((5, TIME_MAX),)), provenance(), how="change")
    assert draft.held[old].record.own == ((ALWAYS[0][0], 5),)
    assert (draft.held[old].record.claimed, draft.held[old].block) == (ALWAYS, None)
    assert (draft.records[new].key, draft.records[new].supersedes, draft.records[new].version) == (NAME, old, 2)


def test_a_change_for_a_while_leaves_the_old_record_on_both_sides() -> None:
    draft, old = named()
    supersede(draft, old, record("B.V.", own=((5, 9),)), provenance(), how="change")
    assert draft.held[old].record.own == ((ALWAYS[0][0], 5), (9, TIME_MAX))


def test_a_correction_blocks_the_old_record_in_the_name_of_the_new_one() -> None:
    draft, old = named()
    new = supersede(draft, old, record("B.V."), provenance(), how="correct")
    assert draft.finish().blocks == (Block(old, BlockKind.CORRECTED, new),)
    assert draft.held[old].record.own == ALWAYS


def test_a_chain_counts_its_versions() -> None:
    draft, name = named()
    for version in (2, 3, 4):
        name = supersede(
            draft, name, record(f"name {version}"), provenance(), how="change", expected_version=version - 1
        )
        assert draft.heads[NAME] == Head(name, version)


def test_who_comes_second_is_told_the_head_that_came_first() -> None:
    draft, old = named()
    new = supersede(draft, old, record("B.V."), provenance(), how="change")
    with pytest.raises(Conflict) as lost:
        supersede(draft, old, record("Ltd"), provenance(), how="change")
    assert (lost.value.head, lost.value.version, lost.value.retryable) == (new, 2, True)


def test_a_wrong_expected_version_is_a_conflict() -> None:
    draft, old = named()
    with pytest.raises(Conflict) as lost:
        supersede(draft, old, record("B.V."), provenance(), how="change", expected_version=2)
    assert (lost.value.head, lost.value.version) == (old, 1)


def test_a_record_without_a_key_has_no_successor() -> None:
    draft, name = told()
    with pytest.raises(InvalidInput, match="key"):
        supersede(draft, name, record("new"), provenance(), how="change")


def test_there_are_two_ways_to_supersede() -> None:
    draft, old = named()
    with pytest.raises(InvalidInput, match="replace"):
        supersede(draft, old, record("B.V."), provenance(), how="replace")


# All of them


@pytest.mark.parametrize(
    "verb",
    [
        lambda d: retract(d, "r-nowhere"),
        lambda d: reassert(d, "r-nowhere"),
        lambda d: reject(d, "r-nowhere", "bob"),
        lambda d: unreject(d, "r-nowhere"),
        lambda d: supersede(d, "r-nowhere", record("x"), provenance(), how="change"),
    ],
    ids=["retract", "reassert", "reject", "unreject", "supersede"],
)
def test_a_verb_on_an_unknown_record_is_refused_and_drafts_nothing(verb: Callable[[Draft], object]) -> None:
    draft = new_draft()
    with pytest.raises(NotFound, match="r-nowhere"):
        verb(draft)
    assert draft.finish().is_empty


def test_a_draft_expects_what_each_verb_read() -> None:
    draft, seen, summary, _ = concluded()
    other = remember(draft, record("other"), provenance())
    justify(draft, summary, [seen], "second", RULE)
    assert draft.finish().expects.keys() == {seen, summary, other}
    assert draft.finish().expects[other] == 0


def test_ids_follow_from_content_and_the_memorys_key() -> None:
    draft, name = told()
    elsewhere = Draft(Snapshot(TENANT, 0, b"another key"), at=1, writer="ann", verb="test")
    assert remember(new_draft(), record("seen"), provenance()) == name
    assert remember(elsewhere, record("seen"), provenance()) != name
    link = justification_id(draft.snapshot, name, ("r-1",), "rule", Mode.INTERSECT)
    made = assertion_of(draft.snapshot, name, draft.held[name].record, provenance())
    assert (name[:2], link[:2], made.id[:2], len(name)) == ("r-", "j-", "a-", 22)
