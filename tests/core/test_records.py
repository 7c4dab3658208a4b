"""Records as values: keys, canonical JSON, texts as kept, fingerprints and derived ids."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.core.errors import InvalidInput
from graphmem.core.labels import Level
from graphmem.core.records import (
    BELIEVABLE,
    PREMISE_LEVEL,
    BlockKind,
    Edge,
    Key,
    Role,
    canonical,
    clean_text,
    content_hash,
    digest,
    entity_id,
    fingerprint,
    named_edge,
    parse_key,
)
from tests.memories import TENANT, provenance, record

# Roles.


def test_only_sources_and_observations_ground_and_a_summary_is_no_premise() -> None:
    assert {role for role, level in PREMISE_LEVEL.items() if level == Level.GROUNDED} == {Role.SOURCE, Role.OBSERVATION}
    assert {role for role, level in PREMISE_LEVEL.items() if level == Level.OUT} == {Role.SUMMARY}
    assert PREMISE_LEVEL.keys() == set(Role)


def test_claims_and_inferences_are_never_believed() -> None:
    assert set(Role) - BELIEVABLE == {Role.CLAIM, Role.INFERENCE}


def test_blocks_are_declared_in_their_precedence() -> None:
    assert [kind.value for kind in BlockKind] == ["deleted", "rejected", "quarantined", "corrected"]


# Keys.


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("pump#state", Key("pump", "state")),
        ("pump#state@hall", Key("pump", "state", "hall")),
        (" pump # state @ hall ", Key("pump", "state", "hall")),
        ("a#b#c@d@e", Key("a", "b#c", "d@e")),
        ("src/pool.py#owner", Key("src/pool.py", "owner")),
    ],
)
def test_a_key_is_read_from_text(text: str, key: Key) -> None:
    assert parse_key(text) == key


@pytest.mark.parametrize("text", ["", "pump", "pump#", "#state", " # ", "pump# @hall", "@hall"])
def test_what_has_no_entity_or_attribute_is_no_key(text: str) -> None:
    with pytest.raises(InvalidInput, match="not a key"):
        parse_key(text)


names = st.text(st.characters(categories=["L", "N"]), min_size=1)


@given(names, names, st.one_of(st.just(""), names))
def test_a_key_reads_back_from_its_own_text(entity: str, attribute: str, scope: str) -> None:
    key = Key(entity, attribute, scope)
    assert parse_key(str(key)) == key


# Values.


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, None),
        ("Northwind B.V.", '"Northwind B.V."'),
        (10, "10"),
        (True, "true"),
        ({"b": [1, None], "a": "é"}, '{"a":"é","b":[1,null]}'),
    ],
)
def test_a_value_has_one_spelling(value: object, text: str | None) -> None:
    assert canonical(value) == text


@pytest.mark.parametrize("value", [float("nan"), float("inf"), object(), {1, 2}, b"bytes"])
def test_what_json_cannot_hold_is_refused(value: object) -> None:
    with pytest.raises(InvalidInput, match="JSON"):
        canonical(value)


# Texts.


def test_a_text_is_kept_whole() -> None:
    text = "  two\r\nlines\twith \x01 a control character, 東京, سلام, 🚀\n" + "long " * 30_000
    assert clean_text(text) == text


def test_nul_characters_and_lone_surrogates_are_made_visible() -> None:
    assert clean_text("a\x00b") == "a\u2400b"
    assert clean_text("a\ud800b") == "a\ufffdb"


@pytest.mark.parametrize("text", ["", "   ", "\n\t", "...", "\x00", "\u200b", "--- !"])
def test_a_text_without_letter_digit_or_symbol_is_empty(text: str) -> None:
    if text == "\x00":
        assert clean_text(text) == "\u2400"
    else:
        with pytest.raises(InvalidInput, match="empty"):
            clean_text(text)


@pytest.mark.parametrize("text", ["a", "7", "🚀", "東", "½"])
def test_one_letter_digit_or_symbol_is_a_text(text: str) -> None:
    assert clean_text(text) == text


def test_a_content_hash_is_sha_256_of_the_text_in_utf_8() -> None:
    assert content_hash("é") == "sha256:" + sha256("é".encode()).hexdigest()


# Fingerprints.


def marks(made: object, said_by: str = "ann", conditions: tuple[tuple[str, str], ...] = ()) -> tuple[object, ...]:
    return fingerprint(made, said_by, conditions)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "change",
    [
        {"text": "other"},
        {"tenant": "rival"},
        {"role": Role.SOURCE},
        {"key": Key("a", "b")},
        {"value": "1"},
        {"own": ((1, 2),)},
        {"supersedes": "r-1"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_records_that_say_something_else_differ(change: dict[str, object]) -> None:
    made = record("seen")
    assert marks(replace(made, **change)) != marks(made)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "change",
    [{"observed_at": 9}, {"authority": 9}, {"context": "x"}, {"sensitivity": "secret"}, {"evidence_status": "x"}],
    ids=lambda change: next(iter(change)),
)
def test_when_and_how_firmly_something_was_said_is_not_what_was_said(change: dict[str, object]) -> None:
    made = record("seen")
    assert marks(replace(made, **change)) == marks(made)  # type: ignore[arg-type]


def test_a_record_whose_time_a_change_cut_is_still_the_same() -> None:
    made = record("seen", own=((0, 9),))
    assert marks(replace(made, own=((0, 5),), claimed=((0, 9),))) == marks(made)


@pytest.mark.parametrize("role", Role)
def test_only_a_claim_is_also_who_said_it(role: Role) -> None:
    made = record("said", role)
    assert (marks(made, "ann") != marks(made, "bob")) == (role is Role.CLAIM)


@pytest.mark.parametrize("role", Role)
def test_only_an_observation_is_also_the_conditions_it_was_made_under(role: Role) -> None:
    made = record("seen", role)
    here, there = (("python", "3.11"),), (("python", "3.14"),)
    assert (marks(made, conditions=here) != marks(made, conditions=there)) == (role is Role.OBSERVATION)


def test_conditions_count_whatever_their_order() -> None:
    made, pairs = record("seen"), (("a", "1"), ("b", "2"))
    assert marks(made, conditions=pairs) == marks(made, conditions=pairs[::-1])


# Ids.


def test_a_digest_is_twenty_characters_that_depend_on_every_part_and_the_key() -> None:
    some = [digest("a", "b"), digest("ab"), digest("a", "b", key=b"k"), digest("a", None), digest("a", ["b"])]
    assert len(set(some)) == len(some)
    assert {len(one) for one in some} == {20}
    assert digest("a", "b") == digest("a", "b")


def test_an_entity_is_named_by_tenant_kind_repository_and_symbol() -> None:
    parts = [
        ("t", "k", "r", "s"),
        ("u", "k", "r", "s"),
        ("t", "l", "r", "s"),
        ("t", "k", "q", "s"),
        ("t", "k", "r", "z"),
    ]
    assert len({entity_id(*p) for p in parts}) == len(parts)


def edge(**more: object) -> Edge:
    made = Edge("", TENANT, "calls", "e-1", "e-2", (("r-1",),), provenance(revision="r17"))
    return named_edge(replace(made, **more))  # type: ignore[arg-type]


def test_an_edge_is_named_by_its_ends_type_and_evidence() -> None:
    changes = (
        {},
        {"type": "imports"},
        {"source": "e-3"},
        {"target": "e-3"},
        {"evidence": (("r-2",),)},
        {"tenant": "u"},
    )
    assert len({edge(**change).id for change in changes}) == len(changes)
    assert edge().identity == ""


def test_an_edge_of_a_repository_has_an_identity_beyond_its_generation() -> None:
    at = [edge(repository="pool", birth=generation) for generation in (1, 2)]
    assert at[0].identity == at[1].identity != ""
    assert at[0].id != at[1].id
    assert edge(repository="pool", level="certain").identity != at[0].identity
