"""rg-memory explain: which Addresses a tool call, a prompt or an argument yields, and why not."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rg_core import paths
from rg_core.address import Found, of_argument, of_call, of_prompt
from rg_core.cli.screen import as_json, say_json
from rg_core.errors import UserError

if TYPE_CHECKING:
    from rg_core.address.found import Remotes

EPILOG = """\
Prints {"addresses": [{"kind", "key", "limit", "order"}], "why": "..."}; limit null asks for all, order is null
for what is no listing. Nothing is run, fetched or recorded.

  rg-memory explain --tool Bash --input '{"command": "gh issue list -R cli/cli -l bug"}'
  rg-memory explain --prompt 'see https://github.com/cli/cli/issues/1'
  rg-memory explain --address cli/cli#1
  rg-memory explain --jsonl < rows.jsonl

A row of --jsonl is {"tool", "input", "cwd"?}, {"prompt"} or {"address"}. A row may say the Git remotes of its working
directory itself: "cwd_remotes": {"origin": "git@github.com:o/r.git"}."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.epilog = EPILOG
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--tool", metavar="NAME", help="a tool call: the harness's name of the tool, with --input")
    what.add_argument("--prompt", metavar="TEXT", help="a prompt as a person wrote it")
    what.add_argument("--address", metavar="TEXT", help="an argument of the `resource` tool or of `rg-memory show`")
    what.add_argument(
        "--jsonl", action="store_true", help="one JSON object per line on standard input, one per line out"
    )
    parser.add_argument("--input", metavar="JSON", help="the tool's arguments as JSON")
    parser.add_argument("--cwd", metavar="DIR", help="the working directory, for commands that name no repository")


def run(options: argparse.Namespace) -> int:
    """Explain one input, or every line of standard input.

    Raises:
        UserError: for --tool without --input, and for --input that is not JSON.
    """
    if options.jsonl:
        for line in sys.stdin.buffer:
            if line.strip():
                print(_line(line, options.cwd))
        return 0
    row: dict[str, Any] = {"cwd": options.cwd or paths.here()}
    if options.tool is not None:
        if options.input is None:
            raise UserError('--tool needs its arguments; add --input \'{"command": "..."}\'')
        try:
            row |= {"tool": options.tool, "input": json.loads(options.input)}
        except (ValueError, RecursionError) as error:
            raise UserError(f"--input is not JSON: {error}; quote it for the shell as '{{...}}'") from None
    elif options.prompt is not None:
        row |= {"prompt": options.prompt}
    else:
        row |= {"address": options.address}
    say_json(_explained(row), "explain")
    return 0


def _line(line: bytes, cwd: str | None) -> str:
    """The answer to one line; a broken one is answered too, so that lines in and lines out stay in step."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        return as_json({"addresses": [], "why": f"not JSON: {error}"}, "explain")
    if not isinstance(row, dict):
        return as_json({"addresses": [], "why": "not a JSON object"}, "explain")
    return as_json(_explained({"cwd": cwd or ""} | row), "explain")


def _is_remote(value: object) -> bool:
    return isinstance(value, str) or (isinstance(value, dict) and all(isinstance(text, str) for text in value.values()))


def _explained(row: Mapping[str, Any]) -> dict[str, object]:
    found = _found(row)
    return {
        "addresses": [
            {
                "kind": address.kind,
                "key": str(address),
                "limit": address.limit,
                "order": address.order if address.is_listing else None,
            }
            for address in found.addresses
        ],
        "why": found.why,
    }


def _found(row: Mapping[str, Any]) -> Found:
    cwd = row.get("cwd") if isinstance(row.get("cwd"), str) else ""
    given = row.get("cwd_remotes")
    if isinstance(given, dict):
        cwd = cwd or "."

    def remotes(directory: str) -> Remotes | None:
        if isinstance(given, dict):
            return {name: remote for name, remote in given.items() if _is_remote(remote)}
        from rg_core import git

        return git.remotes(directory, os.environ)

    if isinstance(row.get("tool"), str):
        return of_call(row["tool"], row.get("input"), cwd or "", remotes, os.environ)
    if isinstance(row.get("prompt"), str):
        return of_prompt(row["prompt"])
    if isinstance(row.get("address"), str):
        return of_argument(row["address"], cwd or "", remotes, os.environ)
    return Found((), 'a row is {"tool", "input"}, {"prompt"} or {"address"}')
