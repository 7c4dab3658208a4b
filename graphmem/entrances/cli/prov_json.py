"""An audit as W3C PROV-JSON. Lives here: what each part of an audit is in PROV. Lives elsewhere: the audit
(services.auditing); the serialization, which is the library prov's (an extra).

Records and sources are entities, justifications activities, writers agents. An assertion is an attribution and a
derivation from its source, an edge an influence, supersession a revision. A record that was ended and that nothing
holds up any more is invalidated.
Source: W3C PROV-DM and PROV-JSON, https://www.w3.org/TR/prov-dm/.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote

from graphmem.core.auditing import Entry
from graphmem.core.errors import Unsupported
from graphmem.core.lifetimes import History, ending

NAMESPACE = "urn:graphmem:"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def prov_document(entries: Iterable[Entry], history: History) -> Any:
    """The statements of an audit as a ProvDocument. Raises Unsupported without the extra prov."""
    return _Statements(history).of(entries)


class _Statements:
    """Statements in the making; each thing is declared once."""

    def __init__(self, history: History) -> None:
        try:
            from prov.model import ProvDocument
        except ImportError as error:
            raise Unsupported("PROV needs its library", hint="pip install 'graphmem[prov]'") from error
        self.document: Any = ProvDocument()
        self.document.add_namespace("graphmem", NAMESPACE)
        self.history = history
        self._declared: set[str] = set()

    def of(self, entries: Iterable[Entry]) -> Any:
        say = {"assertion": self._assertion, "justification": self._justification, "edge": self._edge}
        for entry in entries:
            say[entry.kind](entry)
        for name in sorted(self._declared & self.history.lives.keys()):
            self._fate(name)
        return self.document

    def _fate(self, name: str) -> None:
        """What a record took the place of, and what ended it when nothing holds it up any more."""
        life, ended = self.history.lives[name], ending(self.history, name)
        if life.record.supersedes:
            self.document.wasRevisionOf(_name(name), self._record(life.record.supersedes))
        if ended is not None and not life.label(self.history.known):
            self.document.wasInvalidatedBy(_name(name), None, _time(self.history.commits[ended.commit].at))

    def _assertion(self, entry: Entry) -> None:
        record = self._record(entry.names[0])
        source = self._thing("source:" + entry.provenance.locator, {"prov:label": entry.provenance.locator})
        self.document.wasAttributedTo(record, self._agent(entry.provenance.writer), _place(entry), _ended(entry))
        self.document.wasDerivedFrom(record, source)

    def _justification(self, entry: Entry) -> None:
        consequent, *antecedents = entry.names
        activity = _place(entry)
        self.document.activity(activity, _time(entry.at), None, {"prov:label": entry.detail} | _ended(entry))
        self.document.wasAssociatedWith(activity, self._agent(entry.provenance.writer))
        for antecedent in antecedents:
            self.document.used(activity, self._record(antecedent))
            self.document.wasDerivedFrom(self._record(consequent), self._record(antecedent), activity)
        self.document.wasGeneratedBy(self._record(consequent), activity, _time(entry.at))

    def _edge(self, entry: Entry) -> None:
        first, second = (self._record(name) for name in entry.names)
        self.document.wasInfluencedBy(second, first, _place(entry), {"prov:label": entry.detail})

    def _record(self, name: str) -> str:
        life = self.history.lives.get(name)
        return self._thing(name, {"prov:type": life.record.role.value} if life else {})

    def _thing(self, name: str, attributes: Mapping[str, str]) -> str:
        if name not in self._declared:
            self._declared.add(name)
            self.document.entity(_name(name), attributes)
        return _name(name)

    def _agent(self, writer: str) -> str:
        name = "writer:" + writer
        if name not in self._declared:
            self._declared.add(name)
            self.document.agent(_name(name), {"prov:label": writer})
        return _name(name)


def _name(name: str) -> str:
    """A qualified name, whatever the name is made of."""
    return "graphmem:" + quote(name, safe="-.")


def _place(entry: Entry) -> str:
    return _name(f"{entry.id}.{entry.commit}")


def _ended(entry: Entry) -> dict[str, Any]:
    """The commit that withdrew an assertion or justification, where there is one."""
    return {"graphmem:ended": entry.ended} if entry.ended else {}


def _time(micros: int) -> datetime:
    return _EPOCH + timedelta(microseconds=micros)
