"""The only composition root. Lives here: from a URL and settings to an open memory. Lives elsewhere: everything it
joins."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import SplitResult, unquote, urlsplit

from graphmem.adapters.clock_system import SystemClock
from graphmem.adapters.store_sqlite import SqliteStore
from graphmem.adapters.tokenizer_bpe import BpeTokenizer
from graphmem.core.authority import UNCONFIGURED, Authority, parse_authority
from graphmem.core.errors import InvalidInput, NotFound, StoreUnavailable, Unsupported
from graphmem.memory import Memory
from graphmem.ports.schema import GraphSchema
from graphmem.ports.server import LocalServer
from graphmem.ports.store import Store
from graphmem.services.copying import CopyReport, OnFact, copy
from graphmem.settings import ExtractorName, Settings

if TYPE_CHECKING:
    from graphmem.adapters.store_neo4j import Address
    from graphmem.ports.extractor import Extractor

# neo4j:// finds the members of a cluster, bolt:// speaks with one server; +s and +ssc are TLS, the latter without
# checking the certificate.
NEO4J_SCHEMES = {f"{scheme}{tls}" for scheme in ("neo4j", "bolt") for tls in ("", "+s", "+ssc")}
THIS_MACHINE = ("127.0.0.1", "localhost", "::1")


def open_memory(
    url: str | None = None,
    *,
    tenant: str | None = None,
    writer: str | None = None,
    policies: tuple[str, ...] | None = None,
    create: bool = True,
    read_only: bool = False,
    identity_key: bytes | None = None,
    authority: str | Path | Authority | None = None,
) -> Memory:
    """Open a memory by URL (default: the environment's, then the user's own file) as one tenant and writer.

    `policies` limits what is read to these access policies; None reads every policy of the tenant. `identity_key`
    fixes, when the memory is made, how ids follow from content: two memories with one key give equal content equal ids.

    `authority` is a file of authority rules (default: the environment's, else none), or what `read_authority` gave.

    Raises InvalidInput for a URL or rules that aren't understood, NotFound without the file, StoreUnavailable when the
    file or server can't be opened, CorruptStore when it isn't a memory, Unsupported for Neo4j without the extra neo4j.
    """
    settings = Settings()
    rules = authority if isinstance(authority, Authority) else read_authority(authority or settings.authority)
    store = _store(url or settings.location(), create=create, read_only=read_only, identity_key=identity_key)
    return Memory(
        store=store,
        clock=SystemClock(),
        tokenizer=BpeTokenizer(settings.tokenizer),
        tenant=tenant or settings.tenant,
        writer=writer or settings.who(),
        policies=policies,
        authority=rules,
    )


def read_authority(path: str | Path | None = None) -> Authority:
    """The authority rules of a file (default: the environment's); none without one.

    Raises NotFound without the file, InvalidInput with the line for what isn't right in it.
    """
    path = path or Settings().authority
    if not path:
        return UNCONFIGURED
    try:
        return parse_authority(Path(path).expanduser().read_text(encoding="utf-8"), str(path))
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} isn't UTF-8", hint="convert it first, for example with iconv") from error
    except OSError as error:
        raise NotFound(
            f"{path} can't be read: {error.strerror}", hint="check GRAPHMEM_AUTHORITY or the path"
        ) from error


def open_extractor(name: ExtractorName | None = None) -> Extractor | None:
    """The extractor of that name (default: the environment's), which is None for "none".

    Raises InvalidInput for the extractor openai without an address and a model.
    """
    settings = Settings()
    name = name or settings.extractor
    if name == "openai":
        from graphmem.adapters.extractor_openai import OpenAIExtractor

        key = settings.openai_api_key.get_secret_value()
        return OpenAIExtractor(settings.openai_base_url, key, settings.openai_model)
    return None if name == "none" else offline_extractor(name)


def offline_extractor(name: Literal["prose", "conversation"]) -> Extractor:
    """One of the extractors that need nothing but the text."""
    from graphmem.adapters.extractor_conversation import ConversationExtractor
    from graphmem.adapters.extractor_prose import ProseExtractor

    return ProseExtractor() if name == "prose" else ConversationExtractor(ProseExtractor())


def copy_memory(
    source: str,
    target: str,
    *,
    tenant: str | None = None,
    writer: str | None = None,
    on_fact: OnFact | None = None,
) -> CopyReport:
    """Copy every fact of now of a tenant, of all policies, from one memory to another, both by URL, and compare them.

    A target that isn't there is made with the source's identity key, so that every id stays what it is. What is there
    already stays, so a copy that was interrupted goes on when it is started again. `on_fact` hears the step ("copying",
    then "comparing"), the facts done and about how many there are. Raises what `open_memory` does.
    """
    with (
        open_memory(source, tenant=tenant, create=False) as old,
        open_memory(target, tenant=tenant, writer=writer, identity_key=old.store.identity_key) as new,
    ):
        return copy(old.store, new.session, on_fact=on_fact)


def local_neo4j(data: str | None = None, *, version: str | None = None) -> LocalServer:
    """The managed local Neo4j of a data folder (default: the environment's, then the user's own); nothing is started.

    Raises InvalidInput for a version that isn't one.
    """
    from graphmem.adapters.server_neo4j import DEFAULT_VERSION, ManagedNeo4j

    settings = Settings()
    return ManagedNeo4j(
        Path(data).expanduser() if data else settings.neo4j_home(),
        cache=settings.neo4j_cache(),
        version=version or DEFAULT_VERSION,
        repository=settings.maven_repository,
        java_home=settings.java_home,
    )


def neo4j_schema(url: str | None = None) -> GraphSchema:
    """The schema of the Neo4j that a memory's URL names (default: the environment's).

    Raises InvalidInput for a URL of another kind, Unsupported without the extra neo4j, StoreUnavailable.
    """
    address = neo4j_address(url)
    from graphmem.adapters.store_neo4j.schema import Schema

    return Schema(address)


def neo4j_address(url: str | None = None) -> Address:
    """Where the Neo4j of a memory's URL is, SCHEME://USER:PASSWORD@HOST:PORT/DATABASE, and who enters it.

    What the URL leaves out comes from NEO4J_USERNAME, NEO4J_PASSWORD and NEO4J_DATABASE; a password that is in neither
    is the managed local server's where the host is this machine. Raises as `neo4j_schema` does.
    """
    settings = Settings()
    given = url or settings.location()
    parts = _neo4j_parts(given)
    try:
        from graphmem.adapters.store_neo4j import Address
    except ImportError as error:
        raise Unsupported("Neo4j needs its driver", hint="pip install 'graphmem[neo4j]'") from error
    user = unquote(parts.username or "") or settings.neo4j_username
    password = unquote(parts.password or "") or settings.neo4j_password.get_secret_value()
    if user and not password and parts.hostname in THIS_MACHINE:
        password = local_neo4j().password()
    return Address(
        uri=f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}",
        user=user,
        password=password,
        database=unquote(parts.path.strip("/")) or settings.neo4j_database or None,
        timeout_s=settings.neo4j_timeout_s,
        pool_size=settings.neo4j_connections,
    )


def _neo4j_parts(url: str) -> SplitResult:
    """The parts of a Neo4j's URL. Raises InvalidInput for a URL of another kind."""
    parts = urlsplit(url)
    with suppress(ValueError):  # of a port that is no number
        if parts.scheme in NEO4J_SCHEMES and parts.hostname and (parts.port is None or parts.port):
            return parts
    shown = url.rpartition("@")[2][:80]
    raise InvalidInput(f"not a Neo4j URL: {shown!r}", hint="use neo4j://USER@HOST:PORT/DATABASE or bolt://")


def _store(url: str, *, create: bool, read_only: bool, identity_key: bytes | None) -> Store:
    if url in ("memory:", ":memory:"):
        from graphmem.adapters.store_memory import MemoryStore

        return MemoryStore(identity_key)
    if urlsplit(url).scheme in NEO4J_SCHEMES:
        address = neo4j_address(url)
        from graphmem.adapters.store_neo4j import Neo4jStore

        return Neo4jStore(address, create=create, read_only=read_only, identity_key=identity_key)
    path = _path(url)
    if not path.exists():
        if not create or read_only:
            raise StoreUnavailable(f"there is no memory at {path}", hint="make one with: graphmem remember or ingest")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreUnavailable(f"{path.parent} can't be made", hint="give another path to --memory") from error
    elif path.is_dir():
        raise StoreUnavailable(f"{path} is a folder", hint=f"name a file, for example {path / 'memory.db'}")
    return SqliteStore(path, create=create, read_only=read_only, identity_key=identity_key)


def _path(url: str) -> Path:
    """The file that a URL or plain path names: sqlite:///relative, sqlite:////absolute, or a path."""
    if "://" not in url:
        return Path(url).expanduser()
    parts = urlsplit(url)
    if parts.scheme != "sqlite" or parts.netloc or not parts.path.strip("/"):
        raise InvalidInput(
            f"not a memory's URL: {url.rpartition('@')[2][:80]!r}",
            hint="use sqlite:///PATH, a plain path, neo4j://HOST:PORT, or memory:",
        )
    return Path(unquote(parts.path.removeprefix("/"))).expanduser()
