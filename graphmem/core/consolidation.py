"""Several observations become one summary. Lives here: the draft of a summary, the extractive one that needs no model,
the checks that any draft must pass, and what a summary inherits. Lives elsewhere: reading the evidence and writing the
outcome (services.consolidating), models (adapters of ports.drafter).

A draft is trusted in nothing. What it says must stand, sentence by sentence, in what it cites: leaving words out of a
sentence can turn its meaning ("for guests", "only", "not"), so a paraphrase is no evidence and is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from graphmem.core.belief import Belief, Candidate
from graphmem.core.echo import compared
from graphmem.core.errors import InvalidInput
from graphmem.core.records import GROUNDING, Key, canonical

INFORMANT = "consolidation"
NO_POLICY = "open"
# From the least to the most restrictive.
SENSITIVITIES = ("public", "internal", "confidential", "restricted")

# A sentence ends at its mark and a gap or the end, at a CJK mark, and at a line's end.
_SENTENCE = re.compile(r"[^\n。！？]+?(?:[.!?]+(?=\s|\Z)|[。！？]|(?=\n|\Z))")


@dataclass(frozen=True, slots=True)
class SummaryDraft:
    """What a summary would say: its text, the ids of the observations that it cites, and its value as canonical
    JSON."""

    text: str
    cites: tuple[str, ...]
    value: str | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """The belief about each key to be summarised, and which of the ids that a draft may cite are there, by role."""

    beliefs: Mapping[Key, Belief]
    observed: Mapping[Key, Candidate]

    @property
    def winners(self) -> tuple[Candidate, ...]:
        """What each key answers with, in order of the key."""
        return tuple(self.observed[key] for key in sorted(self.observed))

    @property
    def value(self) -> str | None:
        """What a summary of these keys must have as its value: the belief of a sole key, else all by key."""
        if len(self.beliefs) == 1:
            return next(iter(self.beliefs.values())).value
        found = {str(key): json.loads(b.value) for key, b in sorted(self.beliefs.items()) if b.value is not None}
        return canonical(found) if found else None


def observed(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """The candidates that somebody saw, without those that were concluded."""
    return tuple(c for c in candidates if c.record.role in GROUNDING)


def extract(evidence: Evidence) -> SummaryDraft:
    """The draft that needs no model: of each winner the sentences that hold its value, or its key and value where none
    does."""
    lines = [line for won in evidence.winners for line in _telling(won)]
    return SummaryDraft("\n".join(lines), tuple(sorted(w.record.id for w in evidence.winners)), evidence.value)


def _telling(won: Candidate) -> Sequence[str]:
    sentences = sentences_of(won.record.text)
    if won.record.value is None:
        return sentences
    said = compared(_plain(won.record.value))
    holding = [s for s in sentences if re.search(rf"(?<!\w){re.escape(said)}(?!\w)", compared(s))]
    return holding or [stated(won)]


def stated(won: Candidate) -> str:
    """A record's key and value as one line."""
    return f"{won.record.key}: {_plain(won.record.value or '')}"


def _plain(value: str) -> str:
    """A canonical value as people write it."""
    found = json.loads(value) if value else ""
    return found if isinstance(found, str) else value


def sentences_of(text: str) -> list[str]:
    """The sentences and lines of a text, in order, without surrounding gaps."""
    return [s for found in _SENTENCE.findall(text) if (s := found.strip())]


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a draft isn't kept as a summary: a code, and what it is about (an id or a sentence's number, never text)."""

    code: str
    about: str = ""

    def __str__(self) -> str:
        return f"{self.code}({self.about})" if self.about else self.code


def refusal(draft: SummaryDraft, evidence: Evidence, roles: Mapping[str, str]) -> Refusal | None:
    """The first check that a draft fails, or None. `roles` are those of the cited ids that exist in the view."""
    return next((found for check in CHECKS for found in check(draft, evidence, roles)), None)


def _cites_something(draft: SummaryDraft, evidence: Evidence, roles: Mapping[str, str]) -> Iterable[Refusal]:
    if not draft.cites:
        yield Refusal("cites-nothing")


def _cites_what_exists(draft: SummaryDraft, evidence: Evidence, roles: Mapping[str, str]) -> Iterable[Refusal]:
    yield from (Refusal("unknown-record", name) for name in draft.cites if name not in roles)


def _cites_observations(draft: SummaryDraft, evidence: Evidence, roles: Mapping[str, str]) -> Iterable[Refusal]:
    yield from (Refusal("not-an-observation", name) for name in draft.cites if roles[name] not in GROUNDING)


def _cites_beliefs(draft: SummaryDraft, evidence: Evidence, roles: Mapping[str, str]) -> Iterable[Refusal]:
    believed = {
        won.record.id
        for key, won in evidence.observed.items()
        if (top := evidence.beliefs[key].winner) is not None and top.said == won.said
    }
    yield from (Refusal("not-believed", name) for name in draft.cites if name not in believed)


def _speaks_to_every_key(draft: SummaryDraft, evidence: Evidence, roles: Mapping[str, str]) -> Iterable[Refusal]:
    yield from (Refusal("leaves-out", str(w.record.key)) for w in evidence.winners if w.record.id not in draft.cites)


def _has_the_value(draft: SummaryDraft, evidence: Evidence, roles: Mapping[str, str]) -> Iterable[Refusal]:
    if draft.value != evidence.value:
        yield Refusal("value-differs")


def _says_nothing_else(draft: SummaryDraft, evidence: Evidence, roles: Mapping[str, str]) -> Iterable[Refusal]:
    said = {
        compared(line)
        for won in evidence.winners
        for line in (*sentences_of(won.record.text), *((stated(won),) if won.record.value is not None else ()))
    }
    found = sentences_of(draft.text)
    if not found:
        yield Refusal("says-nothing")
    for number, sentence in enumerate(found, 1):
        if compared(sentence) not in said:
            yield Refusal("asserts-more", f"sentence {number}")


Check = Callable[[SummaryDraft, Evidence, Mapping[str, str]], Iterable[Refusal]]
# In this order: each may rely on those before it.
CHECKS: tuple[Check, ...] = (
    _cites_something,
    _cites_what_exists,
    _cites_observations,
    _cites_beliefs,
    _speaks_to_every_key,
    _has_the_value,
    _says_nothing_else,
)


def inherited_policy(policies: Iterable[str]) -> str:
    """The access policy that none of the inputs is wider than. Raises InvalidInput for two that don't include each
    other."""
    narrow = sorted(set(policies) - {NO_POLICY})
    if len(narrow) > 1:
        raise InvalidInput(
            f"no policy is as narrow as {' and '.join(narrow)}", hint="consolidate what is under one policy at a time"
        )
    return narrow[0] if narrow else NO_POLICY


def inherited_sensitivity(labels: Iterable[str]) -> str:
    """The most restrictive class among the inputs. Raises InvalidInput when a class of unknown rank meets another."""
    found = sorted(set(labels))
    if len(found) == 1:
        return found[0]
    unknown = [label for label in found if label not in SENSITIVITIES]
    if unknown:
        raise InvalidInput(
            f"it isn't known how restrictive {unknown[0]} is",
            hint=f"use {', '.join(SENSITIVITIES)}, or one class alone",
        )
    return max(found, key=SENSITIVITIES.index)


def inherited(values: Iterable[str]) -> str:
    """What all inputs agree on, or nothing."""
    found = set(values)
    return found.pop() if len(found) == 1 else ""
