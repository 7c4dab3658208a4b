"""Export as JSON lines, of everything or of what describes a person. Lives elsewhere: the shape of each line
(services.line_writer), which facts describe a person (core.subjects), import (services.transferring)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from graphmem.core.subjects import portion
from graphmem.ports.store import Store
from graphmem.services.line_writer import line_of


def export(store: Store, tenant: str, subject: str = "") -> Iterator[dict[str, Any]]:
    """Every fact of now of a tenant as JSON-ready lines, or only those that describe a subject."""
    if not subject:
        yield from map(line_of, store.dump(tenant))
        return
    found = portion(subject, store.dump(tenant))
    yield from (line_of(fact) for fact in store.dump(tenant) if found.holds(fact))
