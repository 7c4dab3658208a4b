"""What the documents say works: every command line in them names a command and options that exist, links lead
somewhere, and the tutorial's story ends as it says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.entrances.conftest import ROOT, Cli

PAGES = sorted([ROOT / "README.md", ROOT / "ARCHITECTURE.md", ROOT / "seed/README.md", *(ROOT / "docs").rglob("*.md")])
# Of commands, which are named by two words.
GROUPS = {"admission", "authority", "conflicts", "consent", "jobs", "neo4j", "receipt", "review"}
LINE = re.compile(r"^\s*\$ graphmem (.+)$", re.MULTILINE)
LINK = re.compile(r"\]\(([^)#:]+)\)")


def command_lines(page: Path) -> list[list[str]]:
    text = page.read_text(encoding="utf-8").replace("\\\n", " ")
    return [shlex.split(line, comments=True) for line in LINE.findall(text)]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_commands_and_options_in_documents_exist(page: Path, cli: Cli) -> None:
    for words in command_lines(page):
        if words[0].startswith("-"):
            continue
        command = words[: 2 if words[0] in GROUPS else 1]
        told = cli(*command, "--help").out
        assert told, words
        options = {word.split("=")[0] for word in words if word.startswith("--")}
        known = set(re.findall(r"--[a-z][a-z-]*", told + cli("--help").out))
        assert options <= known, words


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_between_documents_lead_somewhere(page: Path) -> None:
    for link in LINK.findall(page.read_text(encoding="utf-8")):
        assert (page.parent / link).exists(), link


def test_the_tutorial_goes_as_it_is_told(cli: Cli) -> None:
    name = "vendor-23#legal-name"
    export = ("--value", "Northwind GmbH", "--source", "crm/export-2026-04", "--observed-at", "2026-04-02")
    old = cli.remember("The CRM lists the vendor as Northwind GmbH.", "--key", name, *export)
    cli("remember", "The sales team says Northwind will accept net 60.", "--role", "claim", "--source", "mail/17")
    draft = cli.remember("The contract draft names Northwind GmbH.", "--role", "summary", "--because", old)
    assert "Northwind GmbH" in cli("believe", name).out
    assert draft in cli("recall", "What does the contract draft call the vendor?").out
    fallen = cli("supersede", old, "It is Northwind B.V.", "--how", "correct", "--value", "Northwind B.V.").out
    assert draft[:10] in fallen
    assert "cascade" in cli("why-not", draft).out
    assert "Northwind B.V." in cli("believe", name).out
    assert "Northwind GmbH" in cli("believe", name, "--known-at", "1").out
