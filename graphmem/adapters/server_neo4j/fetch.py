"""Getting jars from a Maven repository. Lives here: the download, several at a time, each held to its checksum before
it gets its name. Lives elsewhere: which jars (resolve), where they are kept (library)."""

from __future__ import annotations

import errno
import hashlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from graphmem.adapters.server_neo4j.resolve import TIMEOUT_S, Jar, not_installed, source, unreachable
from graphmem.core.errors import GraphmemError, StoreUnavailable
from graphmem.ports.server import OnProgress, Progress

if TYPE_CHECKING:
    from requests import Session

AT_ONCE = 8
TRIES = 3
PAUSE_FACTOR = 0.5  # seconds before the second try, doubled before each further one
BUSY = (429, 500, 502, 503, 504)
CHUNK = 1 << 16


def fetch(jars: Sequence[Jar], folder: Path, repository: str, on_progress: OnProgress | None) -> list[Jar]:
    """Download jars into a folder and return them with size and sha256, in the order given.

    A jar without a known sha256 is held to the SHA-1 that the repository publishes beside it. A file appears under its
    name whole and checked, or not at all.

    Raises Unsupported without the extra, StoreUnavailable for no network, a full disk or a wrong checksum.
    """
    total_bytes = sum(jar.size for jar in jars) if all(jar.size for jar in jars) else 0
    done: dict[str, Jar] = {}
    for jar in _each(jars, folder, repository):
        done[jar.path] = jar
        if on_progress:
            on_progress(Progress(len(done), len(jars), sum(j.size for j in done.values()), total_bytes))
    return [done[jar.path] for jar in jars]


def _each(jars: Sequence[Jar], folder: Path, repository: str) -> Iterator[Jar]:
    """The jars as they come in."""
    address = source(repository)
    session = _session()
    with session, ThreadPoolExecutor(AT_ONCE) as pool:
        pending = [pool.submit(_one, jar, folder, address, session) for jar in jars]
        try:
            for future in as_completed(pending):
                yield future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _session() -> Session:
    try:
        from requests import Session
        from requests.adapters import HTTPAdapter
        from urllib3 import Retry
    except ImportError as error:
        raise not_installed() from error
    session = Session()
    patience = Retry(total=TRIES, backoff_factor=PAUSE_FACTOR, status_forcelist=BUSY, raise_on_status=False)
    for scheme in ("https://", "http://"):
        session.mount(scheme, HTTPAdapter(pool_maxsize=AT_ONCE, max_retries=patience))
    return session


def _one(jar: Jar, folder: Path, address: str, session: Session) -> Jar:
    from requests import RequestException

    unfinished = folder / f"{jar.name}.unfinished"
    try:
        found = _download(f"{address}/{jar.path}", unfinished, session, jar)
        unfinished.replace(folder / jar.name)
    except RequestException as error:
        raise unreachable(address) from error
    except OSError as error:
        raise unwritable(folder, error) from error
    finally:
        unfinished.unlink(missing_ok=True)
    return found


def _download(url: str, file: Path, session: Session, jar: Jar) -> Jar:
    sha256, sha1 = hashlib.sha256(), hashlib.sha1(usedforsecurity=False)
    with session.get(url, stream=True, timeout=TIMEOUT_S) as answer, file.open("wb") as stream:
        answer.raise_for_status()
        for chunk in answer.iter_content(CHUNK):
            stream.write(chunk)
            sha256.update(chunk)
            sha1.update(chunk)
    expected, got = (jar.sha256, sha256.hexdigest()) if jar.sha256 else (_published(url, session), sha1.hexdigest())
    if expected != got:
        raise StoreUnavailable(
            f"{jar.name} isn't what it should be: its checksum is {got[:12]}, not {expected[:12]}",
            hint="try again; if it stays so, don't trust the repository that it comes from",
        )
    return replace(jar, size=file.stat().st_size, sha256=sha256.hexdigest())


def _published(url: str, session: Session) -> str:
    """The SHA-1 in the file beside a jar, which may name the file after it."""
    answer = session.get(f"{url}.sha1", timeout=TIMEOUT_S)
    answer.raise_for_status()
    return answer.text.split()[0].lower() if answer.text.strip() else ""


def unwritable(folder: Path, error: OSError) -> GraphmemError:
    """What is said when files can't be written to a folder."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return StoreUnavailable(f"the disk that holds {folder} is full", hint="make room, then try again")
    return StoreUnavailable(
        f"{folder} can't be used: {error.strerror or type(error).__name__}",
        hint="check who owns it and its permissions, or use another folder",
    )
