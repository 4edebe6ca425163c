"""rg-memory doctor: another word for `rg-install --doctor`, which knows the harnesses."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys

from rg_core.errors import UserError


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--harness", metavar="NAME", nargs="+", help="only these, wired in or not")
    parser.add_argument("--project", metavar="DIR", help="the files of this project instead of your own")
    parser.add_argument("--json", action="store_true", help="as one JSON object")


def run(options: argparse.Namespace) -> int:
    """Run the installer's doctor; 0 when all that is wired in is well, else 1.

    Raises:
        UserError: the program is not there.
    """
    beside = os.path.dirname(sys.executable)
    program = shutil.which("rg-install", path=beside) or shutil.which("rg-install")
    if not program:
        raise UserError(f"rg-install is not in {beside}; install rg-memory again")
    words = [program, "--doctor"]
    words += ["--harness", *options.harness] if options.harness else []
    words += ["--project", options.project] if options.project else []
    words += ["--json"] if options.json else []
    return subprocess.run(words, check=False).returncode
