"""A guided tour on the sample memories. Lives here: its steps, each the command that does the same, and its words
between them. Lives elsewhere: the renderers and shapes, which are those of the commands, and the samples (seed/)."""

from __future__ import annotations

import tempfile
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from importlib.resources import files
from itertools import takewhile
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from graphmem.core.envelope import envelope_json
from graphmem.core.errors import InvalidInput, NotFound, NotPermitted
from graphmem.core.labels import shape
from graphmem.entrances.cli import progress, shapes, show, show_proof, show_recall
from graphmem.entrances.cli.blocks import Block, Part, line
from graphmem.entrances.cli.call import Call
from graphmem.entrances.cli.failures import FINE, OUR_FAULT

if TYPE_CHECKING:
    from graphmem.memory import Memory

QUESTION = "Which test exercised the method that r18 changed, and did it pass?"
VENDOR = "vendor:northwind#legal-name"
MEETINGS = "user-42#no-meetings-before@calendar:"
RECORDS, BUDGET = 5, 1_500
CHECKOUT_QUESTION = "What calls personalized_pagerank?"
CHECKOUT_RECORDS = 3
# The New York rule before and after its change, its exception, and London, each at an instant.
CALENDAR = (
    ("new-york", "2026-02-10", "in February, New York"),
    ("new-york", "2026-04-10", "in April, New York: the rule changed, and February's answer stays what it was"),
    ("new-york/fridays", "2026-04-10", "on a Friday in April, New York: an exception has a scope of its own"),
    ("london", "2026-04-10", "in April, London: another calendar, another rule"),
)


@dataclass(slots=True)
class _Tour:
    """The tour under way: the memory, the samples, the steps taken so far, and what the samples' refs stand for."""

    call: Call
    memory: Memory
    seed: Path
    steps: list[dict[str, Any]] = field(default_factory=list)
    ids: dict[str, str] = field(default_factory=dict)

    def heading(self, words: str) -> None:
        self.call.out.say([line(), line(Part(f"== {words}", "head"))])

    def step(self, title: str, shell: str, result: Mapping[str, Any], blocks: Iterable[Block]) -> None:
        """Show one step: what it is about, the command that does the same, and the answer."""
        command = shell.partition("graphmem ")[2].split()[0]
        self.steps.append({"title": title, "shell": shell, "command": command, "result": dict(result)})
        self.call.out.say([line(), line(Part(f"# {title}", "dim")), line(Part(f"$ {shell}", "id"))])
        self.call.out.say(blocks)

    # Building.

    def ingest(self, title: str, path: Path, shown: str, repository: str, revision: str = "") -> None:
        with progress.files(self.call.out) as (on_listed, on_file):
            report = self.memory.ingest(
                path, repository=repository, revision=revision, on_listed=on_listed, on_file=on_file
            )
        shell = f"graphmem ingest {shown} --repository {repository}"
        shell += f" --revision {revision}" if revision else ""
        held = self.memory.held_all(report.fell)
        self.step(title, shell, shapes.ingest_json(report), show.ingested(report, held))

    def load(self, title: str, shell: str, lines: Iterable[str]) -> None:
        report = self.memory.import_lines(lines)
        self.ids.update(report.ids)
        self.step(title, shell, shapes.import_json(report), show.imported(report))

    def lines(self, name: str) -> list[str]:
        return (self.seed / name).read_text(encoding="utf-8").splitlines()

    # Asking.

    def recall(self, title: str, question: str, limit: int) -> None:
        found = self.memory.recall(question, limit=limit, budget=BUDGET)
        shell = f"graphmem recall {quote(question)} --limit {limit} --budget {BUDGET}"
        self.step(title, shell, envelope_json(found), show_recall.envelope(found))

    def believe(self, title: str, key: str, *, at: str | None = None, known_at: int | None = None) -> None:
        found = self.memory.believe(key, at=at, known_at=known_at)
        shell = f"graphmem believe {quote(key)}"
        shell += f" --at {at}" if at else ""
        shell += f" --known-at {known_at}" if known_at else ""
        self.step(title, shell, shapes.belief_json(found), show.belief(found))

    def why(self, title: str, verb: str, ref: str) -> None:
        found = self.memory.why(self.ids[ref])
        self.step(title, f"graphmem {verb} {self.short(ref)}", shapes.why_json(found), show_proof.why(found))

    def turn(self, title: str, verb: str, ref: str) -> None:
        done = getattr(self.memory, verb)(self.ids[ref])
        held = self.memory.held_all([*done.fell, *done.rose])
        shell = f"graphmem {verb} {self.short(ref)}"
        self.step(title, shell, shapes.written_json(done), show.written(done, held))

    def short(self, ref: str) -> str:
        return self.ids[ref][: show.ID_CHARS]

    def labels(self) -> dict[str, object]:
        """The label of every record that came from a sample file, as two stores must agree on it."""
        return {name: shape(held.label) for name, held in self.memory.held_all(self.ids.values()).items()}


def run(call: Call, folder: Path | None) -> int:
    """Take the tour in a new folder (by default one under the folder for temporary files) and return the exit code.

    Raises NotPermitted when the folder is there and isn't empty, InvalidInput together with --memory.
    """
    if call.memory:
        raise InvalidInput("the tour makes a memory of its own", hint="say where with --folder PATH")
    seed = _seed()
    home = _fresh(folder)
    place = home / "memory.db"
    call.out.say(
        [
            line(Part("A tour of graphmem", "head"), f" in {home}"),
            line("To try its commands yourself, first say:"),
            line(f"export GRAPHMEM_MEMORY={quote(str(place))} SEED={quote(str(seed))}", indent=2),
        ]
    )
    with replace(call, memory=str(place)).open() as memory:
        tour = _Tour(call, memory, seed)
        _build(tour)
        _ask(tour)
        _look_at_checkout(tour)
        restored = _shake(tour)
    call.out.answer(
        call.command,
        {"folder": str(home), "memory": str(place), "restored": restored, "steps": tour.steps},
        _farewell(tour),
    )
    return FINE if restored else OUR_FAULT


def _seed() -> Path:
    """The samples: inside the installed package, or beside it in a checkout."""
    installed = Path(str(files("graphmem"))) / "seed"
    found = installed if installed.is_dir() else installed.parents[1] / "seed"
    if not found.is_dir():
        raise NotFound("the sample memories aren't installed", hint="install graphmem again")
    return found


def _fresh(folder: Path | None) -> Path:
    if folder is None:
        return Path(tempfile.mkdtemp(prefix="graphmem-tour-"))
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise NotPermitted(f"{folder} is there already", hint="name a folder that is new or empty")
    folder.mkdir(parents=True, exist_ok=True)
    return folder.resolve()


def _checkout() -> Path | None:
    """The project's own checkout, when the current folder lies inside one."""
    for folder in (Path.cwd(), *Path.cwd().parents):
        about = folder / "pyproject.toml"
        if about.is_file():
            project = tomllib.loads(about.read_text(encoding="utf-8")).get("project", {})
            return folder if project.get("name") == "graphmem" else None
    return None


def _build(tour: _Tour) -> None:
    tour.heading("Filling a memory")
    for revision, title in (
        ("r17", "A connection pool and its tests"),
        ("r18", "The same a day later: one method changed"),
    ):
        tour.ingest(title, tour.seed / "pool" / revision, f"$SEED/pool/{revision}", "pool", revision)
    tour.load(
        "What an agent saw and thought: a failing run at r17, a passing one at r18, a note, a hypothesis",
        "graphmem import $SEED/pool/records.jsonl",
        tour.lines("pool/records.jsonl"),
    )
    vendor = tour.lines("vendor.jsonl")
    before = list(takewhile(lambda text: '"corrected-name"' not in text, vendor))
    tour.load(
        "What was known of a vendor before anybody objected",
        f"head -n {len(before)} $SEED/vendor.jsonl | graphmem import -",
        before,
    )
    tour.load("The whole file: the user corrects the vendor's name", "graphmem import $SEED/vendor.jsonl", vendor)
    tour.load("Rules for two calendars", "graphmem import $SEED/calendar.jsonl", tour.lines("calendar.jsonl"))
    found = tour.memory.status()
    tour.step("What the memory holds now", "graphmem status", shapes.status_json(found), show.status(found))


def _look_at_checkout(tour: _Tour) -> None:
    """Read the project itself, where the tour is taken inside of it."""
    checkout = _checkout()
    if checkout is not None:
        tour.heading("Reading a real repository: the one that you are in")
        tour.ingest("This checkout of graphmem", checkout, quote(str(checkout)), "graphmem")
        tour.recall("A question about it", CHECKOUT_QUESTION, CHECKOUT_RECORDS)


def _ask(tour: _Tour) -> None:
    tour.heading("Asking: evidence as a path, each step with its origin, within a token budget")
    tour.recall("A question over several hops", QUESTION, RECORDS)
    tour.heading("Believing: one answer for a key, at any time, as known at any time")
    tour.believe("The vendor's legal name", VENDOR)
    corrected = tour.memory.believe(VENDOR).winner
    if corrected is not None:
        tour.believe("The same, as known just before the correction", VENDOR, known_at=corrected.commit - 1)
    tour.why("What became of the plan that cited the wrong name", "why-not", "plan-line-gmbh")
    for scope, at, title in CALENDAR:
        tour.believe(f"No meetings before, {title}", MEETINGS + scope, at=at)


def _shake(tour: _Tour) -> bool:
    """Retract an observation and reassert it; tell whether every label is what it was."""
    tour.heading("Retracting: what rests on an observation falls with it, and nothing else does")
    before = tour.labels()
    tour.why("What the progress note rests on", "why", "progress-note")
    tour.turn("Suppose that the passing run was a mistake", "retract", "run-r18")
    tour.why("Why the note fell", "why-not", "progress-note")
    tour.turn("The run was right after all", "reassert", "run-r18")
    tour.why("The note is back", "why", "progress-note")
    restored = tour.labels() == before
    told = Part("all as before", "good") if restored else Part("NOT as before", "bad")
    tour.call.out.say([line(), line(f"The labels of {len(before)} records compared: ", told)])
    return restored


def _farewell(tour: _Tour) -> list[Block]:
    commands = (
        "graphmem ingest . && graphmem recall 'a question about your own repository'",
        "graphmem remember 'What you saw.' --source where/you/saw/it",
        f"graphmem impact retract {tour.short('run-r17')}",
        "graphmem --help",
    )
    return [line(), line(Part("== What to type next", "head")), *(line(f"$ {c}", indent=2) for c in commands)]
