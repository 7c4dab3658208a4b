"""Authority rules: precedence worked out by hand, and errors that name the line."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graphmem.core.authority import UNCONFIGURED, parse_authority
from graphmem.core.belief import Candidate, Voice, believe, candidate
from graphmem.core.errors import InvalidInput
from graphmem.core.records import Key, Role, parse_key
from tests.memories import record

NAME = "authority.toml"
TEXT = """\
# Who weighs how much.
[[rule]]
authority = 1

[[rule]]
key = "vendor:*"
authority = 2

[[rule]]
key = "vendor:*"
source = "contracts/*"
authority = 3

[[rule]]
key = "vendor:north*"
source = "*"
authority = 4

[[rule]]
source = "contracts/*"
kind = "scan"
authority = 5

[[default]]
key = "vendor:*#currency"
value = "EUR"

[[default]]
key = "*#currency"
value = "USD"
"""
STATE = Key("vendor:south", "name")


def said(value: str, *voices: Voice, role: Role = Role.OBSERVATION, authority: int = 0) -> Candidate:
    made = record(value, role, id=f"r-{value}", value=value, key=STATE, authority=authority)
    return candidate(replace(made, observed_at=9), voices, 1, "")


@pytest.mark.parametrize(
    ("key", "source", "kind", "authority", "line"),
    [
        ("pump#state", "a.md", "document", 1, 2),
        ("vendor:south#name", "a.md", "document", 2, 5),
        ("vendor:south#name", "contracts/a.pdf", "document", 3, 9),
        ("vendor:northwind#name", "contracts/a.pdf", "document", 4, 14),
        ("pump#state", "contracts/a.pdf", "scan", 5, 19),
        ("vendor:south#name", "contracts/a.pdf", "scan", 3, 9),
    ],
)
def test_the_most_specific_rule_decides_by_key_then_source_then_kind(
    key: str, source: str, kind: str, authority: int, line: int
) -> None:
    rule = parse_authority(TEXT, NAME).deciding(parse_key(key), source, kind)
    assert rule is not None
    assert (rule.authority, rule.line) == (authority, line)


def test_of_equally_specific_rules_the_first_in_the_file_decides() -> None:
    rules = parse_authority('[[rule]]\nkey="a*"\nauthority=1\n[[rule]]\nkey="*a"\nauthority=2\n', NAME)
    found = rules.explain(Key("a", "a"), "x", "document")
    assert [(v.rule.line, v.decides, v.reason) for v in found] == [
        (1, True, "the most specific rule that matches"),
        (4, False, "later in the file than line 1"),
    ]


def test_each_rule_that_does_not_decide_says_why() -> None:
    found = parse_authority(TEXT, NAME).explain(STATE, "contracts/a.pdf", "document")
    assert {v.rule.line: v.reason for v in found} == {
        14: "its key doesn't match",
        9: "the most specific rule that matches",
        5: "less specific in its source than line 9",
        19: "its kind doesn't match",
        2: "less specific in its key than line 9",
    }


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        ("a#b", "a#b", True),
        ("a#b", "a#b@c", False),
        ("a#?", "a#b", True),
        ("a#?", "a#", False),
        ("*#b", "x.y#b", True),
        ("a.c#b", "abc#b", False),
        ("[ab]#c", "a#c", False),
        ("a***#b", "a\n#b", True),
    ],
)
def test_a_star_stands_for_any_characters_a_question_mark_for_one_and_all_else_for_itself(
    pattern: str, text: str, matches: bool
) -> None:
    entity, _, attribute = text.partition("#")
    rules = parse_authority(f"[[rule]]\nkey='{pattern}'\nauthority=1", NAME)
    assert (rules.deciding(Key(entity, attribute), "x", "y") is not None) is matches


def test_the_most_specific_default_answers() -> None:
    rules = parse_authority(TEXT, NAME)
    asked = {name: rules.default(parse_key(name)) for name in ("vendor:a#currency", "shop#currency", "shop#name")}
    assert asked == {"vendor:a#currency": '"EUR"', "shop#currency": '"USD"', "shop#name": None}


def test_a_candidate_weighs_as_its_strongest_source_does_under_the_rules() -> None:
    rules = parse_authority(TEXT, NAME)
    weak, strong = Voice("a.md", "document", 90, 7), Voice("contracts/a.pdf", "document", 0, 5)
    (found,) = rules.weigh([said("x", weak, strong)])
    assert (found.authority, found.observed_at) == (3, 5)


def test_what_no_rule_speaks_of_keeps_what_it_was_written_with() -> None:
    rules = parse_authority('[[rule]]\nsource="contracts/*"\nauthority=3', NAME)
    for known in (rules, UNCONFIGURED):
        (found,) = known.weigh([said("x", Voice("a.md", "document", 90, 7))])
        assert (found.authority, found.observed_at) == (90, 7)


def test_a_conclusion_is_a_source_of_its_own_kind() -> None:
    rules = parse_authority('[[rule]]\nkind="conclusion"\nauthority=-1', NAME)
    summary, seen = said("sum", role=Role.SUMMARY, authority=50), said("seen", Voice("a", "document", 0, 1))
    assert believe(STATE, UNCONFIGURED.weigh([summary, seen])).value == "sum"
    assert believe(STATE, rules.weigh([summary, seen])).value == "seen"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("[[rule]]\nauthority = = 1", 2, "isn't TOML"),
        ("[[rule]]\nauthority = 1\n\n[[rule]]\nkey = 'a*'\n", 4, "says no authority"),
        ("[[rule]]\nauthority = 1\nkey = 7\n", 3, "key must be text"),
        ("[[rule]]\nauthority = true\n", 2, "authority must be a whole number"),
        ("[[rule]]\nauthority = 1.5\n", 2, "authority must be a whole number"),
        ("[[rule]]\nauthority = 1\nsources = 'a'\n", 3, "no field 'sources'"),
        ("[[rule]]\nauthority = 1\nkey = ''\n", 3, "key is empty"),
        ("[[rule]]\nauthority = 10000000000\n", 2, "out of range"),
        ("[[rule]]\nauthority = 1\n[[rule]]\nauthority = 2\n", 3, "line 1 speaks of the same"),
        ("# rules\n[rule]\nauthority = 1\n", 1, "isn't a list"),
        ("[[default]]\nkey = 'a'\n", 1, "says no value"),
        ("[[default]]\nkey = 'a'\nvalue = 2026-01-01\n", 3, "isn't JSON"),
        ("[[rules]]\nauthority = 1\n", 1, "'rules' isn't a list of rules or defaults"),
    ],
)
def test_an_error_names_the_file_the_line_and_what_to_do(text: str, line: int, words: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_authority(text, NAME)
    assert str(caught.value).startswith(f"{NAME}, line {line}: ")
    assert words in str(caught.value)
    assert caught.value.hint
