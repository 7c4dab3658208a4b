"""Measurements of what graphmem promises. Each is run by `python -m benchmarks.NAME`; the tests are elsewhere (tests/)."""
