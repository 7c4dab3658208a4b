"""What detect-secrets knows is found beside the known forms, hashes aren't, and the time is linear in the length."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from time import process_time

import pytest

from benchmarks.admission import synthetic
from graphmem.adapters.detector_secrets import SecretsDetector

LOWER = "abcdefghijklmnopqrstuvwxyz0123456789"
VENDORS = {
    "SendGrid key": "S" + "G." + synthetic("sg", 22) + "." + synthetic("grid", 43),
    "Telegram token": synthetic("bot", 9, "123456789") + ":" + synthetic("telegram", 35),
    "Mailchimp key": synthetic("chimp", 32, LOWER) + "-us" + "12",
    "Azure storage key": "Account" + "Key=" + synthetic("azure", 88),
}


@pytest.mark.parametrize("kind", VENDORS)
def test_a_vendors_token_is_found_in_prose_and_far_into_a_long_line(kind: str) -> None:
    detector = SecretsDetector()
    for before in ("", "word " * 2_000):
        found = detector.find(f"{before}the job uses {VENDORS[kind]} at night")
        assert VENDORS[kind] in {f.secret for f in found}


def test_the_middle_of_a_hash_is_no_token() -> None:
    hashes = " ".join(synthetic(str(n), 64, "0123456789abcdef") for n in range(200))
    assert SecretsDetector().find(f"{hashes} {hashes.upper()}") == ()


@pytest.mark.parametrize("part", ["password: ", "eyJ", "a://b:", "-----BEGIN PRIVATE KEY-----", "token ", "A"])
def test_twice_the_length_takes_about_twice_the_time(part: str) -> None:
    detector = SecretsDetector()
    times = []
    for length in (60_000, 240_000):
        start = process_time()
        detector.find(part * (length // len(part)))
        times.append(process_time() - start)
    assert times[1] < 12 * times[0] + 0.1


def test_opening_a_memory_does_not_wait_for_the_library(tmp_path: Path) -> None:
    say = "graphmem.open(sys.argv[1]).remember('hello there'); print('detect_secrets' in sys.modules)"
    script = f"import graphmem, sys; {say}"
    words = [sys.executable, "-c", script, str(tmp_path / "m.db")]
    assert subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip() == "False"
