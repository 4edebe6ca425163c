"""The table of cases: cases/*.jsonl, one row a line, as `rg-memory explain --jsonl` takes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rg_core.address import Found, of_argument, of_call, of_prompt

CASES = Path(__file__).parent / "cases"


def rows() -> list[dict[str, Any]]:
    """Every row of every table."""
    lines = [line for path in sorted(CASES.glob("*.jsonl")) for line in path.read_text("utf-8").splitlines()]
    return [json.loads(line) for line in lines]


def found(row: dict[str, Any]) -> Found:
    """What the parser makes of a row; `cwd_remotes` are the Git remotes of its working directory."""
    remotes, environ = row.get("cwd_remotes"), row.get("environ", {})
    cwd = "" if remotes is None else "/work"
    if "prompt" in row:
        return of_prompt(row["prompt"])
    if "address" in row:
        return of_argument(row["address"], cwd, lambda directory: remotes, environ)
    return of_call(row["tool"], row["input"], cwd, lambda directory: remotes, environ)
