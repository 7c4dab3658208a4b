"""The command line. Lives here: the entry point, which answers --version before anything is loaded. Lives elsewhere:
the commands (writes, reads, moves, tour), their options, what people see (show) and what machines read (shapes)."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from graphmem import __version__

VERSION_FLAGS = (["-V"], ["--version"])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; see `graphmem.entrances.cli.failures` for what the codes mean."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given in VERSION_FLAGS:
        sys.stdout.write(f"graphmem {__version__}\n")
        return 0
    from graphmem.entrances.cli.app import run

    return run(given)
