"""Measurements of what graphmem promises, each run by `python -m benchmarks.NAME`. What must hold is in tests/."""
