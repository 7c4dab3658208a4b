"""The only reader of environment variables. Lives here: where a memory is, whose it is, and who writes."""

from __future__ import annotations

import getpass
from pathlib import Path

from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """What the environment says; every name has the prefix GRAPHMEM_.

    `memory` is a URL: sqlite:///PATH, a plain path, or memory: for one that is gone at the end.
    """

    model_config = SettingsConfigDict(env_prefix="GRAPHMEM_", extra="ignore")

    memory: str = ""
    tenant: str = "default"
    writer: str = ""
    tokenizer: str = "o200k_base"

    def location(self) -> str:
        """The memory's URL, by default a file in the user's data folder."""
        return self.memory or str(Path.home() / ".local" / "share" / "graphmem" / "memory.db")

    def who(self) -> str:
        """The writer's name, by default the user's."""
        if self.writer:
            return self.writer
        try:
            return getpass.getuser()
        except (KeyError, OSError):
            return "unknown"
