"""A summary says what was believed and nothing else: each check on its own, and what a summary inherits."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graphmem.core.belief import Candidate, believe
from graphmem.core.consolidation import (
    Evidence,
    SummaryDraft,
    extract,
    inherited_policy,
    inherited_sensitivity,
    refusal,
    sentences_of,
)
from graphmem.core.errors import InvalidInput
from graphmem.core.records import Key, Role
from tests.memories import record

SIZE = Key("pool", "size")
OWNER = Key("pool", "owner")
SAID = "We looked at the pool today. It has 20 connections. Guests get 5."


def seen(name: str, key: Key, text: str, value: str | None, observed_at: int = 1, **more: object) -> Candidate:
    return Candidate(record(text, id=name, key=key, value=value, **more), 0, observed_at, 1)


def evidence(*found: Candidate) -> Evidence:
    keys = {c.record.key: [o for o in found if o.record.key == c.record.key] for c in found if c.record.key}
    beliefs = {key: believe(key, candidates) for key, candidates in keys.items()}
    return Evidence(beliefs, {key: b.winner for key, b in beliefs.items() if b.winner})


TWENTY = seen("r-20", SIZE, SAID, "20")
ANN = seen("r-ann", OWNER, "Ann owns the pool.", '"Ann"')
OLD = seen("r-10", SIZE, "It has 10 connections.", "10", observed_at=0)
GOOD = SummaryDraft("It has 20 connections.", ("r-20",), "20")


def refused(draft: SummaryDraft, found: Evidence, **roles: str) -> str:
    known = {"r-20": "observation", "r-10": "observation", "r-ann": "observation"} | roles
    return str(refusal(draft, found, known) or "")


def test_the_draft_without_a_model_quotes_the_sentences_that_hold_the_value() -> None:
    assert extract(evidence(TWENTY, OLD)) == GOOD


def test_a_value_that_no_sentence_holds_is_stated_under_its_key() -> None:
    found = evidence(seen("r-20", SIZE, "See the log of 200 entries.", "20"))
    assert extract(found).text == "pool#size: 20"
    assert refused(extract(found), found) == ""


def test_several_keys_make_one_draft_with_all_values_by_key() -> None:
    draft = extract(evidence(TWENTY, ANN))
    assert draft.text == "Ann owns the pool.\nIt has 20 connections."
    assert (draft.cites, draft.value) == (("r-20", "r-ann"), '{"pool#owner":"Ann","pool#size":20}')


@pytest.mark.parametrize("found", [evidence(TWENTY, OLD), evidence(TWENTY, ANN), evidence(ANN)])
def test_the_draft_without_a_model_passes_every_check(found: Evidence) -> None:
    assert refused(extract(found), found) == ""


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"cites": ()}, "cites-nothing"),
        ({"cites": ("r-20", "r-99")}, "unknown-record(r-99)"),
        ({"cites": ("r-20", "r-10")}, "not-believed(r-10)"),
        ({"cites": ("r-10",)}, "not-believed(r-10)"),
        ({"value": "10"}, "value-differs"),
        ({"value": None}, "value-differs"),
        ({"text": " \n "}, "says-nothing"),
        ({"text": "It has 20 connections. They are fast."}, "asserts-more(sentence 2)"),
        ({"text": "It has connections."}, "asserts-more(sentence 1)"),
        ({"text": "It has 20 connections, probably."}, "asserts-more(sentence 1)"),
    ],
)
def test_a_draft_that_says_or_cites_anything_else_is_refused(changes: dict[str, object], why: str) -> None:
    assert refused(replace(GOOD, **changes), evidence(TWENTY, OLD)) == why  # type: ignore[arg-type]


@pytest.mark.parametrize("role", [Role.CLAIM, Role.INFERENCE, Role.SUMMARY])
def test_what_was_only_claimed_or_concluded_cannot_be_cited(role: Role) -> None:
    assert refused(GOOD, evidence(TWENTY), **{"r-20": role.value}) == "not-an-observation(r-20)"


def test_an_observation_that_a_summary_of_more_authority_contradicts_is_not_believed() -> None:
    other = Candidate(record("Thirty.", Role.SUMMARY, id="r-30", key=SIZE, value="30"), 9, 1, 1)
    found = Evidence({SIZE: believe(SIZE, [TWENTY, other])}, {SIZE: TWENTY})
    assert refused(replace(GOOD, value="30"), found) == "not-believed(r-20)"


def test_a_draft_speaks_to_every_key_that_it_was_asked_for() -> None:
    draft = SummaryDraft("It has 20 connections.", ("r-20",), '{"pool#owner":"Ann","pool#size":20}')
    assert refused(draft, evidence(TWENTY, ANN)) == "leaves-out(pool#owner)"


def test_quotes_differ_from_their_source_at_most_in_case_and_gaps() -> None:
    assert refused(replace(GOOD, text="  it has 20\tconnections."), evidence(TWENTY)) == ""


def test_sentences_end_at_their_marks_and_at_lines_in_every_script() -> None:
    text = "Port 8.5 is open. Is it? Yes!\n- 会议在十点开始。没有例外。\nlast"
    assert sentences_of(text) == ["Port 8.5 is open.", "Is it?", "Yes!", "- 会议在十点开始。", "没有例外。", "last"]


def test_the_narrowest_policy_and_class_of_the_inputs_is_inherited() -> None:
    assert inherited_policy(["open", "team", "open"]) == "team"
    assert inherited_policy(["open"]) == "open"
    assert inherited_sensitivity(["internal", "restricted", "public"]) == "restricted"
    assert inherited_sensitivity(["secret", "secret"]) == "secret"


def test_policies_and_classes_that_cannot_be_compared_are_refused() -> None:
    with pytest.raises(InvalidInput, match="legal and team"):
        inherited_policy(["team", "legal"])
    with pytest.raises(InvalidInput, match="how restrictive secret"):
        inherited_sensitivity(["secret", "public"])
