"""The Python API. Lives here: Memory, an open memory with the verbs that people and programs use. Lives elsewhere:
its questions (asking), what verbs do (services) and which store stands behind them (wiring)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from graphmem.asking import Asking, Moment
from graphmem.core.arguments import choice, moment, several, validity
from graphmem.core.errors import InvalidInput
from graphmem.core.provenance import Method, Provenance
from graphmem.core.records import Key, Kind, Mode, Record, Role, canonical, parse_key
from graphmem.ports.drafter import Drafter
from graphmem.services import consolidating, disputing, ingesting, merging, transferring, writing
from graphmem.services.committing import Written
from graphmem.services.consolidating import Consolidated
from graphmem.services.ingesting import IngestReport
from graphmem.services.transferring import ImportReport
from graphmem.services.writing import Statement, own_locator

__all__ = ["Memory", "Moment"]


class Memory(Asking):
    """An open memory of one tenant, for one writer. Use it as a context manager, or close it.

    Times are datetimes or ISO 8601 text; without an offset they are UTC. `at` asks about valid time (when something
    holds), `known_at` about known time (a commit number, or the moment whose knowledge is asked), `revision` about a
    repository's state (a name, or REPOSITORY=NAME with several repositories).
    """

    # Writing.

    def remember(
        self,
        text: str,
        *,
        role: str = "observation",
        key: str | Key | None = None,
        value: object = None,
        because: Iterable[str] = (),
        mentions: Iterable[str] = (),
        **details: Any,
    ) -> Written:
        """Keep a text whole, as one record with its provenance; the same fact again is the same record, asserted twice.

        `because` names the records that an inference or summary was concluded from. `details` are those of `statement`.
        Raises InvalidInput for an empty text or a bad detail, NotPermitted for a summary without `because`.
        """
        made = self._statement(text, role=role, key=key, value=value, mentions=mentions, **details)
        names = tuple(self.resolve(i) for i in several(because, "because"))
        informant = str(details.get("informant") or self.session.writer)
        return writing.remember(self.session, replace(made, because=names, informant=informant))

    def supersede(
        self,
        old: str,
        text: str,
        *,
        how: str = "change",
        expected_version: int | None = None,
        dry_run: bool = False,
        value: object = None,
        role: str | None = None,
        **details: Any,
    ) -> Written:
        """Put a new record in an old one's place at the head of its key.

        how="change" says that the world changed: the old record ends where the new one begins. how="correct" says that
        the old record was wrong: it and what rested on it fall. Raises Conflict, with the current head, when the old
        record isn't the head at `expected_version`.
        """
        old = self.resolve(old)
        made = self._statement(text, role=role or self.held(old).record.role, value=value, **details)
        return writing.supersede(self.session, old, made, how=how, expected_version=expected_version, dry_run=dry_run)

    def justify(
        self,
        consequent: str,
        because: Iterable[str],
        *,
        informant: str = "",
        mode: str = "intersect",
        dry_run: bool = False,
        **details: Any,
    ) -> Written:
        """Say that some records together support another. Support in a circle is allowed and holds nothing up.

        Raises InvalidInput for no antecedents, or the consequent among them; NotFound for an unknown id.
        """
        provenance = self._provenance(method=Method.DERIVED, **details)
        return writing.justify(
            self.session,
            self.resolve(consequent),
            tuple(self.resolve(i) for i in several(because, "because")),
            informant or self.session.writer,
            provenance,
            mode=choice(Mode, mode, "mode"),
            dry_run=dry_run,
        )

    def withdraw(self, justification: str, *, dry_run: bool = False) -> Written:
        """End a justification; what only it held up falls."""
        return writing.withdraw(self.session, self.resolve(justification), dry_run=dry_run)

    def retract(self, record: str, *, source: str = "", dry_run: bool = False) -> Written:
        """Withdraw a premise (all of its assertions, or those of one source locator) and what rested on it.

        Raises NotPermitted on a justified inference or summary.
        """
        return writing.on_record(self.session, "retract", self.resolve(record), source=source, dry_run=dry_run)

    def reassert(self, record: str, *, source: str = "", dry_run: bool = False) -> Written:
        """Bring a retracted premise back, and with it everything that fell with it.

        Raises NotPermitted on a corrected or deleted record.
        """
        return writing.on_record(self.session, "reassert", self.resolve(record), source=source, dry_run=dry_run)

    def confirm(self, record: str, *, dry_run: bool = False, **details: Any) -> Written:
        """Say that a premise was looked at again and found so: its support is as new as the look. `details` say what
        was looked at (`source`, `revision`, `conditions`). To have found it in an answer is no look.

        Raises NotPermitted on a record that was concluded, withdrawn or blocked.
        """
        return writing.confirm(self.session, self.resolve(record), self._provenance(**details), dry_run=dry_run)

    def reject(self, record: str, *, dry_run: bool = False) -> Written:
        """Block a record, whatever supports it now or later."""
        return writing.on_record(self.session, "reject", self.resolve(record), dry_run=dry_run)

    def unreject(self, record: str, *, dry_run: bool = False) -> Written:
        """Lift a rejection."""
        return writing.on_record(self.session, "unreject", self.resolve(record), dry_run=dry_run)

    def resolve_conflict(
        self, key: str | Key, *, reason: str, keep: str = "", value: object = None, dry_run: bool = False
    ) -> Written:
        """Decide a conflict as the writer: keep the value of a record (`keep`), or give another (`value`).

        The decision is an observation with the reason as its text, for the time in which all sides hold; every side
        stays as it is. Raises NotFound without a conflict, InvalidInput unless one of `keep` and `value` is given,
        NotPermitted where the configuration gives the writer less authority than a side has.
        """
        asked = parse_key(key) if isinstance(key, str) else key
        view, _ = self._view(None, None, "")
        decision = disputing.Decision(asked, reason, self.resolve(keep), canonical(value))
        return disputing.resolve(self.session, view, self.authority, decision, dry_run=dry_run)

    def consolidate(
        self,
        *keys: str | Key,
        into: str | Key | None = None,
        drafter: Drafter | None = None,
        dry_run: bool = False,
    ) -> Consolidated:
        """Summarise what is believed about some keys as one record of the key `into` (default: the sole key), which
        falls, and loses its text, with what it was drawn from.

        Without a `drafter` the text is made of the observations' own sentences. A draft that says anything else, cites
        anything else or has another value is kept as rejected, with the reason. Raises NotFound for a key that nothing
        seen speaks to, InvalidInput for several keys without `into`.
        """
        view, _ = self._view(None, None, "")
        asked = tuple(parse_key(key) if isinstance(key, str) else key for key in keys)
        target = parse_key(into) if isinstance(into, str) else into
        return consolidating.consolidate(
            self.session, view, self.authority, asked, target, drafter=drafter, dry_run=dry_run
        )

    def merge(self, one: str, other: str, *, reason: str, dry_run: bool = False) -> Written:
        """Say that two entities, by name or id, are one: what is asked about one finds what is known of the other. The
        answer names the record of the decision; retracting that undoes the merge.

        Raises NotFound for a name that nothing has, InvalidInput for one that several have.
        """
        return merging.merge(self.session, merging.Same(one, other, reason), dry_run=dry_run)

    def impact(self, verb: str, *arguments: Any, **details: Any) -> Written:
        """What a verb would do, by the same code, without changing a byte: retract, reassert, reject, unreject,
        withdraw, justify or supersede, with their own arguments. The commit is 0."""
        if verb not in ("retract", "reassert", "reject", "unreject", "withdraw", "justify", "supersede"):
            raise InvalidInput(f"no impact can be shown of {verb!r}", hint="see: graphmem impact --help")
        written: Written = getattr(self, verb)(*arguments, dry_run=True, **details)
        return written

    # Moving whole memories and sources.

    def ingest(
        self,
        path: str | Path,
        *,
        repository: str = "",
        revision: str = "",
        policy: str = "open",
        replace: bool = False,
        on_file: Callable[[str], None] | None = None,
        on_listed: Callable[[int], None] | None = None,
    ) -> IngestReport:
        """Read a directory, a file or a git repository into source records, code entities and edges, as the next
        generation of `repository` (default: the folder's name); what is unchanged stays as it is.

        At the root of a git repository `revision` names a commit, branch or tag to read; elsewhere it labels the state.
        What was read is the repository's present state from then on, whichever revision it is. A state that shares no
        file with the one before is refused, unless `replace` says that it takes its place.
        """
        request = ingesting.Request(Path(path), repository, revision, policy, replace)
        return ingesting.ingest(self.session, request, on_file=on_file, on_listed=on_listed)

    def export(self) -> Iterator[dict[str, Any]]:
        """Every fact of now of this tenant as JSON-ready lines; `import_lines` reads them back."""
        return transferring.export(self.store, self.session.tenant)

    def import_lines(self, lines: Iterable[str], *, on_line: Callable[[int], None] | None = None) -> ImportReport:
        """Read JSON lines of records, justifications and the rest, in batches; each batch is kept whole or not at all.

        Raises InvalidInput with the line's number on the first line that isn't right; earlier batches are kept.
        """
        return transferring.import_lines(self.session, lines, on_line=on_line)

    # The means.

    def _statement(
        self,
        text: str,
        *,
        role: str = "observation",
        key: str | Key | None = None,
        value: object = None,
        kind: str = "episodic",
        observed_at: Moment = None,
        valid_from: Moment = None,
        valid_to: Moment = None,
        authority: int = 0,
        policy: str = "open",
        sensitivity: str = "internal",
        retention: str = "standard",
        evidence_status: str = "",
        context: str = "",
        mentions: Iterable[str] = (),
        informant: str = "",
        **source: Any,
    ) -> Statement:
        record = Record(
            id="",
            tenant=self.session.tenant,
            role=choice(Role, role, "role"),
            text=text,
            kind=choice(Kind, kind, "kind"),
            key=parse_key(key) if isinstance(key, str) else key,
            value=canonical(value),
            own=validity(valid_from, valid_to),
            observed_at=0 if observed_at is None else moment(observed_at),
            authority=authority,
            context=context,
            policy=policy,
            sensitivity=sensitivity,
            retention=retention,
            evidence_status=evidence_status,
        )
        return Statement(record, self._provenance(**source), several(mentions, "mentions"), informant=informant)

    def _provenance(
        self,
        *,
        source: str = "",
        source_kind: str = "",
        revision: str = "",
        conditions: Mapping[str, str] | None = None,
        recorded_at: Moment = None,
        subject: str = "",
        owner: str = "",
        scope: str = "",
        consent: str = "",
        method: Method = Method.ASSERTED,
    ) -> Provenance:
        return Provenance(
            source_kind=source_kind or ("document" if source else "statement"),
            locator=source or own_locator(self.session.writer),
            writer=self.session.writer,
            method=method,
            captured_at=0,
            revision=revision,
            source_recorded_at=None if recorded_at is None else moment(recorded_at),
            subject=subject,
            owner=owner,
            scope=scope,
            consent=consent,
            conditions=tuple(sorted((str(k), str(v)) for k, v in (conditions or {}).items())),
        )
