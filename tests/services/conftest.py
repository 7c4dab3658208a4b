"""Each test of this folder that takes a store runs over every store."""

from tests.conformance.fixtures import backend, place, reopened, store

__all__ = ["backend", "place", "reopened", "store"]
