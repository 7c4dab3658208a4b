"""The one error tree of graphmem. Lives here: every error a caller can meet. Lives elsewhere: the translation of
foreign errors (in adapters) and the mapping to exit codes (in entrances)."""

from __future__ import annotations


class GraphmemError(Exception):
    """The root of every error graphmem raises on purpose.

    `code` is stable and machine readable, `retryable` says whether the same call may succeed later, `hint` says what to
    do next. A message names what went wrong and which id; it never carries record text or a secret.
    """

    code = "error"
    retryable = False

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class InvalidInput(GraphmemError):
    """The caller's words are wrong: nothing was read or written."""

    code = "invalid-input"


class NotFound(GraphmemError):
    """A named id, key, path or revision isn't in the stated scope."""

    code = "not-found"


class NotPermitted(GraphmemError):
    """The verb is refused for this principal or for the state that the record is in."""

    code = "not-permitted"


class Conflict(GraphmemError):
    """Another writer came first; `head` is the current head to reload from, where there is one."""

    code = "conflict"
    retryable = True

    def __init__(self, message: str, *, hint: str = "", head: str = "", version: int = 0) -> None:
        super().__init__(message, hint=hint)
        self.head = head
        self.version = version


class LeaseLost(Conflict):
    """The lease that a commit was made under is gone, or its record was deleted: what was to be installed is stale."""

    retryable = False


class Unsupported(GraphmemError):
    """The backend or this installation lacks a capability."""

    code = "unsupported"


class StoreUnavailable(GraphmemError):
    """The store can't be reached, opened, read or written at the moment."""

    code = "store-unavailable"
    retryable = True


class CommitUnknown(GraphmemError):
    """The store stopped answering during a commit: the write may or may not be there."""

    code = "commit-unknown"
    retryable = True


class DeadlineExceeded(GraphmemError):
    """What was asked took longer than there was time for, and was stopped where it ran."""

    code = "deadline-exceeded"
    retryable = True


class CorruptStore(GraphmemError):
    """The file or database isn't a memory, is damaged, or was written by a newer version."""

    code = "corrupt-store"


class IndexBehind(GraphmemError):
    """A side index hasn't caught up with the commit that the caller asked for."""

    code = "index-behind"
    retryable = True


class ProviderError(GraphmemError):
    """An outside provider (embedding, model) failed."""

    code = "provider-error"
    retryable = True
