"""Admission: what becomes of a would-be record before anything else is asked. Lives here: the table of checks, their
verdicts and reason codes. Lives elsewhere: the configuration (core.admission_policy), what text looks like
(core.credentials, core.suspicion, core.utterances), carrying a verdict out (services.admitting).

Each check passes or gives a verdict; the first verdict stands. What no check lets through is skipped: being asked to
keep something is a purpose, having read it is none. docs/how-to/admission.md has the table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from graphmem.core.admission_policy import Keep, Policy, Purpose
from graphmem.core.provenance import CONSENT, RESOLUTION, REVIEW
from graphmem.core.records import Role
from graphmem.core.suspicion import SPECIAL, categories, guesses_about_person, instructs
from graphmem.core.utterances import DURABLE, says

ASKED = "asked"  # somebody wants this kept: a person, or an agent by a deliberate call
CONVERSATION = "conversation"  # a turn that was captured because it was said


class Outcome(StrEnum):
    """What becomes of a would-be record."""

    STORED = "stored"
    SKIPPED = "skipped"
    QUARANTINED = "quarantined"
    HYPOTHESIS = "hypothesis"
    NEEDS_REVIEW = "needs-review"
    REFUSED = "refused"


BLOCKING = frozenset({Outcome.QUARANTINED, Outcome.NEEDS_REVIEW})  # kept, but out until a person has looked


@dataclass(frozen=True, slots=True)
class Proposal:
    """A would-be record as the checks see it, its credentials already taken out; `removed` are their types, and
    `says_more` tells whether anything is left to keep. `metadata` are its conditions."""

    text: str
    writer: str
    tenant: str = ""
    role: Role = Role.OBSERVATION
    kind: str = ""
    key: str = ""
    value: str | None = None
    subject: str = ""
    owner: str = ""
    scope: str = ""
    consent: str = ""
    purpose: str = ASKED
    source: str = ""
    source_kind: str = ""
    sensitivity: str = ""
    because: tuple[str, ...] = ()
    metadata: Mapping[str, str] | None = None
    removed: tuple[str, ...] = ()
    says_more: bool = True
    consent_withdrawn: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """What becomes of a proposal: an outcome, a reason code, the check that decided, and the types of the credentials
    that were taken out. `detail` is for people and never holds text of the proposal."""

    outcome: Outcome
    code: str
    check: str
    removed: tuple[str, ...] = ()
    detail: str = ""


Found = tuple[Outcome, str, str] | None


def _purpose(p: Proposal, policy: Policy) -> Found:
    if policy.purpose(p.purpose) is Purpose.SKIP:
        return Outcome.SKIPPED, "no-purpose", "no purpose that the configuration keeps anything for"
    return None


# Names of conditions that say whose something is.
OWNING = frozenset({"owner", "owner_id", "user_id", "tenant", "tenant_id"})


def _owner(p: Proposal, policy: Policy) -> Found:
    named = {p.owner, *(v for k, v in (p.metadata or {}).items() if k.lower() in OWNING)} - {"", p.writer, p.tenant}
    if all(policy.may_own(p.writer, owner) for owner in named):
        return None
    return Outcome.REFUSED, "other-owner", "its metadata names an owner that this writer doesn't write for"


def credentials_told(types: tuple[str, ...]) -> str:
    """What people are told of credentials that refuse a write: their types alone."""
    return f"it is or holds a credential ({', '.join(types)})"


def _credentials(p: Proposal, policy: Policy) -> Found:
    if p.removed and (policy.credentials == "refuse" or not p.says_more):
        return Outcome.REFUSED, "credential", credentials_told(p.removed)
    return None


# Kinds of source that are a person's decision about what is there; the list of types isn't about them.
DECIDING = frozenset({RESOLUTION, REVIEW, CONSENT})


def _type(p: Proposal, policy: Policy) -> Found:
    if p.source_kind in DECIDING or policy.allows(p.role, p.kind, p.key, p.source_kind):
        return None
    return Outcome.SKIPPED, "type-not-allowed", "no allowed type has this role, kind, key and kind of source"


def _schema(p: Proposal, policy: Policy) -> Found:
    missing = [name for name in policy.required if not getattr(p, name)]
    if not missing:
        return None
    return Outcome.REFUSED, "missing-evidence", f"the configuration requires: {', '.join(missing)}"


def _consent(p: Proposal, policy: Policy) -> Found:
    if p.consent_withdrawn:
        return Outcome.REFUSED, "consent-withdrawn", "the consent that it names was withdrawn"
    if p.source_kind in DECIDING or p.subject in ("", p.writer):
        return None
    if p.consent or not policy.needs_consent(p.purpose):
        return None
    return Outcome.SKIPPED, "no-consent", "it is about another person, and names no consent to keep it"


def _instruction(p: Proposal, policy: Policy) -> Found:
    said = (p.text, p.value or "", p.key)
    if not any(map(instructs, said)):
        return None
    return Outcome.QUARANTINED, "instruction", "it reads like an instruction to whoever recalls it"


def _person(p: Proposal, policy: Policy) -> Found:
    concluded = p.role in (Role.INFERENCE, Role.SUMMARY)
    if not guesses_about_person(p.text, concluded=concluded):
        return None
    return Outcome.NEEDS_REVIEW, "person-inference", "it guesses at a sensitive matter of a person"


def _durable(p: Proposal, policy: Policy) -> Found:
    if policy.purpose(p.purpose) is Purpose.KEEP:
        return None
    said = says(p.text)
    return None if said in DURABLE else (Outcome.SKIPPED, said.value, "nothing in it is worth keeping")


# What each way to treat a special category does; keeping is no verdict.
_KEEPING = {
    Keep.REVIEW: Outcome.NEEDS_REVIEW,
    Keep.SKIP: Outcome.SKIPPED,
    Keep.REFUSE: Outcome.REFUSED,
}


def _special(p: Proposal, policy: Policy) -> Found:
    asked = policy.purpose(p.purpose) is Purpose.KEEP
    if p.consent or (asked and not policy.special):
        return None
    for name in categories(p.text):
        way = policy.special.get(name, Keep.KEEP if asked or name not in SPECIAL else Keep.REVIEW)
        if way is not Keep.KEEP:
            return _KEEPING[way], "special-category", f"it speaks of {name}, and names no consent"
    return None


def _conclusion(p: Proposal, policy: Policy) -> Found:
    if p.role not in (Role.INFERENCE, Role.SUMMARY) or p.because:
        return None
    return Outcome.HYPOTHESIS, "no-observations", "it is a conclusion that names no observation"


# The order matters: what may not be kept at all comes before what is doubtful, and that before what is merely useless.
CHECKS: tuple[tuple[str, Callable[[Proposal, Policy], Found]], ...] = (
    ("purpose", _purpose),
    ("owner", _owner),
    ("credentials", _credentials),
    ("type", _type),
    ("schema", _schema),
    ("consent", _consent),
    ("instruction", _instruction),
    ("person", _person),
    ("durable", _durable),
    ("special", _special),
    ("conclusion", _conclusion),
)


def judge(proposal: Proposal, policy: Policy) -> Verdict:
    """The verdict of the first check that has one; else the proposal is stored, for what it says or because it was
    asked for."""
    for name, check in CHECKS:
        found = check(proposal, policy)
        if found is not None:
            outcome, code, detail = found
            return Verdict(outcome, code, name, proposal.removed, detail)
    if proposal.removed:
        return Verdict(Outcome.STORED, "scrubbed", "credentials", proposal.removed, "kept without its credentials")
    if policy.purpose(proposal.purpose) is Purpose.DURABLE:
        return Verdict(Outcome.STORED, says(proposal.text).value, "durable")
    return Verdict(Outcome.STORED, proposal.purpose, "purpose")
