"""The pure verbs. Lives here: the rules of remember, conclude, justify, withdraw, retract, reassert, reject, unreject
and supersede. Lives elsewhere: the draft that they write into (core.changes), the labels that follow (core.labelling).

A verb reads the snapshot (and what the draft already holds), decides, and adds facts to the draft; a refusal raises.
The finished ChangeSet names, in `expects`, the state of each record and head that a decision rested on.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from graphmem.core.changes import Draft, assertion_of, justification_id, linked, record_id
from graphmem.core.echo import INFORMANT
from graphmem.core.erasure import is_scrubbed, marks_of
from graphmem.core.errors import Conflict, InvalidInput, NotFound, NotPermitted
from graphmem.core.intervals import Intervals, subtract
from graphmem.core.labelling import Standing
from graphmem.core.labels import Level
from graphmem.core.provenance import CONFIRMATION, CONFIRMED_AT, Method, Provenance
from graphmem.core.records import LIFTABLE, Block, BlockKind, Key, Kind, Mode, Record, Role, canonical
from graphmem.core.times import format_time
from graphmem.core.views import Head, Held

OVERRIDE = "override"  # the source kind of the record that says why something forgotten was let in again
OVERRIDES = "graphmem:overrides"  # and its locator


def remember(draft: Draft, record: Record, provenance: Provenance) -> str:
    """Assert a record (or assert it once more) and return its id. The record's own id is ignored and derived.

    Raises NotPermitted for a summary (it must name what it rests on), for a corrected or deleted record and, unless the
    draft overrides it, for what was forgotten.
    """
    if record.role is Role.SUMMARY:
        raise NotPermitted("a summary must name what it rests on", hint="pass the record ids: --because ID")
    if record.role is Role.INFERENCE and not record.evidence_status:
        record = replace(record, evidence_status="hypothesis")
    held, forgotten = _admit(draft, record, provenance)
    assertion = assertion_of(draft.snapshot, held.record.id, record, provenance)
    if assertion.id not in {a.id for a in held.live}:
        note_override(draft, assertion.id, held.record.id, forgotten)
        draft.assert_(assertion)
        withdrawn = tuple(w for w in held.withdrawn if w[0].id != assertion.id)
        draft.restand(replace(held, live=(*held.live, assertion), withdrawn=withdrawn))
    return held.record.id


def conclude(
    draft: Draft,
    record: Record,
    because: Iterable[str],
    informant: str,
    provenance: Provenance,
    mode: Mode = Mode.INTERSECT,
) -> tuple[str, str]:
    """Store an inference or summary with the justification that produced it; returns both ids."""
    if record.role not in (Role.INFERENCE, Role.SUMMARY):
        raise InvalidInput(f"a {record.role} isn't a conclusion", hint="give antecedents to an inference or a summary")
    return _derive(draft, record, because, informant, provenance, mode)


def repeat(draft: Draft, record: Record, origins: Iterable[str], provenance: Provenance) -> tuple[str, str]:
    """Store what only repeats other records as a claim that rests on them and is no premise; returns both ids."""
    return _derive(draft, replace(record, role=Role.CLAIM), origins, INFORMANT, provenance, Mode.INTERSECT)


def _derive(
    draft: Draft, record: Record, because: Iterable[str], informant: str, provenance: Provenance, mode: Mode
) -> tuple[str, str]:
    held, forgotten = _admit(draft, record, provenance)
    link = justify(draft, held.record.id, because, informant, provenance, mode)
    if held.record.id in draft.records and not held.record.producer:
        produced = replace(held.record, producer=link)
        draft.records[produced.id] = produced
        draft.held[produced.id] = replace(draft.held[produced.id], record=produced)
        note_override(draft, link, produced.id, forgotten)
    return held.record.id, link


def _admit(draft: Draft, record: Record, provenance: Provenance) -> tuple[Held, str]:
    """The record under its id, new or already held, and the tombstone that an override lets it pass, if any; a new one
    with a key opens the key's chain, unless it is only a part of another record (it has an identity): a chain is for
    what people say."""
    replaced = record.supersedes
    record, name, forgotten = _named(draft, record, provenance)
    held = draft.held.get(name)
    if held is not None:
        if held.block and held.block.kind not in LIFTABLE:
            raise NotPermitted(
                f"{name} was {held.block.kind} and can't be asserted again",
                hint="to let it in again, say why: --override REASON"
                if held.is_deleted
                else f"see: graphmem why-not {name}",
            )
        return held, forgotten
    key, version = record.key, record.version
    opens = (record.supersedes != replaced or not replaced) and not record.identity
    if key is not None and opens and draft.head(key) is None:
        version = 1
        _set_head(draft, key, Head(name, version))
    record = draft.records[name] = replace(record, id=name, version=version)
    held = Held(record, Standing(record.own, Level.OUT), 0)
    draft.held[name] = held
    draft.standings[name] = held.standing
    return held, forgotten


def _named(draft: Draft, record: Record, provenance: Provenance) -> tuple[Record, str, str]:
    """The record with its id, and what was forgotten of it. What takes the place of something without content gets an
    id of its own by superseding that. Raises NotPermitted for what was forgotten, unless the draft overrides that."""
    forgotten = ""
    while True:
        name = record_id(draft.snapshot, record, provenance)
        draft.read.add(name)
        held = draft.held.get(name)
        deleted = held is not None and held.is_deleted
        if held is None or not (is_scrubbed(held.record) or (deleted and draft.override)):
            break
        forgotten = name if deleted else forgotten
        record = replace(record, supersedes=name)
    content, source = marks_of(draft.snapshot, record, provenance)
    forgotten = forgotten or draft.snapshot.forgotten.get(source, "")
    if held is None:
        forgotten = forgotten or draft.snapshot.forgotten.get(content, "")
    if not draft.override:
        draft.unforgotten.update((source,) if held else (content, source))
    if forgotten and not draft.override:
        raise NotPermitted(
            f"this was forgotten (tombstone {forgotten})", hint="to let it in again, say why: --override REASON"
        )
    return record, name, forgotten


def note_override(draft: Draft, what: str, name: str, forgotten: str) -> None:
    """Record why something forgotten was let in again: the assertion or justification that did, the record, and the
    tombstone that it passed."""
    if not forgotten:
        return
    value = canonical({"let in": what, "record": name, "tombstone": forgotten})
    text = f"Something forgotten was let in again: {draft.override}"
    note = Record("", draft.snapshot.tenant, Role.OBSERVATION, text, Kind.PROCEDURAL, None, value, observed_at=draft.at)
    remember(draft, note, Provenance(OVERRIDE, OVERRIDES, draft.writer, Method.ASSERTED, draft.at))


def _set_head(draft: Draft, key: Key, head: Head) -> None:
    draft.heads[key] = draft.new_heads[key] = head


def justify(
    draft: Draft,
    consequent: str,
    because: Iterable[str],
    informant: str,
    provenance: Provenance,
    mode: Mode = Mode.INTERSECT,
) -> str:
    """Add a justification (or make it live again) and return its id.

    Raises InvalidInput for no antecedents or for the consequent among them, NotFound for an unknown record,
    NotPermitted when a deleted record is named.
    """
    antecedents = tuple(sorted(set(because)))
    if not antecedents:
        raise InvalidInput("a justification needs at least one antecedent", hint="add --because ID")
    if consequent in antecedents:
        raise InvalidInput(f"{consequent} can't support itself", hint="name the records that it was concluded from")
    for name in (consequent, *antecedents):
        if draft.get(name).is_deleted:
            raise NotPermitted(f"{name} is deleted", hint="a tombstone can't be part of a justification")
    link = justification_id(draft.snapshot, consequent, antecedents, informant, mode)
    if link not in draft.live:
        made = linked(draft.snapshot, consequent, antecedents, informant, provenance, mode)
        if link in draft.withdrawn_links:
            del draft.withdrawn_links[link]
        else:
            draft.justifications[link] = draft.links[link] = made
        draft.live.add(link)
    return link


def withdraw(draft: Draft, justification: str) -> None:
    """End a live justification. Raises NotFound for an unknown one; on one already withdrawn it does nothing."""
    if justification not in draft.links:
        raise NotFound(f"no justification {justification}", hint="graphmem why ID shows their ids")
    if justification in draft.live:
        draft.live.discard(justification)
        draft.withdrawn_links[justification] = None


def retract(draft: Draft, name: str, source: str = "") -> int:
    """Withdraw a premise's live assertions, all or those of one source locator; returns how many.

    Raises NotPermitted on a record that was never asserted (a justified inference or summary).
    """
    held = draft.get(name)
    if not held.live and not held.withdrawn:
        raise NotPermitted(
            f"{name} is a justified {held.record.role}, not a premise",
            hint="withdraw its justification (graphmem withdraw J) or block it (graphmem reject ID)",
        )
    going = [a for a in held.live if source in ("", a.provenance.locator)]
    if going:
        gone = {a.id for a in going}
        draft.withdrawn.update(dict.fromkeys(gone))
        draft.restand(
            replace(
                held,
                live=tuple(a for a in held.live if a.id not in gone),
                withdrawn=(*held.withdrawn, *((a, draft.snapshot.commit + 1) for a in going)),
            )
        )
    return len(going)


def reassert(draft: Draft, name: str, source: str = "") -> int:
    """Make the assertions live again that the latest withdrawal took, or those of one source; returns how many.

    Raises NotPermitted on a corrected or deleted record and on one that was never asserted.
    """
    held = draft.get(name)
    if held.block and held.block.kind not in LIFTABLE:
        raise NotPermitted(
            f"{name} was {held.block.kind} and can't be asserted again",
            hint="remember what holds now as a new record",
        )
    if not held.live and not held.withdrawn:
        raise NotPermitted(f"{name} was never asserted", hint="justify it, or remember it as an observation")
    if held.live and not source:
        return 0
    last = max((k for _, k in held.withdrawn), default=0)
    coming = [a for a, k in held.withdrawn if (a.provenance.locator == source if source else k == last)]
    if coming:
        for assertion in coming:
            draft.assert_(assertion)
        back = {a.id for a in coming}
        draft.restand(
            replace(
                held,
                live=(*held.live, *coming),
                withdrawn=tuple(w for w in held.withdrawn if w[0].id not in back),
            )
        )
    return len(coming)


def confirm(draft: Draft, name: str, provenance: Provenance) -> bool:
    """Say of a premise that it was looked at again and found so: one more assertion, as of the draft's time.

    Raises NotPermitted on what was concluded, withdrawn or blocked: that is to be justified, reasserted or lifted.
    """
    held = draft.get(name)
    if not held.live or held.block is not None:
        state = f"was {held.block.kind}" if held.block else "is no premise now"
        raise NotPermitted(
            f"{name} {state}, so it can't be confirmed",
            hint=f"see why: graphmem why {name}, or graphmem why-not {name}",
        )
    conditions = (*provenance.conditions, (CONFIRMED_AT, format_time(draft.at) or ""))
    traced = replace(provenance, source_kind=CONFIRMATION, conditions=conditions)
    assertion = assertion_of(draft.snapshot, name, replace(held.record, observed_at=draft.at), traced)
    if assertion.id in {a.id for a in held.live}:
        return False
    draft.assert_(assertion)
    draft.restand(replace(held, live=(*held.live, assertion)))
    return True


def reject(draft: Draft, name: str, by: str) -> bool:
    """Block a record against every present and later support, in the place of a quarantine; returns False when it is
    blocked otherwise already."""
    held = draft.get(name)
    if held.block is not None and held.block.kind is not BlockKind.QUARANTINED:
        return False
    draft.block(held, Block(name, BlockKind.REJECTED, by))
    return True


def unreject(draft: Draft, name: str) -> bool:
    """Lift a rejection; returns False when there is none. Raises NotPermitted on a corrected or deleted record."""
    held = draft.get(name)
    if held.block is None:
        return False
    if held.block.kind is not BlockKind.REJECTED:
        raise NotPermitted(f"{name} was {held.block.kind}, not rejected", hint="only a rejection can be lifted")
    draft.block(held, None)
    return True


def quarantine(draft: Draft, name: str, code: str) -> bool:
    """Keep a record that this draft brings out of every answer, for a reason code, and out of its key's chain; returns
    False for one that was there before: it stays as a person left it."""
    if name not in draft.records:
        return False
    held = draft.get(name)
    key = held.record.key
    if key is not None and key in draft.new_heads and draft.new_heads[key].record == name:
        del draft.heads[key], draft.new_heads[key]
    held = replace(held, record=replace(held.record, version=0))
    draft.records[name] = held.record
    draft.block(held, Block(name, BlockKind.QUARANTINED, code))
    return True


def approve(draft: Draft, name: str) -> bool:
    """Lift a quarantine; returns False when there is none."""
    held = draft.get(name)
    if held.block is None or held.block.kind is not BlockKind.QUARANTINED:
        return False
    draft.block(held, None)
    return True


def delete(draft: Draft, name: str, receipt: str) -> bool:
    """Block a record for good, in the place of a rejection or a correction, and withdraw every justification of the
    draft that names it; returns False when it is deleted already.

    This is what a deletion does to labels; erasing content is the store's part of it.
    """
    held = draft.get(name)
    if held.is_deleted:
        return False
    draft.block(held, Block(name, BlockKind.DELETED, receipt))
    for link in sorted(draft.live):
        if draft.links[link].names({name}):
            withdraw(draft, link)
    return True


def supersede(
    draft: Draft,
    old: str,
    new: Record,
    provenance: Provenance,
    *,
    how: str,
    expected_version: int | None = None,
) -> str:
    """Put a new record at the head of the old one's key and return its id.

    `how` is "change" (the world changed: the old one ends where the new one begins) or "correct" (the old one was wrong
    about what was said: it is OUT for good, and its dependants cascade). Raises Conflict with the current head when
    another record took the key first, InvalidInput for a record without a key.
    """
    held = draft.get(old)
    key = held.record.key
    if key is None:
        raise InvalidInput(f"{old} has no key, so nothing can take its place", hint="reject it instead")
    if how not in ("change", "correct"):
        raise InvalidInput(f"unknown way to supersede: {how!r}", hint="use change or correct")
    head = draft.head(key)
    version = head.version if head else held.record.version  # a key whose records were all approved has no head yet
    if (head is not None and head.record != old) or (expected_version or version) != version:
        raise Conflict(
            f"{old} isn't the head of {key} at version {expected_version or held.record.version}",
            hint="reload the head, look again, then supersede that",
            head=head.record if head else "",
            version=version,
        )
    new = replace(new, key=key, supersedes=old, version=version + 1)
    name = remember(draft, new, provenance)
    _set_head(draft, key, Head(name, version + 1))
    _retire(draft, held, name, new.own, how)
    return name


def _retire(draft: Draft, held: Held, by: str, own: Intervals, how: str) -> None:
    if how == "correct":
        if not held.is_deleted:
            draft.block(held, Block(held.record.id, BlockKind.CORRECTED, by))
        return
    left = subtract(held.record.own, own)
    if left != held.record.own:
        claimed = held.record.claimed or held.record.own
        draft.restand(replace(held, record=replace(held.record, own=left, claimed=claimed)))
