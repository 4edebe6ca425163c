"""rg-memory import: JSON Lines of an export into memory."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from rg_core.cli.screen import say, say_json, tracked, warn
from rg_core.errors import UserError
from rg_core.nouns import counted

EPILOG = """\
What is stored stays: histories are joined, and importing a file again changes nothing. An import that is interrupted
has stored what it read; run it again. Afterwards hooks know what was imported."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.epilog = EPILOG
    parser.add_argument("file", metavar="FILE", help="what `rg-memory export` wrote; - for standard input")
    parser.add_argument("--json", action="store_true", help="the summary as one JSON object")


def run(options: argparse.Namespace) -> int:
    """Load everything, then rebuild the hooks' index."""
    from rg_core.cli.reader import opened
    from rg_core.cli.store import reindex

    wanted = not options.json
    with _opened(options.file) as lines, opened(os.environ) as (_, store):
        count = store.load(tracked(_records(lines, options.file), "Importing", wanted=wanted))
        known = reindex(store, wanted=wanted)
    summary = {"records": count, "known": known}
    if options.json:
        say_json(summary, "import_", indent=None)
    else:
        say(f"Imported {counted(count, 'records')}; hooks know {counted(known, 'addresses')}.")
    return 0


@contextmanager
def _opened(path: str) -> Iterator[Iterable[bytes]]:
    if path == "-":
        yield sys.stdin.buffer
        return
    try:
        file = open(path, "rb")  # noqa: SIM115 - closed below; only opening is explained here
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}; give what `rg-memory export` wrote") from error
    with file:
        yield file


def _records(lines: Iterable[bytes], name: str) -> Iterator[Mapping[str, Any]]:
    first = True
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise UserError(f"line {number} of {name} is not JSON ({error}); make the export again") from error
        if not isinstance(record, dict) or (first and record.get("record") != "rg-memory"):
            raise UserError(f"line {number} of {name} is no record of an export; give what `rg-memory export` wrote")
        first = False
        if record.get("record") == "resource" and record.get("node_id", "") is None:
            warn(f"line {number} of {name} was another program's node, which release 0.1 exported too; left out")
            continue
        yield record
