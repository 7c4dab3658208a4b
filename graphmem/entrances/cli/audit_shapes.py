"""What programs read about the past. Lives here: the JSON results of diff, history and audit. Lives elsewhere: the
other commands' (shapes)."""

from __future__ import annotations

from graphmem.core.envelope import provenance_json, record_json
from graphmem.core.labels import Label, Level, shape
from graphmem.core.lifetimes import Commit
from graphmem.core.times import format_time
from graphmem.entrances.cli.shapes import Json, turns_json
from graphmem.services.auditing import Audit, Diff, Story


def diff_json(found: Diff) -> Json:
    """What changed between two commits."""
    return {
        "since": found.since,
        "until": found.until,
        "counts": dict(found.counts),
        "records": [
            {
                "record": record_json(found.records[m.record]),
                "way": m.way(found.at),
                "before": _label_json(m.before),
                "after": _label_json(m.after),
            }
            for m in found.moved
        ],
        "beliefs": turns_json(found.turns),
        "next": found.next or None,
        "partial": found.partial,
    }


def _label_json(label: Label) -> list[Json]:
    return [{"from": format_time(a), "to": format_time(b), "status": Level(level).name} for a, b, level in shape(label)]


def story_json(found: Story) -> Json:
    """Everything that happened to a record or a key."""
    lives = sorted(found.history.lives.values(), key=lambda life: (life.born, life.record.id))
    endings = {name: {"how": e.how, "commit": e.commit, "by": e.by} for name, e in found.endings.items()}
    return {
        "subject": found.subject,
        "records": [
            {
                "record": record_json(life.record),
                "commit": life.born,
                "provenance": [provenance_json(a.value.provenance) for a in life.assertions],
                "ended": endings.get(life.record.id),
            }
            for life in lives
        ],
        "events": [{"commit": e.commit, "record": e.record, "what": e.what, "detail": e.detail} for e in found.events],
        "commits": [_commit_json(c) for _, c in sorted(found.history.commits.items())],
        "beliefs": turns_json(found.turns),
        "partial": found.partial,
    }


def _commit_json(commit: Commit) -> Json:
    return {"commit": commit.k, "at": format_time(commit.at), "writer": commit.writer, "verb": commit.verb}


def audit_json(found: Audit) -> Json:
    """What came from somewhere, and what rests on it."""
    return {
        "counts": dict(found.found.counts),
        "entries": [
            {
                "kind": e.kind,
                "id": e.id,
                "commit": e.commit,
                "at": format_time(e.at),
                "ended": e.ended or None,
                "names": list(e.names),
                "detail": e.detail,
                "provenance": provenance_json(e.provenance),
            }
            for e in found.found.entries
        ],
        "next": found.next or None,
        "partial": found.partial,
    }
