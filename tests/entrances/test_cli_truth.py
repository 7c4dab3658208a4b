"""authority and conflicts on the command line: what they say, their documents and exit codes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.entrances.conftest import ROOT, Cli

RULES = '[[rule]]\nsource = "contracts/*"\nauthority = 80\n\n[[default]]\nkey = "shop#currency"\nvalue = "EUR"\n'
NOTICE = "vendor:northwind#notice-days"


def result(cli: Cli, *words: str, code: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = cli.json(*words, code=code)["result"]
    return found


@pytest.fixture
def rules(tmp_path: Path) -> str:
    path = tmp_path / "authority.toml"
    path.write_text(RULES, encoding="utf-8")
    return str(path)


@pytest.fixture
def sides(cli: Cli) -> list[str]:
    """90 days by contract, then 30 by mail."""
    contract = cli.remember("Notice: 90 days.", "--key", NOTICE, "--value", "90", "--source", "contracts/n.pdf")
    return [contract, cli.remember("Notice: 30 days.", "--key", NOTICE, "--value", "30", "--source", "mail/7")]


def test_check_shows_what_would_change_and_the_setting_puts_it_in_force(
    cli: Cli, rules: str, sides: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    checked = result(cli, "authority", "check", rules)
    assert [(c["key"], c["old"]["value"], c["new"]["value"]) for c in checked["changes"]] == [(NOTICE, 30, 90)]
    assert (checked["rules"], checked["defaults"], checked["in_force"], checked["partial"]) == (1, 1, None, False)
    assert f"{NOTICE}: 30 -> 90" in cli("authority", "check", rules).out
    assert result(cli, "believe", NOTICE)["value"] == 30
    monkeypatch.setenv("GRAPHMEM_AUTHORITY", rules)
    believed = result(cli, "believe", NOTICE)
    assert (believed["winner"]["id"], believed["winner"]["authority"]) == (sides[0], 80)
    assert result(cli, "authority", "check")["changes"] == []
    default = result(cli, "believe", "shop#currency", code=1)
    assert (default["value"], default["is_default"]) == ("EUR", True)


def test_check_is_partial_where_more_keys_are_in_dispute(cli: Cli, rules: str, sides: list[str]) -> None:
    for value in "12":
        cli.remember(f"It is {value}.", "--key", "a#b", "--value", value)
    first = result(cli, "authority", "check", rules, "--limit", "1")
    assert (first["changes"], first["looked_at"], first["count"], first["after"]) == ([], 1, 2, "a#b")
    assert first["partial"]
    assert "go on with --after 'a#b'" in cli("authority", "check", rules, "--limit", "1").out
    rest = result(cli, "authority", "check", rules, "--limit", "1", "--after", "a#b")
    assert ([c["key"] for c in rest["changes"]], rest["partial"]) == ([NOTICE], False)


def test_a_bad_file_is_wrong_use_and_names_the_line(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "bad.toml"
    path.write_text("# rules\n[[rule]]\nauthority = 'much'\n", encoding="utf-8")
    ran = cli("authority", "check", str(path), "--memory", "memory:")
    assert ran.code == 2
    assert f"{path}, line 3: authority must be a whole number" in ran.err
    monkeypatch.setenv("GRAPHMEM_AUTHORITY", str(path))
    assert cli("remember", "anything").code == 2
    monkeypatch.setenv("GRAPHMEM_AUTHORITY", str(tmp_path / "none.toml"))
    assert cli("status").code == 2


def test_explain_names_the_rule_that_decides_and_why_others_do_not(cli: Cli, rules: str) -> None:
    found = result(cli, "authority", "explain", NOTICE, "contracts/n.pdf", "--file", rules)
    assert found["authority"] == 80
    assert [(r["line"], r["decides"]) for r in found["rules"]] == [(1, True)]
    other = result(cli, "authority", "explain", "shop#currency", "mail/7", "--file", rules, code=1)
    assert (other["authority"], other["default"], other["rules"][0]["reason"]) == (
        None, "EUR", "its source doesn't match"
    )  # fmt: skip
    assert "line 1" in cli("authority", "explain", NOTICE, "mail/7", "--file", rules).out


def test_the_queue_shows_both_sides_and_is_empty_once_decided(cli: Cli, sides: list[str]) -> None:
    listed = result(cli, "conflicts", "list")
    (found,) = listed["conflicts"]
    assert (found["key"], found["open"], found["component"]) == (NOTICE, True, "observed_at")
    assert [side["candidate"]["id"] for side in found["sides"]] == sides[::-1]
    assert [side["sources"][0]["locator"] for side in found["sides"]] == ["mail/7", "contracts/n.pdf"]
    text = cli("conflicts", "show", NOTICE)
    assert text.code == 0
    assert "authority failed to decide; for now it answers by observed_at" in text.out
    assert "from contracts/n.pdf (document)" in text.out
    decide = ("conflicts", "resolve", NOTICE, "--keep", sides[0], "--reason", "It is signed.")
    assert result(cli, *decide, "--dry-run")["commit"] == 0
    assert result(cli, *decide)["changed"]
    assert result(cli, "conflicts", "list", code=1)["conflicts"] == []
    assert result(cli, "conflicts", "list", "--all")["conflicts"][0]["settled_by"] == "resolution"
    assert result(cli, "believe", NOTICE)["winner"]["text"] == "It is signed."


def test_a_decision_needs_a_conflict_a_side_a_reason_and_enough_authority(
    cli: Cli, tmp_path: Path, sides: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    resolve = ("conflicts", "resolve")
    assert cli(*resolve, "a#b", "--value", "1", "--reason", "so").code == 2
    assert cli(*resolve, NOTICE, "--reason", "so").code == 2
    assert cli(*resolve, NOTICE, "--value", "1", "--keep", sides[0], "--reason", "so").code == 2
    assert cli(*resolve, NOTICE, "--keep", "r-0123456789abcdef0123", "--reason", "so").code == 2
    assert cli(*resolve, NOTICE, "--value", "1").code == 2
    path = tmp_path / "authority.toml"
    path.write_text(f'{RULES}[[rule]]\nsource = "writer:*"\nauthority = 5\n', encoding="utf-8")
    monkeypatch.setenv("GRAPHMEM_AUTHORITY", str(path))
    refused = cli(*resolve, NOTICE, "--value", "30", "--reason", "so")
    assert refused.code == 3
    assert "has authority 5" in refused.err


def test_claims_wait_with_what_is_believed_instead(cli: Cli, sides: list[str]) -> None:
    claim = cli.remember("I was told 7.", "--role", "claim", "--key", NOTICE, "--value", "7", "--source", "mail/8")
    listed = result(cli, "conflicts", "list", "--claims")
    assert [task["claim"]["candidate"]["id"] for task in listed["claims"]] == [claim]
    assert listed["claims"][0]["belief"]["value"] == 30
    assert f"{NOTICE}: claimed 7, believed 30" in cli("conflicts", "list", "--claims").out
    assert cli("conflicts", "show", "a#b").code == 1


def test_the_rules_of_the_how_to_page_are_valid(cli: Cli, tmp_path: Path) -> None:
    page = (ROOT / "docs/how-to/authority.md").read_text(encoding="utf-8")
    path = tmp_path / "page.toml"
    path.write_text(page.partition("```toml\n")[2].partition("```")[0], encoding="utf-8")
    checked = result(cli, "authority", "check", str(path), "--memory", "memory:")
    assert (checked["rules"], checked["defaults"]) == (4, 1)


def test_consolidate_shows_the_summary_and_its_evidence_once(cli: Cli) -> None:
    seen = cli.remember("It has 20 connections. It is new.", "--key", "pool#size", "--value", "20", "--source", "n/7")
    dry = result(cli, "consolidate", "pool#size", "--dry-run")
    assert (dry["text"], dry["value"], dry["cites"]) == ("It has 20 connections.", 20, [seen])
    made = result(cli, "consolidate", "pool#size")
    assert (made["accepted"], made["refused"], made["written"]["changed"]) == (True, None, True)
    assert result(cli, "believe", "pool#size")["winner"]["id"] == made["written"]["id"]
    again = cli("consolidate", "pool#size")
    assert (again.code, "It has 20 connections." in again.out) == (1, True)
