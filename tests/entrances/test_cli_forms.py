"""What reaches a terminal, a pipe and a file: colours and frames only where a person looks, no
power to foreign text."""

from __future__ import annotations

import pytest

from graphmem.entrances.cli.blocks import Tree, first_line, guides, line, plain, printable
from tests.entrances.conftest import SEED, Cli

HOSTILE = "\x1b[31mred\x1b]0;title\x07 [bold]b[/bold] \x9b2J \u202eevil \x00end"
HARMLESS = r"\x1b[31mred\x1b]0;title\x07 [bold]b[/bold] \x9b2J \u202eevil " + "\u2400end"
ESCAPES = ("\x1b]0;", "\x9b", "\x07", "\u202e", "\x00")
QUESTION = "Which test exercised the method that changed, and did it pass?"


def test_everything_but_record_text_is_ascii_when_piped(cli: Cli, pool: dict[str, str]) -> None:
    cli("ingest", str(SEED / "pool/r18"), "--repository", "pool")
    asked = (
        ["recall", QUESTION],
        ["why", pool["progress-note"]],
        ["believe", "ConnectionPool#stalled-waiter@c17"],
        ["retract", pool["run-r18"]],
        ["why-not", pool["progress-note"]],
        ["status"],
        ["export"],
    )
    for words in asked:
        ran = cli(*words)
        assert ran.out
        assert ran.out.isascii(), words
        assert "\x1b" not in ran.out


def test_a_real_pipe_gets_plain_text_and_no_progress(cli: Cli) -> None:
    run = cli.pipe("ingest", str(SEED / "pool/r17"), FORCE_COLOR="1")
    assert run.returncode == 0
    assert run.stderr == b""
    assert run.stdout.startswith(b"ingested r17 at ")
    assert run.stdout.isascii()


def test_other_scripts_are_kept_and_escaped_where_the_encoding_lacks_them(cli: Cli) -> None:
    text = "\u4e2d\u6587 \u0639\u0631\u0628\u064a \U0001f680"
    cli.remember(text, "--key", "a#b", "--value", text)
    assert text in cli.pipe("believe", "a#b").stdout.decode("utf-8")
    escaped = cli.pipe("believe", "a#b", PYTHONIOENCODING="ascii")
    assert escaped.returncode == 0
    assert rb"\u4e2d\u6587" in escaped.stdout
    assert escaped.stdout.isascii()


@pytest.mark.parametrize("command", ["recall", "why", "believe", "export", "status"])
def test_hostile_text_has_no_power_in_a_pipe(cli: Cli, command: str) -> None:
    name = cli.remember(HOSTILE, "--key", "a#b", "--value", HOSTILE, "--source", HOSTILE, "--condition", f"c={HOSTILE}")
    words = {"recall": ["red title"], "why": [name], "believe": ["a#b"]}.get(command, [])
    for ran in (cli(command, *words), cli(command, *words, "--json") if command != "export" else cli(command)):
        assert ran.code == 0
        assert not [mark for mark in (*ESCAPES, "\x1b") if mark in ran.out]
    if command in ("recall", "why"):
        assert HARMLESS in cli(command, *words).out


def test_hostile_words_in_errors_have_no_power(cli: Cli) -> None:
    cli.remember("Words.")
    for words in (["why", f"r-{HOSTILE}"], ["ingest", HOSTILE.replace("\x00", "")], ["believe", HOSTILE], [HOSTILE]):
        ran = cli(*words)
        assert ran.code == 2
        assert not [mark for mark in (*ESCAPES, "\x1b") if mark in ran.err]


def test_a_terminal_gets_colours_and_trees_and_no_foreign_escapes(cli: Cli) -> None:
    seen = cli.remember(HOSTILE)
    name = cli.remember("A [red]conclusion[/red].", "--role", "summary", "--because", seen)
    received = cli.terminal("why", name)
    assert "\x1b[32mGROUNDED\x1b[0m" in received
    assert "\u2514\u2500\u2500 " in received
    assert "A [red]conclusion[/red]." in received
    assert r"\x1b[31mred" in received
    assert not [mark for mark in ESCAPES if mark in received]


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=str)
def test_colour_is_left_out_where_the_environment_says_so(cli: Cli, environment: dict[str, str]) -> None:
    name = cli.remember("Words.")
    assert "\x1b" not in cli.terminal("why", name, **environment)


def test_no_color_leaves_out_colour(cli: Cli) -> None:
    name = cli.remember("Words.")
    assert "\x1b" not in cli.terminal("why", name, "--no-color")


def test_json_at_a_terminal_is_the_document_and_nothing_else(cli: Cli) -> None:
    received = cli.terminal("ingest", str(SEED / "pool/r17"), "--json")
    assert received.startswith('{"graphmem": 1, "command": "ingest", ')
    assert received.count("\n") == 1


def test_progress_is_shown_at_a_terminal(cli: Cli) -> None:
    assert "reading" in cli.terminal("ingest", str(SEED / "pool/r17"))
    assert "importing" in cli.terminal("import", str(SEED / "calendar.jsonl"))


def test_help_at_a_terminal_has_frames_and_in_a_pipe_none(cli: Cli) -> None:
    assert "\u256d" in cli.terminal("recall", "--help")
    assert cli.pipe("recall", "--help").stdout.isascii()


def test_long_texts_are_cut_with_a_mark_that_says_how_much_is_left(cli: Cli) -> None:
    cli.remember("\n".join(f"row {n} of the report" for n in range(100)))
    out = cli("recall", "report").out
    assert "| row 7 of the report\n" in out
    assert "row 8 " not in out
    hidden = sum(len(f"row {n} of the report") + 1 for n in range(8, 100))
    assert f"[{hidden} characters more; --json gives the whole text]" in out


def test_a_first_line_says_when_something_follows() -> None:
    assert first_line("  one\ntwo") == "one ..."
    assert first_line("one") == "one"
    assert first_line("x" * 200) == "x" * 100 + " ..."
    assert first_line("") == ""


def test_printable_text_keeps_every_script_and_shows_what_acts() -> None:
    assert printable("\u4e2d\u6587 \u0639 \U0001f468\u200d\U0001f680 caf\u00e9") == (
        "\u4e2d\u6587 \u0639 \U0001f468\u200d\U0001f680 caf\u00e9"
    )
    assert printable("\x1b[0m\r\n\x7f\x85\u2028\udcff") == r"\x1b[0m\x0d\x0a\x7f\x85\u2028\udcff"


def test_guides_show_which_branches_go_on() -> None:
    depths = (0, 1, 2, 2, 1, 2)
    tree = Tree(tuple((depth, line(str(n))) for n, depth in enumerate(depths)))
    assert list(plain([tree])) == ["0", "|-- 1", "|   |-- 2", "|   `-- 3", "`-- 4", "    `-- 5"]
    assert guides(Tree(())) == []


def test_a_tree_deeper_than_can_be_drawn_says_how_deep_it_is() -> None:
    tree = Tree(tuple((depth, line("x")) for depth in range(2_000)))
    assert list(plain([tree]))[-1].strip() == "`-- [depth 1999] x"
