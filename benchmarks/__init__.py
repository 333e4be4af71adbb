"""Benchmarks: how long, how many, how large. `python -m benchmarks`; `docs/benchmarks.md` explains each figure."""
