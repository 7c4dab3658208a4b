"""The Docker files as far as they can be held without an engine: their shape, their rules, and the image's command run
directly."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from graphmem import __version__
from graphmem.adapters.server_neo4j import DEFAULT_VERSION

ROOT = Path(__file__).resolve().parents[1]
DOCKERFILE = ROOT / "docker/Dockerfile"
COMPOSE = ROOT / "docker/compose.yaml"
PINNED = re.compile(r"[\w/.-]+:\d+\.\d+\.\d+[\w.-]*")  # an image with a whole version


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(COMPOSE.read_text(encoding="utf-8"))
    return found


def instructions(word: str) -> list[str]:
    """What stands after an instruction of the Dockerfile, each time that it is there."""
    text = DOCKERFILE.read_text(encoding="utf-8").replace("\\\n", " ")
    return [line.partition(" ")[2].strip() for line in text.splitlines() if line.startswith(f"{word} ")]


def test_every_image_is_pinned_to_a_whole_version(compose: dict[str, Any]) -> None:
    images = [line.split()[0] for line in instructions("FROM")]
    images += [service["image"] for service in compose["services"].values()]
    assert len(images) == 4
    assert [image for image in images if not PINNED.fullmatch(image)] == []


def test_versions_are_those_of_the_project(compose: dict[str, Any]) -> None:
    services = compose["services"]
    assert services["neo4j"]["image"] == f"neo4j:{DEFAULT_VERSION}-community"
    assert services["graphmem"]["image"] == f"graphmem:{__version__}"
    supported = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["classifiers"]
    python = re.search(r"python:(\d+\.\d+)", instructions("FROM")[-1])
    assert python
    assert f"Programming Language :: Python :: {python[1]}" in supported


def test_ports_are_open_to_this_machine_only(compose: dict[str, Any]) -> None:
    ports = [port for service in compose["services"].values() for port in service.get("ports", ())]
    assert ports == ["127.0.0.1:7687:7687", "127.0.0.1:7474:7474"]


def test_neo4j_keeps_its_data_and_says_when_it_is_ready(compose: dict[str, Any]) -> None:
    neo4j = compose["services"]["neo4j"]
    assert {volume.split(":")[0] for volume in neo4j["volumes"]} == set(compose["volumes"])
    assert "neo4j-data:/data" in neo4j["volumes"]
    assert "cypher-shell" in neo4j["healthcheck"]["test"][1]
    assert compose["services"]["graphmem"]["depends_on"] == {"neo4j": {"condition": "service_healthy"}}


def test_the_password_comes_from_the_environment_and_stands_in_no_file(compose: dict[str, Any]) -> None:
    """Neo4j's image takes any other NEO4J_ name for a setting, so its password is in NEO4J_AUTH alone."""
    neo4j, command = compose["services"]["neo4j"]["environment"], compose["services"]["graphmem"]["environment"]
    assert re.fullmatch(r"neo4j/\$\{NEO4J_PASSWORD:\?[^}]+\}", neo4j["NEO4J_AUTH"])
    assert re.fullmatch(r"\$\{NEO4J_PASSWORD:\?[^}]+\}", command["NEO4J_PASSWORD"])
    assert "NEO4J_PASSWORD" not in neo4j
    assert "@" not in command["GRAPHMEM_MEMORY"]
    assert not re.search(r"(?i)password|secret|token", DOCKERFILE.read_text(encoding="utf-8"))


def test_the_command_runs_without_rights(compose: dict[str, Any]) -> None:
    command = compose["services"]["graphmem"]
    assert (command["read_only"], command["cap_drop"]) == (True, ["ALL"])
    assert command["security_opt"] == ["no-new-privileges:true"]
    assert instructions("USER") == ["10001"]


def test_the_image_is_built_from_what_the_context_lets_through(compose: dict[str, Any]) -> None:
    """Everything that the wheel is made of is copied, and is not ignored."""
    build = compose["services"]["graphmem"]["build"]
    assert (COMPOSE.parent / build["context"]).resolve() == ROOT
    assert (ROOT / build["dockerfile"]).samefile(DOCKERFILE)
    copied = {word for line in instructions("COPY") for word in line.split()[:-1]}
    rules = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert rules[1] == "*"
    assert copied == {rule[1:] for rule in rules if rule.startswith("!")}
    assert all((ROOT / name).exists() for name in copied)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    needed = {*wheel["packages"], *wheel["force-include"], project["project"]["readme"]}
    assert needed | {"pyproject.toml", *project["project"]["license-files"]} == copied


def test_the_image_has_no_build_tools() -> None:
    """Only wheels are installed, with the driver, and nothing comes from the system's packages."""
    (install,) = [line for line in instructions("RUN") if "pip install" in line]
    assert "--only-binary :all:" in install
    assert "[neo4j]" in install
    assert not any("apt-get" in line or "apk " in line for line in instructions("RUN"))


def test_the_linter_has_nothing_to_say() -> None:
    beside = Path(sys.executable).with_name("hadolint")
    linter = str(beside) if beside.exists() else shutil.which("hadolint")
    if not linter:
        pytest.skip("hadolint isn't installed: its package has no wheel for this machine")
    ran = subprocess.run([linter, str(DOCKERFILE)], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (0, "")


def run_in_the_image(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the image's entry command on its own, in an environment as bare as a container's."""
    entry = yaml.safe_load(instructions("ENTRYPOINT")[0])
    assert entry == ["graphmem"]
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **environment}
    module = [sys.executable, "-m", "graphmem.entrances.cli"]
    return subprocess.run([*module, *words], env=env, capture_output=True, text=True, timeout=60, check=False)


def test_the_entry_command_tells_its_version(tmp_path: Path) -> None:
    ran = run_in_the_image("--version", HOME=str(tmp_path))
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, f"graphmem {__version__}\n", "")


def test_the_health_check_fails_in_clear_words_without_a_memory(tmp_path: Path) -> None:
    (check,) = instructions("HEALTHCHECK")
    entry, *words = yaml.safe_load(check.partition("CMD ")[2])
    assert (entry, words) == ("graphmem", ["status"])
    ran = run_in_the_image(*words, HOME=str(tmp_path))
    assert (ran.returncode, ran.stdout) == (4, "")
    assert ran.stderr.startswith("error: there is no memory at ")


def test_the_health_check_fails_in_clear_words_where_neo4j_is_not(tmp_path: Path) -> None:
    environment = {"GRAPHMEM_MEMORY": "bolt://127.0.0.1:1", "NEO4J_USERNAME": "neo4j", "NEO4J_PASSWORD": "not it"}
    ran = run_in_the_image("status", HOME=str(tmp_path), **environment)
    assert (ran.returncode, ran.stdout) == (4, "")
    assert ran.stderr.startswith("error: bolt://127.0.0.1:1 can't be reached\nhint: ")
    assert "not it" not in ran.stderr
