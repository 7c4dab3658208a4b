"""What a command's end means. Lives here: the exit codes, the one table from error to code, and how an error is told.
Lives elsewhere: the errors themselves (core.errors)."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Mapping
from typing import Any

from graphmem.core import errors
from graphmem.core.errors import Conflict, GraphmemError, InvalidInput, NotFound, NotPermitted
from graphmem.entrances.cli.blocks import printable
from graphmem.entrances.cli.output import Form, Output

FINE = 0
NOTHING = 1
WRONG_USE = 2
REFUSED = 3
STORE_TROUBLE = 4
OUR_FAULT = 70  # EX_SOFTWARE of sysexits.h
INTERRUPTED = 130  # 128 + SIGINT, as shells report it

EXIT_CODES: Mapping[type[GraphmemError], int] = {
    errors.InvalidInput: WRONG_USE,
    errors.NotFound: WRONG_USE,
    errors.Unsupported: WRONG_USE,
    errors.NotPermitted: REFUSED,
    errors.Conflict: REFUSED,
    errors.LeaseLost: REFUSED,
    errors.StoreUnavailable: STORE_TROUBLE,
    errors.CommitUnknown: STORE_TROUBLE,
    errors.CorruptStore: STORE_TROUBLE,
    errors.DeadlineExceeded: STORE_TROUBLE,
    errors.IndexBehind: STORE_TROUBLE,
    errors.ProviderError: STORE_TROUBLE,
}


def tell(error: BaseException, command: str, out: Output) -> int:
    """Say what went wrong, on standard error or as the JSON document, and return the exit code."""
    known = translated(error, command)
    if os.environ.get("GRAPHMEM_DEBUG"):
        traceback.print_exception(error)
    if out.form is Form.JSON:
        out.document(command, error=error_json(known))
    else:
        sys.stderr.write(f"error: {printable(str(known))}\n")
        if known.hint:
            sys.stderr.write(f"hint: {printable(known.hint)}\n")
    return EXIT_CODES.get(type(known), OUR_FAULT)


def translated(error: BaseException, command: str) -> GraphmemError:
    """The error as one of ours: wrong arguments and files that can't be used are wrong use, the rest is a fault of
    ours."""
    if isinstance(error, GraphmemError):
        return error
    if hasattr(error, "format_message"):  # what typer raises for a wrong command line
        return InvalidInput(str(error.format_message()), hint=f"see: {_help(command)}")
    if isinstance(error, FileNotFoundError):
        return NotFound(f"there is no file {error.filename}", hint="check the path")
    if isinstance(error, PermissionError):
        return NotPermitted(f"{error.filename} may not be used", hint="check its permissions")
    if isinstance(error, OSError):
        return InvalidInput(f"{error.filename or 'output'}: {error.strerror or type(error).__name__}")
    return GraphmemError(
        f"graphmem met a fault of its own ({type(error).__name__})",
        hint="GRAPHMEM_DEBUG=1 shows where; please report it",
    )


def _help(command: str) -> str:
    return "graphmem --help" if command == "graphmem" else f"graphmem {command} --help"


def error_json(error: GraphmemError) -> dict[str, Any]:
    """An error for programs; a Conflict carries the current head and its version."""
    shown: dict[str, Any] = {
        "code": error.code,
        "message": str(error),
        "hint": error.hint,
        "retryable": error.retryable,
    }
    if isinstance(error, Conflict):
        shown |= {"head": error.head or None, "version": error.version}
    return shown


def interrupted() -> int:
    """End after Ctrl-C. What was acknowledged is kept; what was under way is not."""
    sys.stderr.write("interrupted: nothing of the unfinished step was kept\n")
    return INTERRUPTED


def reader_left() -> int:
    """End quietly when whoever read our output has gone (as `| head` does)."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return FINE
