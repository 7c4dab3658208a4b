"""The command line as a whole. Lives here: joining commands, their options and the global ones to typer, and running
one. Lives elsewhere: the commands (writes, reads, audits, moves, tour) and what their ends mean (failures)."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Sequence
from functools import partial
from inspect import Parameter, Signature
from pathlib import Path
from typing import Annotated, Any

import typer

from graphmem import __version__
from graphmem.entrances.cli import (
    admission,
    audits,
    authority,
    conflicts,
    consents,
    consolidation,
    extraction,
    failures,
    forgetting,
    jobs,
    moves,
    neo4j,
    options,
    reads,
    review,
    writes,
)
from graphmem.entrances.cli.call import Call, Command
from graphmem.entrances.cli.output import Output

ABOUT = """A knowledge-graph memory: evidence paths, exact truth maintenance, honest recall.

Exit codes: 0 fine, 1 the answer is no or nothing, 2 wrong use, 3 refused or conflict, 4 store trouble."""


def tour(
    call: Call,
    folder: Annotated[str | None, typer.Option(metavar="PATH", help="A new folder for the tour's memory.")] = None,
) -> int:
    """Show graphmem at work on the sample memories."""
    from graphmem.entrances.cli.tour import run as take

    return take(call, Path(folder) if folder else None)


COMMANDS = (
    *(c for c in moves.COMMANDS if c.name == "ingest"),
    *writes.COMMANDS,
    *consolidation.COMMANDS,
    *extraction.COMMANDS,
    *forgetting.COMMANDS,
    *reads.COMMANDS,
    *audits.COMMANDS,
    *(c for c in moves.COMMANDS if c.name != "ingest"),
    jobs.MAINTAIN,
    Command("tour", tour, "graphmem tour"),
)
GROUPS = {
    group.NAME: (group.ABOUT, group.COMMANDS)
    for group in (admission, authority, conflicts, consents, jobs, neo4j, review)
} | {forgetting.NAME: (forgetting.ABOUT, forgetting.RECEIPT_COMMANDS)}
NAMES = frozenset(command.name for command in COMMANDS) | GROUPS.keys()


def run(arguments: Sequence[str]) -> int:
    """Run the command that the arguments name and return its exit code. No error escapes as a traceback."""
    _never_fail_to_print()
    command = next((word for word in arguments if word in NAMES), "graphmem")
    try:
        code = typer.main.get_command(build()).main(list(arguments) or ["--help"], "graphmem", standalone_mode=False)
        sys.stdout.flush()
    except BrokenPipeError:
        return failures.reader_left()
    except KeyboardInterrupt:
        return failures.interrupted()
    except Exception as error:
        return failures.tell(error, command, Output.choose(as_json=_wants_json(arguments), colour=False))
    return code or failures.FINE


def _never_fail_to_print() -> None:
    """Text that the terminal's encoding lacks is printed as escapes."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _wants_json(arguments: Sequence[str]) -> bool:
    end = arguments.index("--") if "--" in arguments else len(arguments)
    return "--json" in arguments[:end]


def build() -> typer.Typer:
    """The application; help has frames and colours at a terminal only."""
    markup: Any = "rich" if sys.stdout.isatty() else None
    app = typer.Typer(
        rich_markup_mode=markup,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root())
    for command in COMMANDS:
        app.command(command.name, epilog=f"Example: {command.example}")(_entry(command))
    for name, (about, commands) in GROUPS.items():
        group = typer.Typer(no_args_is_help=True, rich_markup_mode=markup, help=about)
        for command in commands:
            verb = command.name.removeprefix(f"{name} ")
            group.command(verb, epilog=f"Example: {command.example}")(_entry(command))
        app.add_typer(group, name=name)
    return app


def _root() -> Callable[..., None]:
    def root(ctx: typer.Context, version: bool, **said: Any) -> None:
        if version:
            sys.stdout.write(f"graphmem {__version__}\n")
            raise typer.Exit
        ctx.obj = said

    shown = typer.Option("--version", "-V", help="Print the version.")
    return _signed(
        root,
        ABOUT,
        Parameter("ctx", Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context),
        Parameter("version", Parameter.KEYWORD_ONLY, default=False, annotation=Annotated[bool, shown]),
        *options.GLOBAL,
    )


def _entry(command: Command) -> Callable[..., int]:
    """The function that typer calls: it takes a command's own arguments, its options and the global ones."""
    own = inspect.signature(command.run, eval_str=True).parameters.values()
    words = [p for p in own if p.name != "call" and p.kind is Parameter.POSITIONAL_OR_KEYWORD]

    def entry(ctx: typer.Context, **said: Any) -> int:
        before: dict[str, Any] = ctx.obj or {}
        everywhere: dict[str, Any] = {p.name: said.pop(p.name) or before.get(p.name) for p in options.GLOBAL}
        return _guarded(partial(command.run, **said), command.name, **everywhere)

    return _signed(
        entry,
        inspect.getdoc(command.run) or "",
        Parameter("ctx", Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context),
        *words,
        *command.options,
        *options.GLOBAL,
    )


def _guarded(work: Callable[[Call], int], name: str, *, json: bool, no_color: bool, **where: Any) -> int:
    """Run a command to its exit code; errors and Ctrl-C are told here, in the form that was asked for."""
    out = Output.choose(as_json=json, colour=not no_color)
    try:
        code = work(Call(name, out, **where))
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        return failures.reader_left()
    except KeyboardInterrupt:
        return failures.interrupted()
    except Exception as error:
        return failures.tell(error, name, out)


def _signed(function: Callable[..., Any], about: str, *parameters: Parameter) -> Callable[..., Any]:
    """The function with a signature that typer can read options from."""
    function.__doc__ = about
    function.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    function.__annotations__ = {p.name: p.annotation for p in parameters}
    return function
