"""What a deletion leaves and takes, as values. Lives here: tombstones and their digests, what a store reads around the
records to be deleted, what it erases with a commit, and how a record or a provenance looks without content. Lives
elsewhere: deciding (core.forgetting), doing it (the stores), the places it must reach (core.inventory)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from graphmem.core.echo import compared
from graphmem.core.errors import Conflict
from graphmem.core.provenance import Provenance
from graphmem.core.records import Edge, Entity, Key, Record, Site, Tombstone, digest
from graphmem.core.views import Head, Held, Snapshot

NEEDS_REGENERATION = "needs regeneration"  # the evidence status of a record whose text went with what it was made of

# What a tombstone may stand for beside a record, instead of its role.
SOURCE = "locator"
SUBJECT = "subject"

TELLING_CHARS = 20  # of a text, from which on it is known as the same by itself


@dataclass(frozen=True, slots=True)
class Closure:
    """Everything around some records that a deletion of them may touch.

    `snapshot` holds the records and those whose producers reach them, every justification that ever named one of
    these, and the heads of their keys. `edges` have one of them as an end or as evidence, `ties` counts every edge of
    each entity that these join, `versions` are the records of each key's chain, `sites` lie in the files of records of
    a repository. `tombstones` are those that stand already, by id.
    """

    snapshot: Snapshot
    edges: Mapping[str, Edge] = field(default_factory=dict)
    entities: Mapping[str, Entity] = field(default_factory=dict)
    ties: Mapping[str, int] = field(default_factory=dict)
    versions: Mapping[Key, tuple[Head, ...]] = field(default_factory=dict)
    sites: tuple[Site, ...] = ()
    tombstones: Mapping[str, Tombstone] = field(default_factory=dict)

    @property
    def seen(self) -> frozenset[str]:
        """What a plan over it rests on; another writer who adds to it gives another set."""
        records = (f"{name} {held.touched}" for name, held in self.snapshot.records.items())
        ties = (f"{name} {count}" for name, count in self.ties.items())
        return frozenset((*records, *ties, *self.snapshot.justifications, *self.snapshot.live, *self.edges))


@dataclass(frozen=True, slots=True)
class Erasure:
    """What a commit erases, beside the facts that it changes.

    Of the records with a tombstone nothing is left but the row, of the `scrubbed` what they say is gone. `assertions`
    of other records lose their origin. `edges`, `entities` and `sites` go whole, `pruned` edges keep the evidence that
    is given, `headless` keys have no head. The store refuses with Conflict when the closure of `roots` isn't `seen`.
    """

    tombstones: tuple[Tombstone, ...] = ()
    scrubbed: tuple[str, ...] = ()
    assertions: tuple[str, ...] = ()
    edges: tuple[str, ...] = ()
    pruned: Mapping[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)
    entities: tuple[str, ...] = ()
    sites: tuple[str, ...] = ()
    headless: tuple[Key, ...] = ()
    roots: tuple[str, ...] = ()
    seen: frozenset[str] | None = None

    @property
    def erased(self) -> tuple[str, ...]:
        """The records of which nothing is left."""
        return tuple(t.id for t in self.tombstones if t.role not in (SOURCE, SUBJECT))


def expect_unforgotten(found: Mapping[str, str]) -> None:
    """Raise Conflict where a tombstone bears a digest that a plan found free."""
    if found:
        raise Conflict(
            f"this was forgotten meanwhile (tombstone {min(found.values())})", hint="load it again and retry"
        )


def content_mark(tenant: str, text: str, value: str | None, identity_key: bytes) -> str:
    """The digest of what a record says, whatever its key and role; case and gaps of the text don't count. A few words,
    which many may say of many things, are known by their value too."""
    said = compared(text)
    return "c-" + digest("content", tenant, said, None if len(said) >= TELLING_CHARS else value, key=identity_key)


def source_mark(tenant: str, locator: str, identity_key: bytes) -> str:
    """The digest of a source's locator."""
    return "l-" + digest(SOURCE, tenant, locator, key=identity_key)


def subject_mark(tenant: str, subject: str, identity_key: bytes) -> str:
    """The digest of a subject's name."""
    return "l-" + digest(SUBJECT, tenant, subject, key=identity_key)


def key_mark(tenant: str, key: Key | None, identity_key: bytes) -> str:
    """The digest of a key; empty for none."""
    return "k-" + digest("key", tenant, str(key), key=identity_key) if key else ""


def marks_of(snapshot: Snapshot, record: Record, origin: Provenance) -> tuple[str, str]:
    """The digests by which a record may be known as forgotten: of what it says, and of where it comes from."""
    tenant, secret = snapshot.tenant, snapshot.identity_key
    return content_mark(tenant, record.text, record.value, secret), source_mark(tenant, origin.locator, secret)


def emptied(record: Record, *, scrubbed: bool = False) -> Record:
    """The record without what it says and speaks to."""
    status = NEEDS_REGENERATION if scrubbed else ""
    return replace(record, text="", value=None, context="", key=None, identity="", evidence_status=status)


def is_scrubbed(record: Record) -> bool:
    """Whether what a record said went with what it was made of."""
    return record.evidence_status == NEEDS_REGENERATION and not record.text


def blank(origin: Provenance) -> Provenance:
    """An origin of which only who wrote, how and when is left."""
    return Provenance("", "", origin.writer, origin.method, origin.captured_at)


def unhashed(origin: Provenance) -> Provenance:
    """An origin without the digest of what came from it."""
    return replace(origin, content_hash="", span=None)


def is_tombstone(held: Held) -> bool:
    """Whether nothing but the row is left of a record."""
    return held.is_deleted and not held.record.text
