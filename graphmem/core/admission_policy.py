"""What a tenant lets into its memory, by configuration. Lives here: the policy, its sane default, and reading it from
TOML text. Lives elsewhere: the checks that ask it (core.admission), the file itself (wiring).

A pattern is literal text in which `*` stands for any characters and `?` for one, as in the authority rules.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from graphmem.core.authority import ANY, matches
from graphmem.core.errors import InvalidInput
from graphmem.core.suspicion import CATEGORIES


class Purpose(StrEnum):
    """What a purpose is good for: keeping what is given, keeping what is durable in it, or nothing."""

    KEEP = "keep"
    DURABLE = "durable"
    SKIP = "skip"


class Keep(StrEnum):
    """How a special category of personal data is treated."""

    KEEP = "keep"
    REVIEW = "needs-review"
    SKIP = "skip"
    REFUSE = "refuse"


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=False)


class Allowed(_Table):
    """A type that may be kept: all of its patterns match."""

    role: str = ANY
    kind: str = ANY
    key: str = ANY
    source_kind: str = ANY

    def admits(self, role: str, kind: str, key: str, source_kind: str) -> bool:
        pairs = ((self.role, role), (self.kind, kind), (self.key, key), (self.source_kind, source_kind))
        return all(matches(pattern, text) for pattern, text in pairs)


class Owning(_Table):
    """A writer that may name owners other than itself."""

    writer: str
    owner: str


Evidence = Literal["source", "source_kind", "subject", "owner", "scope", "consent", "key"]


class Policy(_Table):
    """What one tenant lets in. Purposes that aren't named, and types once any is allowed, are kept for nothing."""

    credentials: Literal["scrub", "refuse"] = "scrub"
    consent: Literal["conversation", "always", "never"] = "conversation"
    four_eyes: bool = False
    required: tuple[Evidence, ...] = ()
    purposes: Mapping[str, Purpose] = {"asked": Purpose.KEEP, "conversation": Purpose.DURABLE}
    special: Mapping[str, Keep] = {}
    allow: tuple[Allowed, ...] = ()
    owners: tuple[Owning, ...] = ()

    @field_validator("special")
    @classmethod
    def _known(cls, given: Mapping[str, Keep]) -> Mapping[str, Keep]:
        if unknown := sorted(given.keys() - CATEGORIES.keys()):
            raise ValueError(f"no category {unknown[0]}; there are {', '.join(CATEGORIES)}")
        return given

    def purpose(self, name: str) -> Purpose:
        """What a purpose is good for; one that isn't named is good for nothing."""
        return self.purposes.get(name, Purpose.SKIP)

    def needs_consent(self, purpose: str) -> bool:
        """Whether keeping something about another person for a purpose takes that person's consent."""
        return self.consent == "always" or (
            self.consent == "conversation" and self.purpose(purpose) is not Purpose.KEEP
        )

    def may_own(self, writer: str, owner: str) -> bool:
        """Whether a writer may name an owner other than itself and its tenant."""
        return any(matches(rule.writer, writer) and matches(rule.owner, owner) for rule in self.owners)

    def allows(self, role: str, kind: str, key: str, source_kind: str) -> bool:
        """Whether a type is on the list; without a list every type is."""
        return not self.allow or any(rule.admits(role, kind, key, source_kind) for rule in self.allow)


class Policies(Policy):
    """A configuration: the policy of every tenant, and what single tenants have otherwise; `name` is for people."""

    name: str = ""
    tenant: Mapping[str, Mapping[str, Any]] = {}

    def of(self, tenant: str) -> Policy:
        """The policy of a tenant: what its own table says, and the rest from the top of the file."""
        own = self.tenant.get(tenant, {})
        shared = {field: getattr(self, field) for field in Policy.model_fields}
        return Policy.model_validate(shared | dict(own))


DEFAULT = Policy()
UNCONFIGURED = Policies()


def parse_policies(text: str, name: str) -> Policies:
    """Read the TOML text of a configuration that people know as `name`.

    Raises InvalidInput, with the name and the field, for what isn't TOML, unknown fields and values that don't fit.
    """
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _wrong(name, f"it isn't TOML: {error}") from error
    if "name" in found:
        raise _wrong(name, "name: unknown field")
    try:
        made = Policies.model_validate(found | {"name": name})
        for table in made.tenant.values():
            Policy.model_validate(dict(table))
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        raise _wrong(name, f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from error
    return made


def _wrong(name: str, what: str) -> InvalidInput:
    return InvalidInput(f"{name}: {what}", hint="see the table in docs/how-to/admission.md")
