"""How long a code graph takes: python benchmarks/code_graph.py DIR...; each DIR is a Git repository with Python.

Prints, for each, what was found, the time of the first reading, and of a second one in which every blob is known, as a
ratio to parsing alone in the same run.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from time import perf_counter

from rg_core.assets.imports.python_calls import Calls
from rg_core.assets.imports.python_source import extract

from rg_core.assets.imports.code import files, sources
from rg_core.documents import history
from rg_core.store.asset_rows import CallRow


class Memory:
    """What parsing gave, in this process."""

    def __init__(self) -> None:
        self.results: dict[str, bytes] = {}

    def parsed(self, extractor: str, blobs: Sequence[str]) -> Mapping[str, bytes]:
        """As rg_core.assets.store."""
        return {blob: self.results[blob] for blob in blobs if blob in self.results}

    def keep_parsed(self, extractor: str, results: Mapping[str, bytes]) -> None:
        """As rg_core.assets.store."""
        self.results.update(results)


def timed(directory: str, cache: Memory) -> tuple[float, Calls, int, int]:
    begin = perf_counter()
    calls = Calls(sources(directory, files(directory), cache, keep=True))
    rows = list(calls.calls())
    resolved = sum(isinstance(row, CallRow) for row in rows)
    return perf_counter() - begin, calls, resolved, len(rows) - resolved


def main() -> None:
    for directory in sys.argv[1:]:
        blobs = list(files(directory).values())
        begin, lines = perf_counter(), 0
        for _, data in history.blobs(directory, blobs, 1 << 20):
            lines += (data or b"").count(b"\n")
            extract(data or b"")
        parsing = perf_counter() - begin
        cache = Memory()
        first, calls, resolved, maybe = timed(directory, cache)
        again, *_ = timed(directory, cache)
        print(
            f"{directory}: {lines:,} lines, {len(calls.sources):,} files, {sum(1 for _ in calls.symbols()):,} symbols, "
            f"{resolved:,} resolved calls, {maybe:,} by name only\n"
            f"  parsing alone {parsing:.1f} s; first {first:.1f} s ({first / parsing:.2f}x); "
            f"nothing changed {again:.1f} s ({again / parsing:.2f}x)"
        )


if __name__ == "__main__":
    main()
