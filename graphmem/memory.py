"""The Python API. Lives here: Memory, an open memory with the verbs that people and programs use. Lives elsewhere:
its questions (asking), its upkeep (tending), what verbs do (services) and which store stands behind them (wiring)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from graphmem.asking import Moment
from graphmem.core.admission import ASKED, Verdict
from graphmem.core.arguments import choice, moment, several, validity
from graphmem.core.errors import InvalidInput, NotPermitted
from graphmem.core.provenance import Method, Provenance, own_locator
from graphmem.core.records import Key, Kind, Mode, Record, Role, canonical, parse_key
from graphmem.services import disputing, exporting, ingesting, maintaining, transferring, writing
from graphmem.services.admitting import assess
from graphmem.services.committing import Ack, Written
from graphmem.services.ingesting import IngestReport
from graphmem.services.transferring import ImportReport
from graphmem.services.writing import Statement
from graphmem.tending import Tending

__all__ = ["Memory", "Moment"]


class Memory(Tending):
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
        ack: str = "committed",
        **details: Any,
    ) -> Written:
        """Keep a text whole, as one record with its provenance; the same fact again is the same record, asserted twice.

        `ack` says how far the write must get before this returns: "committed" (durable), "indexed" (its jobs are done
        too), or "buffered" (accepted by this process, which commits it with others within a tenth of a second, at the
        next `flush` or at closing; until then no read finds it and a crash loses it).

        `because` names the records that an inference or summary was concluded from. `details` are those of `statement`.
        `purpose` says why it is to be kept: "asked" (somebody wants it kept) or "conversation" (it was said, and is
        skipped unless it says something durable). The acknowledgement has the `outcome` and `code` of admission.
        `override` is why something is kept although it was forgotten, and is itself recorded. Raises InvalidInput for
        an empty text or a bad detail, NotPermitted for what admission refuses and for what was forgotten.
        """
        made = self._statement(text, role=role, key=key, value=value, mentions=mentions, **details)
        names = tuple(self.resolve(i) for i in several(because, "because"))
        informant = str(details.get("informant") or self.session.writer)
        made = replace(made, because=names, informant=informant)
        far = choice(Ack, ack, "ack")
        if far is Ack.BUFFERED:
            return self._buffer.add(made)
        done = writing.remember(self.session, made)
        return maintaining.indexed(self.session, self.handlers, done) if far is Ack.INDEXED else done

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

    def admission_check(self, text: str, *, because: Iterable[str] = (), **details: Any) -> Verdict:
        """What would become of a text that is to be remembered with these details, and which check decides; nothing is
        written. Raises InvalidInput as `remember` does."""
        made = replace(self._statement(text, **details), because=several(because, "because"))
        return assess(self.session, writing.prepare(made, self.clock.now())).verdict

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

    def impact(self, verb: str, *arguments: Any, **details: Any) -> Written:
        """What a verb would do, by the same code, without changing a byte: retract, reassert, reject, unreject,
        withdraw, justify or supersede, with their own arguments. The commit is 0."""
        if verb not in ("retract", "reassert", "reject", "unreject", "withdraw", "justify", "supersede"):
            raise InvalidInput(f"no impact can be shown of {verb!r}", hint="see: graphmem impact --help")
        written: Written = getattr(self, verb)(*arguments, dry_run=True, **details)
        return written

    def close(self) -> None:
        """Commit what is buffered, end the background work after the window at hand, and close the store. Raises what
        `flush` does; closing again does nothing."""
        self.stop_maintaining()
        try:
            self._buffer.close()
        finally:
            super().close()

    # Moving whole memories and sources.

    def ingest(
        self,
        path: str | Path,
        *,
        repository: str = "",
        revision: str = "",
        policy: str = "open",
        replace: bool = False,
        override: str = "",
        on_file: Callable[[str], None] | None = None,
        on_listed: Callable[[int], None] | None = None,
    ) -> IngestReport:
        """Read a directory, a file or a git repository into source records, code entities and edges, as the next
        generation of `repository` (default: the folder's name); what is unchanged stays as it is.

        At the root of a git repository `revision` names a commit, branch or tag to read; elsewhere it labels the state.
        What was read is the repository's present state from then on, whichever revision it is. A state that shares no
        file with the one before is refused, unless `replace` says that it takes its place; so is what was forgotten,
        unless `override` says why it is let in again.
        """
        request = ingesting.Request(Path(path), repository, revision, policy, replace, override)
        return ingesting.ingest(self.session, request, on_file=on_file, on_listed=on_listed)

    def export(self, subject: str = "") -> Iterator[dict[str, Any]]:
        """Every fact of now of this tenant as JSON-ready lines; `import_lines` reads them back.

        With a `subject` only what describes them: records about them or of their keys, their consent, all that was
        concluded from those, and the edges and names that come with it. Raises NotPermitted where only some policies
        are read: an export holds all.
        """
        if self.policies is not None:
            raise NotPermitted("an export holds records of every policy", hint="open the memory without policies")
        return exporting.export(self.store, self.session.tenant, subject)

    def import_lines(
        self, lines: Iterable[str], *, override: str = "", on_line: Callable[[int], None] | None = None
    ) -> ImportReport:
        """Read JSON lines of records, justifications and the rest, in batches; each batch is kept whole or not at all.
        What was forgotten is refused, unless `override` says why it is let in again.

        Raises InvalidInput with the line's number on the first line that isn't right; earlier batches are kept.
        """
        return transferring.import_lines(self.session, lines, override=override, on_line=on_line)

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
        purpose: str = ASKED,
        override: str = "",
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
        return Statement(
            record,
            self._provenance(**source),
            several(mentions, "mentions"),
            informant=informant,
            purpose=purpose,
            override=override,
        )

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
