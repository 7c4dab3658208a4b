"""The queue at the command line: what a capture leaves, who does it, and what people and programs are told of it."""

from __future__ import annotations

import signal
import subprocess
import time

import pytest

from graphmem import wiring
from graphmem.core.errors import ProviderError
from tests.entrances.conftest import ENTRY, Cli
from tests.handlers import failing, note_facts

FACT = "FACT: pump-7 leaks."


@pytest.fixture
def extracting(monkeypatch: pytest.MonkeyPatch) -> None:
    """An installation with an extractor."""
    monkeypatch.setattr(wiring, "installed_handlers", lambda settings: {"extract": note_facts})


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """An installation whose extractor always fails."""
    handler = failing(ProviderError("the secret of the text"))
    monkeypatch.setattr(wiring, "installed_handlers", lambda settings: {"extract": handler})


def test_without_an_extractor_a_capture_is_committed_and_nothing_is_left(cli: Cli) -> None:
    result = cli.result("remember", FACT)
    assert (result["ack"], result["partial"]) == ("committed", False)
    assert cli.json("jobs", "list", code=1)["result"] == {"jobs": [], "after": None, "partial": False}
    assert cli.result("maintain")["done"] == 0


@pytest.mark.usefixtures("extracting")
def test_with_an_extractor_a_capture_returns_when_its_jobs_are_done(cli: Cli) -> None:
    assert cli.result("remember", FACT)["ack"] == "indexed"
    assert cli.result("status")["roles"]["summary"] == 1
    assert "its jobs done" in cli("remember", "another").out


@pytest.mark.usefixtures("extracting")
def test_a_committed_capture_waits_for_maintain_and_recall_says_so(cli: Cli) -> None:
    result = cli.result("remember", FACT, "--ack", "committed")
    assert result["ack"] == "committed"
    (item,) = cli.result("recall", "pump-7")["items"]
    assert item["pending"] is True and "coverage" not in item
    assert '"pending":true' in cli.result("recall", "pump-7")["text"]
    assert "pending" in cli("recall", "pump-7").out
    (job,) = cli.json("jobs", "list")["result"]["jobs"]
    assert (job["id"], job["state"], job["coverage"]) == (
        f"extract:{result['id']}",
        "waiting",
        {"done": 0, "of": len(FACT)},
    )
    assert cli.result("status")["jobs"] == {"waiting": 1}
    done = cli.result("maintain")
    assert (done["done"], done["left"]) == (1, {})
    assert all("pending" not in item for item in cli.result("recall", "pump-7")["items"])


@pytest.mark.usefixtures("broken")
def test_a_job_that_failed_is_told_with_its_cause_and_never_with_the_text(cli: Cli) -> None:
    result = cli.result("remember", FACT)
    assert (result["ack"], result["partial"]) == ("committed", True)
    told = cli("jobs", "list").out
    assert "provider-error ProviderError" in told and "secret" not in told
    assert cli.json("jobs", "retry", code=1)["result"] == {"retried": 0}
    assert "leaks" not in told


@pytest.mark.usefixtures("extracting")
def test_a_long_list_of_jobs_comes_in_pages(cli: Cli) -> None:
    for n in range(3):
        cli("remember", f"note {n}", "--ack", "committed")
    page = cli.json("jobs", "list", "--limit", "2")["result"]
    assert len(page["jobs"]) == 2 and page["partial"]
    rest = cli.json("jobs", "list", "--after", page["after"])["result"]
    assert len(rest["jobs"]) == 1 and not rest["partial"]
    assert "graphmem jobs list --after" in cli("jobs", "list", "--limit", "2").out


def test_a_wrong_acknowledgement_or_state_is_wrong_use(cli: Cli) -> None:
    assert cli("remember", FACT, "--ack", "eventually").code == 2
    assert cli("remember", FACT, "--ack", "buffered").code == 2
    cli("remember", FACT)
    assert cli("jobs", "list", "--state", "asleep").code == 2


def test_ctrl_c_ends_a_watch_with_its_report(cli: Cli) -> None:
    cli("remember", FACT)
    with subprocess.Popen(
        [*ENTRY, "maintain", "--watch", "--json"],
        env=cli.environment(),
        stdout=subprocess.PIPE,
        text=True,
    ) as watching:
        _until_it_listens_to_ctrl_c(watching.pid)
        watching.send_signal(signal.SIGINT)
        said, _ = watching.communicate(timeout=60)
    assert watching.returncode == 0
    assert '"command": "maintain"' in said and '"done": 0' in said


def _until_it_listens_to_ctrl_c(pid: int) -> None:
    """Wait until a watch has opened its memory, which it does after it took Ctrl-C over."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        with open(f"/proc/{pid}/maps") as maps:  # noqa: PTH123
            if "memory.db-shm" in maps.read():
                return
    pytest.fail("the watch didn't begin")
