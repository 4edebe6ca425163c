"""rg-memory export: all of memory as JSON Lines, with its histories. No touches, no settings."""

from __future__ import annotations

import argparse
import codecs
import json
import os
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, TextIO

from rg_core import files
from rg_core.cli.screen import line, say, say_json, tracked
from rg_core.errors import UserError
from rg_core.nouns import counted

EPILOG = """\
One JSON object a line: a header, repositories, items, former addresses, listings; each with its whole history.
`rg-memory import FILE` reads it, also into a memory that has something already, and on either engine."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.epilog = EPILOG
    parser.add_argument("file", metavar="FILE", help="where to; - for standard output")
    parser.add_argument("--json", action="store_true", help="the summary as one JSON object (with -, on stderr)")


def run(options: argparse.Namespace) -> int:
    """Write everything; a file appears whole or not at all."""
    from rg_core.cli.reader import opened
    from rg_core.cli.store import size

    with opened(os.environ) as (_, store):
        records = tracked(store.dump(), "Exporting", size(store), wanted=not options.json)
        counts = _write(records, sys.stdout) if options.file == "-" else _write_file(records, options.file)
    summary = {"records": sum(counts.values()), **counts}
    out = sys.stderr if options.file == "-" else sys.stdout
    if options.json:
        say_json(summary, "export", indent=None, file=out)
    else:
        say(f"Exported {counted(summary['records'], 'records')} to {line(options.file)}.", out=out)
    return 0


def _write_file(records: Iterable[Mapping[str, Any]], path: str) -> Counter[str]:
    try:
        with files.stream(path) as file:
            return _write(records, codecs.getwriter("utf-8")(file))
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror}; give another file, or free some space") from error


def _write(records: Iterable[Mapping[str, Any]], file: TextIO | codecs.StreamWriter) -> Counter[str]:
    counts: Counter[str] = Counter()
    for record in map(_without_causes, records):
        file.write(json.dumps(record, separators=(",", ":")) + "\n")
        counts[str(record["record"])] += 1
    return counts


def _without_causes(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """The record without the ids of the Touches that had it fetched: those are their users' own."""
    if "states" not in record:
        return record
    return {**record, "states": [{**state, "cause": None} for state in record["states"]]}
