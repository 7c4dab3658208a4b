"""How well admission decides. Lives here: the labelled turns of seed/admission.jsonl run through a memory, precision
and recall by outcome for each part, whether any secret was kept, and what a check costs. Lives elsewhere: the checks
(graphmem.core.admission).

The rules were made on the part `dev`; `held-out` was written together with it, before the rules but by the same hand;
`blind` was written after the rules and is the one to believe.

The set holds no credential: `{{github-token}}` and its like are put together here, from a prefix in two parts and
digits that follow from a digest, so that no scanner of source code takes the set for a leak.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha512
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.harness import Promise, arguments, finish, show
from graphmem import Memory
from graphmem import open as open_memory
from graphmem.core.admission import Outcome
from graphmem.core.errors import NotPermitted

SET = Path(__file__).resolve().parents[1] / "seed" / "admission.jsonl"
WRITER, TENANT = "ann", "acme"
PARTS = ("dev", "held-out", "blind")
ROUNDS, QUICK_ROUNDS = 200, 20
CHECK_GOAL_US = 100.0  # of a short text without a secret
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
BESIDE = ("id", "part", "language", "outcome", "code", "text")
LONG = 1_000  # times that a sentence is repeated, for the cost per character


def synthetic(seed: str, length: int, alphabet: str = LETTERS) -> str:
    """Characters that follow from a seed; the last is a digit."""
    made, number = "", 0
    while len(made) < length:
        made += "".join(alphabet[b % len(alphabet)] for b in sha512(f"{seed} {number}".encode()).digest())
        number += 1
    return made[: length - 1] + "7"


UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
SECRETS: Mapping[str, str] = {
    "aws-key": "AK" + "IA" + synthetic("aws", 16, UPPER),
    "github-token": "gh" + "p_" + synthetic("github", 36),
    "slack-token": "xo" + "xb-" + synthetic("slack", 12, "0123456789") + "-" + synthetic("bot", 24),
    "stripe-key": "sk" + "_live_" + synthetic("stripe", 24),
    "google-key": "AI" + "za" + synthetic("google", 35),
    "openai-key": "s" + "k-" + synthetic("model", 48),
    "npm-token": "np" + "m_" + synthetic("npm", 36),
    "generic": synthetic("generic", 40),
    "bearer": synthetic("bearer", 40),
    "password": "tr0ub4" + synthetic("password", 8),
    "jwt": "eyJ" + synthetic("header", 30) + ".ey" + "J" + synthetic("claims", 60) + "." + synthetic("signature", 43),
    "database-url": "postgres://app:" + synthetic("database", 16) + "@db.example.org:5432/reports",
    "private-key": "-----BEGIN RSA " + "PRIVATE KEY-----\n" + synthetic("key", 128) + "\n-----END RSA PRIVATE KEY-----",
}
# The part of each that must not be found afterwards.
INNER = {name: made.split("\n")[1] if "\n" in made else made for name, made in SECRETS.items()}
INNER["database-url"] = synthetic("database", 16)


def filled(part: Any) -> Any:
    """A part of an item with its secrets put in."""
    if isinstance(part, str):
        for name, secret in SECRETS.items():
            part = part.replace("{{" + name + "}}", secret)
        return part
    return {name: filled(value) for name, value in part.items()} if isinstance(part, dict) else part


def items(path: Path = SET) -> list[dict[str, Any]]:
    """The labelled set, its secrets put in."""
    return [filled(json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


@dataclass(frozen=True, slots=True)
class Judged:
    """An item and what became of it."""

    item: Mapping[str, Any]
    outcome: str
    code: str


def judged(memory: Memory, item: Mapping[str, Any]) -> Judged:
    """Remember an item as it says, and tell what became of it."""
    details = {name: value for name, value in item.items() if name not in BESIDE}
    if "because" in details:
        details["because"] = [memory.remember(f"What {item['id']} was seen to rest on.").id]
    try:
        done = memory.remember(item["text"], **details)
    except NotPermitted as error:
        code = str(error).partition("(")[2].partition(")")[0]
        return Judged(item, Outcome.REFUSED.value, code)
    return Judged(item, done.outcome, done.code)


def scores(found: Iterable[Judged], outcome: str) -> tuple[float, float, int]:
    """Precision, recall, and how many there should be; a share of nothing is 1."""
    found = list(found)
    right = sum(j.outcome == outcome == j.item["outcome"] for j in found)
    said = sum(j.outcome == outcome for j in found)
    wanted = sum(j.item["outcome"] == outcome for j in found)
    return (right / said if said else 1.0), (right / wanted if wanted else 1.0), wanted


def secrets_kept(memory: Memory, path: Path) -> int:
    """How many of the secrets are anywhere in what the memory exports, or in its file."""
    told = json.dumps(list(memory.export()), ensure_ascii=False)
    kept = b"".join(file.read_bytes() for file in sorted(path.parent.glob(path.name + "*")))
    return sum(secret in told or secret.encode() in kept for secret in INNER.values())


def microseconds(memory: Memory, text: str, rounds: int) -> float:
    """The median time of one check."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter_ns()
        memory.admission_check(text)
        times.append((time.perf_counter_ns() - start) / 1_000)
    return median(times)


def main() -> None:
    asked = arguments("How well admission decides, and what it costs.")
    rounds = QUICK_ROUNDS if asked.quick else ROUNDS
    promises = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.db"
        with open_memory(str(path), tenant=TENANT, writer=WRITER) as memory:
            found = [judged(memory, item) for item in items(asked.data or SET)]
            kept = secrets_kept(memory, path)
            short = microseconds(memory, "No meetings before 10:00 on the team calendar.", rounds)
            sentence = "The pool closes every connection that a worker left open. "
            long = microseconds(memory, sentence * LONG, rounds) / (len(sentence) * LONG) * 1_000
    for part in PARTS:
        mine = [j for j in found if j.item["part"] == part]
        rows = [(o.value, *scores(mine, o.value)) for o in Outcome]
        show(f"{part}: {len(mine)} items", ("outcome", "precision", "recall", "items"), rows)
        for wrong in (j for j in mine if part == "dev" and (j.outcome, j.code) != (j.item["outcome"], j.item["code"])):
            wanted = f"{wrong.item['outcome']} ({wrong.item['code']})"
            print(f"  {wrong.item['id']}: {wrong.outcome} ({wrong.code}), not {wanted}")
        right = sum(j.outcome == j.item["outcome"] for j in mine) / len(mine)
        codes = sum(j.code == j.item["code"] for j in mine) / len(mine)
        name = part.replace("-", "_")
        promises += [Promise(f"{name}_outcome_accuracy", right), Promise(f"{name}_code_accuracy", codes)]
        promises += [
            Promise(f"{name}_{o.replace('-', '_')}_{what}", n)
            for o, *pr, _ in rows
            for what, n in zip(("precision", "recall"), pr, strict=True)
        ]
    promises += [
        Promise("secrets_stored", kept, 0),
        Promise("microseconds_per_check", short, CHECK_GOAL_US, note="a short text without a secret"),
        Promise("nanoseconds_per_character", long, note=f"of {len(sentence) * LONG:,} characters"),
    ]
    finish(promises, asked.json)


if __name__ == "__main__":
    main()
