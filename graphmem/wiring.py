"""The only composition root. Lives here: from a URL and settings to an open memory. Lives elsewhere: everything it
joins."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit

from graphmem.adapters.clock_system import SystemClock
from graphmem.adapters.store_sqlite import SqliteStore
from graphmem.adapters.tokenizer_bpe import BpeTokenizer
from graphmem.core.errors import InvalidInput, StoreUnavailable
from graphmem.memory import Memory
from graphmem.ports.store import Store
from graphmem.settings import Settings


def open_memory(
    url: str | None = None,
    *,
    tenant: str | None = None,
    writer: str | None = None,
    policies: tuple[str, ...] | None = None,
    create: bool = True,
    read_only: bool = False,
    identity_key: bytes | None = None,
) -> Memory:
    """Open a memory by URL (default: the environment's, then the user's own file) as one tenant and writer.

    `policies` limits what is read to these access policies; None reads every policy of the tenant. `identity_key`
    fixes, when the memory is made, how ids follow from content: two memories with one key give equal content equal ids.

    Raises InvalidInput for a URL that isn't understood, StoreUnavailable when the file can't be opened, CorruptStore
    when it isn't a memory.
    """
    settings = Settings()
    store = _store(url or settings.location(), create=create, read_only=read_only, identity_key=identity_key)
    return Memory(
        store=store,
        clock=SystemClock(),
        tokenizer=BpeTokenizer(settings.tokenizer),
        tenant=tenant or settings.tenant,
        writer=writer or settings.who(),
        policies=policies,
    )


def _store(url: str, *, create: bool, read_only: bool, identity_key: bytes | None) -> Store:
    if url in ("memory:", ":memory:"):
        from graphmem.adapters.store_memory import MemoryStore

        return MemoryStore(identity_key)
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
            f"not a memory's URL: {url.rpartition('@')[2][:80]!r}", hint="use sqlite:///PATH, a plain path, or memory:"
        )
    return Path(unquote(parts.path.removeprefix("/"))).expanduser()
