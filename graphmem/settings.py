"""The only reader of environment variables. Lives here: where a memory is, whose it is, and who writes."""

from __future__ import annotations

import getpass
from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from graphmem.core.errors import InvalidInput
from graphmem.core.jobs import OPEN_JOBS

ExtractorName = Literal["none", "prose", "conversation", "openai"]


class Settings(BaseSettings):
    """What the environment says; every name has the prefix GRAPHMEM_ but those that other programs use too.

    `memory` is a URL: sqlite:///PATH, a plain path, neo4j://HOST:PORT/DATABASE (or bolt://, each with +s for TLS), or
    memory: for one that is gone at the end. `neo4j_timeout_s` is how long one transaction may take, `neo4j_connections`
    how many lines to the server there are at most. `neo4j_data` is the folder of the local Neo4j, `maven_repository` a
    mirror of Maven Central for its first download, `authority` a file of authority rules (docs/how-to/authority.md),
    `open_jobs` how many jobs of a tenant may wait before further ones are deferred (docs/how-to/maintain.md).
    `admission` one of what may be kept (docs/how-to/admission.md).
    `extractor` is what looks for facts in new records, `openai_model` the model that the extractor openai asks.
    """

    model_config = SettingsConfigDict(env_prefix="GRAPHMEM_", extra="ignore")

    memory: str = ""
    tenant: str = "default"
    writer: str = ""
    authority: str = ""
    admission: str = ""
    tokenizer: str = "o200k_base"
    open_jobs: int = Field(default=OPEN_JOBS, gt=0)
    neo4j_data: str = ""
    neo4j_timeout_s: float = Field(default=60.0, gt=0)
    neo4j_connections: int = Field(default=20, gt=0)
    maven_repository: str = ""
    neo4j_username: str = Field(default="", validation_alias="NEO4J_USERNAME")
    neo4j_password: SecretStr = Field(default=SecretStr(""), validation_alias="NEO4J_PASSWORD")
    neo4j_database: str = Field(default="", validation_alias="NEO4J_DATABASE")
    extractor: ExtractorName = "none"
    openai_model: str = ""
    openai_base_url: str = Field(default="https://api.openai.com/v1", validation_alias="OPENAI_BASE_URL")
    openai_api_key: SecretStr = Field(default=SecretStr(""), validation_alias="OPENAI_API_KEY")
    cache_home: str = Field(default="", validation_alias="XDG_CACHE_HOME")
    java_home: str = Field(default="", validation_alias="JAVA_HOME")

    def __init__(self) -> None:
        """Read the environment. Raises InvalidInput naming the first variable that isn't right, without its value."""
        try:
            super().__init__()
        except ValidationError as error:
            first = error.errors(include_input=False, include_url=False)[0]
            name = str(first["loc"][0])
            variable = name if name.isupper() else f"GRAPHMEM_{name.upper()}"
            raise InvalidInput(
                f"{variable} isn't right: {first['msg']}", hint=f"set {variable} anew, or unset it"
            ) from None

    def location(self) -> str:
        """The memory's URL, by default a file in the user's data folder."""
        return self.memory or str(_data_home() / "memory.db")

    def neo4j_home(self) -> Path:
        """The local Neo4j's data folder, by default beside the user's own memory."""
        return Path(self.neo4j_data or _data_home() / "neo4j").expanduser()

    def neo4j_cache(self) -> Path:
        """Where the local Neo4j's programs are kept, a folder for each version."""
        return Path(self.cache_home or Path.home() / ".cache") / "graphmem" / "neo4j"

    def who(self) -> str:
        """The writer's name, by default the user's."""
        if self.writer:
            return self.writer
        try:
            return getpass.getuser()
        except (KeyError, OSError):
            return "unknown"


def _data_home() -> Path:
    return Path.home() / ".local" / "share" / "graphmem"
