"""Each test of this folder that takes a store runs over every store."""

from tests.conformance.fixtures import backend, reopened, store

__all__ = ["backend", "reopened", "store"]
