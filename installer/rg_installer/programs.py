"""Where our own programs are, as the absolute paths that go into a harness's files."""

from __future__ import annotations

import compileall
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

from rg_core.errors import UserError
from rg_core.harness.protocol import Commands
from rg_installer.harnesses import installed

ABSENT = Commands("/usr/local/bin/rg-hook", "/usr/local/bin/rg-mcp")  # where none is needed: taking back, looking
ABSENT_FAST = Commands(ABSENT.hook, ABSENT.mcp, fast=True)


def find(*, fast: bool = False) -> Commands:
    """rg-hook and rg-mcp beside the running rg-install.

    The environment's own directory comes before a link to it (pipx, uv tool): it stays when the link's folder changes.

    Raises:
        UserError: they are not there, or only in a cache that is cleaned some day.
    """
    hook, mcp = _one("rg-hook"), _one("rg-mcp")
    if f"{os.sep}archive-v0{os.sep}" in hook:  # uvx
        raise UserError(
            "rg-install runs from uv's cache, which may be emptied at any time; run `uv tool install rg-memory` first"
        )
    return Commands(hook, mcp, fast)


def compiled() -> None:
    """See that the MCP server's first start need not compile: it takes a second then, and some harnesses wait less.

    Our own packages are compiled here; the MCP SDK, if its installer did not, by a process that outlives us.
    """
    for name in ("rg_core", *(f"rg_{harness}" for harness in installed().usable)):
        spec = importlib.util.find_spec(name)
        for folder in (spec.submodule_search_locations if spec else None) or ():
            compileall.compile_dir(folder, quiet=2)
    sdk = importlib.util.find_spec("mcp")
    if not sdk or not sdk.origin:
        return
    deep = Path(sdk.origin).parent / "server" / "lowlevel" / "server.py"
    site = Path(sdk.origin).parent.parent
    if Path(importlib.util.cache_from_source(str(deep))).exists():
        return
    if os.access(site, os.W_OK):
        quiet = subprocess.DEVNULL
        subprocess.Popen(
            [sys.executable, "-m", "compileall", "-q", str(site)],
            stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True,
        )  # fmt: skip


def _one(name: str) -> str:
    folders = [os.path.dirname(sys.executable), os.path.dirname(os.path.abspath(sys.argv[0]))]
    for folder in folders:
        if found := shutil.which(name, path=folder):
            return os.path.normpath(found)
    if found := shutil.which(name):
        return os.path.normpath(os.path.abspath(found))
    raise UserError(f"{name} is not beside rg-install in {folders[0]}; install rg-memory again")
