"""A command line to type into, for the tests of the entrances: in this process, as a pipe, and at a terminal."""

from __future__ import annotations

import io
import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from graphmem.entrances.cli import main

ROOT = Path(__file__).resolve().parents[2]
SEED = ROOT / "seed"
ENTRY = (sys.executable, "-m", "graphmem.entrances.cli")
CHUNK = 65_536


@cache
def schema() -> Draft202012Validator:
    text = (ROOT / "docs/reference/cli.schema.json").read_text(encoding="utf-8")
    return Draft202012Validator(json.loads(text))


@dataclass(frozen=True)
class Ran:
    """What one command did."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Cli:
    """Runs commands against a memory of its own; `json` also holds the document to the published schema."""

    memory: Path
    read: Callable[[], tuple[str, str]]
    patch: pytest.MonkeyPatch

    def __call__(self, *words: str, stdin: bytes = b"") -> Ran:
        self.patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = main(list(words))
        return Ran(code, *self.read())

    def json(self, *words: str, stdin: bytes = b"", code: int = 0) -> dict[str, Any]:
        ran = self(*words, "--json", stdin=stdin)
        document: dict[str, Any] = json.loads(ran.out)
        schema().validate(document)
        assert (ran.code, ran.err) == (code, ""), document
        assert ran.out.count("\n") == 1
        return document

    def result(self, *words: str, stdin: bytes = b"", code: int = 0) -> dict[str, Any]:
        document = self.json(*words, stdin=stdin, code=code)
        assert document["command"] == words[0]
        result: dict[str, Any] = document["result"]
        return result

    def remember(self, *words: str, code: int = 0) -> str:
        name: str = self.result("remember", *words, code=code)["id"]
        return name

    def pipe(self, *words: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
        """Run in a process of its own whose output is a pipe."""
        return subprocess.run(
            [*ENTRY, *words],
            cwd=self.memory.parent,
            env=self.environment(**environment),
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=60,
            check=False,
        )

    def terminal(self, *words: str, **environment: str) -> str:
        """Everything that a terminal receives from a command, in a process of its own."""
        ours, theirs = pty.openpty()
        env = self.environment(**{"TERM": "xterm", "COLUMNS": "100", **environment})
        with subprocess.Popen(
            [*ENTRY, *words],
            cwd=self.memory.parent,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=theirs,
            stderr=theirs,
        ):
            os.close(theirs)
            received = b"".join(iter(lambda: _read(ours), b""))
        os.close(ours)
        return received.decode("utf-8")

    def environment(self, **more: str) -> dict[str, str]:
        path = {"PYTHONPATH": str(ROOT), "GRAPHMEM_MEMORY": str(self.memory), "PYTHONIOENCODING": "utf-8"}
        return {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | path | more


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, CHUNK)
    except OSError:  # Linux reports a terminal whose other side is gone as an error
        return b""


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    memory = tmp_path / "memory.db"
    monkeypatch.setenv("GRAPHMEM_MEMORY", str(memory))
    monkeypatch.setenv("GRAPHMEM_WRITER", "tester")
    return Cli(memory, lambda: tuple(capsys.readouterr()), monkeypatch)


@pytest.fixture
def pool(cli: Cli) -> dict[str, str]:
    """The ids of the sample records of the connection pool, by their refs, in the memory of `cli`."""
    ids: dict[str, str] = cli.result("import", str(SEED / "pool/records.jsonl"))["ids"]
    return ids
