"""Forgetting on the command line: what is shown before, what is asked, and what the receipt says after."""

from __future__ import annotations

from tests.entrances.conftest import Cli

ASKED = ("--reason", "The person asked for it.")


def told(cli: Cli) -> tuple[str, str]:
    """A statement about a person, and a summary made of it."""
    home = cli.remember("Ada lives in Rome.", "--key", "ada#home", "--value", "Rome", "--subject", "ada")
    return home, cli.remember("Ada is a Roman.", "--role", "summary", "--because", home)


def test_a_dry_run_shows_what_the_deletion_then_does(cli: Cli) -> None:
    home, summary = told(cli)
    dry = cli.result("forget", home, *ASKED, "--dry-run")
    done = cli.result("forget", home, *ASKED, "--yes")
    assert (done["erased"], done["scrubbed"]) == ([home], [summary])
    assert {**dry, "written": None} == {**done, "written": None}
    assert dry["written"]["fell"] == done["written"]["fell"] == sorted([home, summary])


def test_nothing_is_erased_without_a_yes_where_nobody_can_be_asked(cli: Cli) -> None:
    home, _ = told(cli)
    ran = cli("forget", home, *ASKED)
    assert (ran.code, "--yes" in ran.err) == (3, True)
    assert "Rome" in cli("believe", "ada#home").out


def test_a_subject_leaves_nothing_and_why_not_names_the_receipt(cli: Cli) -> None:
    home, _ = told(cli)
    done = cli.result("forget", "--subject", "ada", *ASKED, "--yes")
    assert "Rome" not in cli("export").out
    assert done["receipt"][:10] in cli("why-not", home).out
    assert cli.result("forget", "--subject", "ada", *ASKED, "--yes", code=1)["receipt"] == done["receipt"]


def test_a_receipt_is_listed_shown_and_verified(cli: Cli) -> None:
    home, summary = told(cli)
    receipt = cli.result("forget", home, *ASKED, "--yes")["receipt"]
    listed = cli.json("receipt", "list")["result"]["receipts"]
    shown = cli.json("receipt", "show", receipt[:12])["result"]
    assert listed == [shown]
    assert (shown["erased"], shown["scrubbed"], shown["looks"][0]["found"]) == ([home], [summary], "nothing")
    assert cli.json("receipt", "verify", receipt)["result"]["remains"] == []
    assert "ok" in cli("receipt", "verify", receipt).out


def test_what_was_forgotten_comes_back_only_with_an_override(cli: Cli) -> None:
    home, _ = told(cli)
    cli("forget", home, *ASKED, "--yes")
    again = ("remember", "ada lives in  Rome.", "--value", "Rome")
    assert cli(*again).code == 3
    assert cli(*again, "--override", "She moved back.").code == 0
    assert "She moved back." in cli("export").out


def test_a_withdrawal_asks_erases_and_is_listed(cli: Cli) -> None:
    assert cli.json("consent", "give", "ann", "preferences")["result"]["changed"] is True
    cli.remember("She likes tea.", "--subject", "ann", "--consent", "preferences")
    (listed,) = cli.json("consent", "list")["result"]["consents"]
    assert (listed["subject"], listed["purpose"], listed["given"]) == ("ann", "preferences", True)
    assert cli("consent", "withdraw", "ann").code == 3
    (dry,) = cli.json("consent", "withdraw", "ann", "--dry-run")["result"]["withdrawn"]
    (done,) = cli.json("consent", "withdraw", "ann", "--yes")["result"]["withdrawn"]
    assert len(done["deletion"]["erased"]) == 1
    assert done["deletion"]["erased"] == dry["deletion"]["erased"]
    assert "withdrawn since" in cli("consent", "list", "--subject", "ann").out
    refused = cli("remember", "She likes milk.", "--subject", "ann", "--consent", "preferences")
    assert refused.code == 3
