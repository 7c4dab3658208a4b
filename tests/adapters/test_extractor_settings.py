"""Which extractor the environment asks for."""

from __future__ import annotations

import pytest

from graphmem.core.errors import InvalidInput
from graphmem.settings import Settings
from graphmem.wiring import open_extractor

KEY = "sk-a-key-that-nobody-may-see"


def test_there_is_no_extractor_unless_one_is_asked_for() -> None:
    assert open_extractor() is None


@pytest.mark.parametrize("name", ["prose", "conversation"])
def test_the_environment_names_the_extractor(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHMEM_EXTRACTOR", name)
    made = open_extractor()
    assert made is not None
    assert made.tool.name == f"graphmem.{name}"


def test_a_model_needs_a_name_and_its_key_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with pytest.raises(InvalidInput):
        open_extractor("openai")
    monkeypatch.setenv("GRAPHMEM_OPENAI_MODEL", "some-model")
    made = open_extractor("openai")
    assert made is not None
    assert made.tool.guesses
    assert KEY not in f"{Settings()!r} {made.tool!r}"
