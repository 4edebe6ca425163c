"""Ratios against a baseline of the same run: `make bench`, or one by `python -m benchmarks.NAME`."""
