"""The detector port: which credentials a text holds. Lives here: the Protocol. Lives elsewhere: the forms known without
a library (core.credentials), the library (adapters.detector_secrets)."""

from __future__ import annotations

from typing import Protocol

from graphmem.core.credentials import Finding


class Detector(Protocol):
    """Finds credentials. It is called for every write, so a text without any must cost next to nothing."""

    def find(self, text: str) -> tuple[Finding, ...]:
        """The credentials of a text in no order, each once; time is linear in its length. Raises nothing."""
        ...

    def strong(self, text: str) -> tuple[Finding, ...]:
        """Those alone that are told by their own form, whatever stands around them: for source code."""
        ...
