"""The drafter port: something, usually a language model, that words a summary. Lives here: the Protocol. Lives
elsewhere: what a draft must pass before it is kept (core.consolidation)."""

from __future__ import annotations

from typing import Protocol

from graphmem.core.consolidation import Evidence, SummaryDraft


class Drafter(Protocol):
    """Words summaries; nothing that it says is taken over unchecked."""

    @property
    def name(self) -> str:
        """What it is, with its version: the informant of what it drafts."""
        ...

    def draft(self, evidence: Evidence) -> SummaryDraft:
        """A draft from the evidence. Raises ProviderError when none could be had."""
        ...
