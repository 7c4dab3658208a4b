"""A draft of one commit: verbs see one another's facts, and what is undone within it leaves no trace."""

from __future__ import annotations

from dataclasses import fields

import pytest

from graphmem.core.changes import ChangeSet, Draft, empty_snapshot
from graphmem.core.labelling import Standing
from graphmem.core.records import BlockKind, Key, Mode, Role
from graphmem.core.verbs import conclude, justify, reassert, reject, remember, retract, supersede, unreject, withdraw
from graphmem.core.views import Generation, Snapshot
from tests.memories import KEY, TENANT, entity, provenance, record


def new_draft(before: Draft | None = None) -> Draft:
    """A draft over nothing, or over what another leaves."""
    snapshot = empty_snapshot(TENANT, KEY)
    if before is not None:
        known = {"records": dict(before.held), "justifications": dict(before.links), "heads": dict(before.heads)}
        snapshot = Snapshot(TENANT, 1, KEY, live=frozenset(before.live), **known)  # type: ignore[arg-type]
    return Draft(snapshot, at=7, writer="ann", verb="test")


def known() -> tuple[Draft, str, str, str]:
    draft = new_draft()
    seen = remember(draft, record("seen"), provenance())
    told, link = conclude(draft, record("told", Role.SUMMARY), [seen], "rule", provenance())
    return new_draft(draft), seen, told, link


def test_an_untouched_draft_is_empty() -> None:
    assert new_draft().finish() == ChangeSet(TENANT, 7, "ann", "test", seen=0)
    assert new_draft().finish().is_empty


FULL = {
    "records": (record("x"),),
    "withdrawn_assertions": ("a-1",),
    "withdrawn_justifications": ("j-1",),
    "standings": {"r-1": Standing((), 0)},
    "unblocks": ("r-1",),
    "entities": (entity("x"),),
    "deaths": {"r-1": 2},
    "generation": Generation("pool", 1, "r17", 0),
}


@pytest.mark.parametrize("part", FULL)
def test_a_change_set_with_any_part_is_not_empty(part: str) -> None:
    assert part in {f.name for f in fields(ChangeSet)}
    assert not ChangeSet(TENANT, 7, "ann", "test", **{part: FULL[part]}).is_empty  # type: ignore[arg-type]


def test_what_was_only_read_is_no_change() -> None:
    draft, seen, *_ = known()
    draft.get(seen)
    draft.head(Key("a", "b"))
    changes = draft.finish()
    assert (changes.is_empty, changes.expects.keys(), changes.expects_heads) == (True, {seen}, {Key("a", "b"): None})


def test_a_verb_builds_on_a_record_that_the_same_draft_brought() -> None:
    draft = new_draft()
    seen = remember(draft, record("seen"), provenance())
    told, _ = conclude(draft, record("told", Role.SUMMARY), [seen], "rule", provenance())
    reject(draft, told, "bob")
    changes = draft.finish()
    assert [r.id for r in changes.records] == [seen, told]
    assert changes.standings[told].blocked


def test_a_retraction_taken_back_leaves_the_assertion_as_it_was() -> None:
    draft, seen, *_ = known()
    before = draft.held[seen]
    retract(draft, seen)
    reassert(draft, seen)
    changes = draft.finish()
    assert (changes.assertions, changes.withdrawn_assertions) == ((), ())
    assert draft.held[seen] == before


def test_an_assertion_made_and_withdrawn_is_kept_as_withdrawn() -> None:
    draft = new_draft()
    seen = remember(draft, record("seen"), provenance())
    retract(draft, seen)
    changes = draft.finish()
    assert [a.id for a in changes.assertions] == list(changes.withdrawn_assertions)
    assert changes.standings[seen].premise == 0


def test_a_justification_withdrawn_and_given_again_stays_as_it_was() -> None:
    draft, seen, told, link = known()
    withdraw(draft, link)
    assert justify(draft, told, [seen], "rule", provenance()) == link
    changes = draft.finish()
    assert (changes.justifications, changes.withdrawn_justifications) == ((), ())


def test_a_rejection_lifted_in_the_same_draft_leaves_no_block() -> None:
    draft, seen, *_ = known()
    reject(draft, seen, "bob")
    unreject(draft, seen)
    changes = draft.finish()
    assert (changes.blocks, changes.unblocks, draft.held[seen].block) == ((), (), None)


def test_a_correction_takes_the_place_of_a_rejection() -> None:
    key = Key("a", "b")
    draft = new_draft()
    old = remember(draft, record("old", key=key), provenance())
    reject(draft, old, "bob")
    draft = new_draft(draft)
    new = supersede(draft, old, record("new"), provenance(), how="correct")
    changes = draft.finish()
    assert changes.unblocks == (old,)
    assert [(b.record, b.kind, b.by) for b in changes.blocks] == [(old, BlockKind.CORRECTED, new)]


def test_a_mode_is_kept_on_the_justification() -> None:
    draft, seen, told, _ = known()
    justify(draft, told, [seen], "once", provenance(), Mode.TIMELESS)
    assert [j.mode for j in draft.finish().justifications] == [Mode.TIMELESS]
