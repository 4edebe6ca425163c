"""Runs the commands in the process of the tests: one of its own costs three times as much."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from typing import NamedTuple
from unittest import mock

from rg_core.cli.main import main

Program = Callable[[Sequence[str]], int]


class Done(NamedTuple):
    """What a command came to."""

    returncode: int
    stdout: str
    stderr: str


def run(environ: Mapping[str, str], *words: str, stdin: bytes = b"", program: Program = main) -> Done:
    """Run `rg-memory WORDS`, or another program's `main`, with this environment and input."""
    out, err = io.StringIO(), io.StringIO()
    given = io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")
    with (
        mock.patch.dict(os.environ, environ, clear=True),
        mock.patch("sys.stdin", given),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            code = program(words)
        except SystemExit as ended:
            code = int(ended.code or 0)
    return Done(code, out.getvalue(), err.getvalue())
