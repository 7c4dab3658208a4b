"""What programs read. Lives here: the JSON result of each command, as docs/reference/json.md describes it and
cli.schema.json holds it. Lives elsewhere: the shapes that every entrance shares (core.envelope).

Proofs are flat lists in which records name one another, because a proof may be deeper than a JSON reader likes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from graphmem.core.belief import Belief, Candidate
from graphmem.core.envelope import provenance_json, record_json
from graphmem.core.explain import Step, WhyNot, steps
from graphmem.core.labels import Level, level_at
from graphmem.core.lifetimes import Said, Turn
from graphmem.core.records import Assertion
from graphmem.core.times import format_time
from graphmem.core.views import Generation, Held, Status
from graphmem.services.committing import Written
from graphmem.services.copying import KINDS, CopyReport
from graphmem.services.disputing import Page
from graphmem.services.explaining import Why, WhyNotValue
from graphmem.services.ingesting import IngestReport
from graphmem.services.transferring import ImportReport

Json = dict[str, Any]


def written_json(written: Written, *, dry_run: bool = False) -> Json:
    """What a write did, or would do."""
    return {
        "id": written.id,
        "verb": written.verb,
        "commit": written.commit,
        "changed": written.changed,
        "dry_run": dry_run,
        "fell": list(written.fell),
        "rose": list(written.rose),
        "notes": list(written.notes),
        "ack": None if dry_run else written.ack.value,
        "partial": written.partial,
        "beliefs": turns_json(written.beliefs),
    }


def turns_json(turns: Iterable[Turn]) -> list[Json]:
    """Beliefs before and after; the commit is 0 where it is between two, or not made."""
    return [
        {"key": str(t.key), "commit": t.commit, "before": _said_json(t.before), "after": _said_json(t.after)}
        for t in turns
    ]


def _said_json(said: Said) -> Json:
    return {"record": said.record or None, "value": value_json(said.value), "contested": list(said.contested)}


def belief_json(belief: Belief) -> Json:
    """The answer for a key; `winner` is null where nothing observed speaks to it."""
    return {
        "key": str(belief.key),
        "value": value_json(belief.value),
        "is_default": belief.is_default,
        "winner": candidate_json(belief.winner) if belief.winner else None,
        "contested": [candidate_json(c) for c in belief.contested],
    }


def candidate_json(candidate: Candidate) -> Json:
    """A record that speaks to a key, with what it is compared on."""
    return record_json(candidate.record) | {
        "authority": candidate.authority,
        "observed_at": format_time(candidate.observed_at),
        "commit": candidate.commit,
        "support": candidate.justification or "premise",
    }


def page_json(page: Page[Any]) -> Json:
    """How far a page of keys went, and where the next one begins."""
    after = None if page.after is None else str(page.after)
    return {"looked_at": page.looked_at, "count": page.count, "after": after, "partial": page.partial}


def value_json(value: str | None) -> Any:
    """A canonical value as JSON."""
    return None if value is None else json.loads(value)


def why_json(why: Why) -> Json:
    """A proof or a refutation, and every record that it names."""
    status = Level(why.proof.level) if why.proof else Level.OUT
    return {
        "record": why.record,
        "status": status.name,
        "proof": [_step_json(s) for _, s in steps(why.proof)] if why.proof else None,
        "refutation": refutation_json(why.refutation) if why.refutation else None,
        "records": records_json(why.records),
        "partial": why.partial,
        "alternatives": [list(names) for names in why.alternatives],
        "sources": list(why.sources),
    }


def _step_json(step: Step) -> Json:
    link = step.justification
    return {
        "record": step.record,
        "status": Level(step.level).name,
        "rank": step.rank,
        "justification": link.id if link else None,
        "informant": link.informant if link else None,
        "mode": link.mode.value if link else None,
        "antecedents": list(link.antecedents) if link else [],
        "repeated": step.repeated,
        "cut": step.cut,
    }


def refutation_json(root: WhyNot) -> list[Json]:
    """Reasons for OUT, each before those that it follows from."""
    found, pending = [], [root]
    while pending:
        reason = pending.pop()
        found.append(
            {
                "record": reason.record,
                "reason": reason.reason,
                "detail": reason.detail,
                "failures": [
                    {
                        "justification": f.justification,
                        "informant": f.informant,
                        "failing": [w.record for w in f.failing],
                    }
                    for f in reason.failures
                ],
                "repeated": reason.repeated,
            }
        )
        pending += [w for f in reversed(reason.failures) for w in reversed(f.failing)]
    return found


def why_not_value_json(why: WhyNotValue) -> Json:
    """Why a key doesn't have a value: what it has, and what became of each record that says the value."""
    return {
        "key": str(why.key),
        "value": value_json(why.value),
        "belief": belief_json(why.belief),
        "losers": [
            {
                "record": loser.record,
                "reason": loser.reason,
                "refutation": refutation_json(loser.refutation) if loser.refutation else None,
            }
            for loser in why.losers
        ],
        "records": records_json(why.records),
        "partial": why.partial,
    }


def held_json(held: Held, now: int) -> Json:
    """A record as it is kept, with all who put it forward."""
    return {
        "record": record_json(held.record),
        "status": Level(level_at(held.label, now)).name,
        "confirmed_at": format_time(held.confirmed_at) if held.live else None,
        "assertions": [_assertion_json(a) for a in held.live],
        "withdrawn": [_assertion_json(a) | {"withdrawn_by": commit} for a, commit in held.withdrawn],
        "block": {"kind": held.block.kind.value, "by": held.block.by} if held.block else None,
    }


def _assertion_json(assertion: Assertion) -> Json:
    return {
        "id": assertion.id,
        "authority": assertion.authority,
        "observed_at": format_time(assertion.observed_at),
        "provenance": provenance_json(assertion.provenance),
    }


def records_json(records: Mapping[str, Held]) -> Json:
    """Records by id, in order of id."""
    return {name: record_json(held.record) for name, held in sorted(records.items())}


def status_json(status: Status) -> Json:
    """Counts and facts about the store."""
    return {
        "backend": status.backend,
        "location": status.location,
        "schema_version": status.schema_version,
        "commit": status.commit,
        "counts": dict(status.counts),
        "roles": dict(status.roles),
        "jobs": dict(status.jobs),
        "repositories": [_generation_json(g) for g in status.heads],
    }


def _generation_json(generation: Generation) -> Json:
    return {
        "repository": generation.repository,
        "generation": generation.ordinal,
        "revision": generation.revision,
        "begins": format_time(generation.begins),
    }


def ingest_json(report: IngestReport) -> Json:
    """What an ingest did."""
    return {
        "repository": report.repository,
        "revision": report.revision,
        "generation": report.generation,
        "commit": report.commit,
        "files": report.files,
        "records": {"born": report.born, "died": report.died, "unchanged": report.unchanged},
        "entities": report.entities,
        "edges": report.edges,
        "unresolved": dict(report.unresolved),
        "skipped": [{"path": path, "reason": reason} for path, reason in report.skipped],
        "problems": [{"path": path, "problem": problem} for path, problem in report.problems],
        "fell": list(report.fell),
        "rose": list(report.rose),
    }


def import_json(report: ImportReport) -> Json:
    """What an import did; `ids` gives each ref of the file its record's or justification's id."""
    return {
        "lines": report.lines,
        "records": report.records,
        "justifications": report.justifications,
        "edges": report.edges,
        "entities": report.entities,
        "superseded": report.superseded,
        "unchanged": report.unchanged,
        "commits": report.commits,
        "ids": dict(report.ids),
    }


def copy_json(report: CopyReport) -> Json:
    """What a copy did, and count and digest of each kind of fact on both sides."""
    return {
        "tenant": report.tenant,
        "source": report.source_location,
        "target": report.target_location,
        "commits": report.commits,
        "equal": report.equal,
        "compared_by": "id" if report.same_ids else "content",
        "kinds": {
            kind: {
                "equal": report.source[kind] == report.target[kind],
                "source": {"count": report.source[kind].count, "digest": report.source[kind].digest},
                "target": {"count": report.target[kind].count, "digest": report.target[kind].digest},
            }
            for kind in KINDS
        },
    }
