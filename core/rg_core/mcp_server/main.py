"""rg-mcp: the MCP server on stdin and stdout. This module is the front door and imports little; see handshake."""

from __future__ import annotations

import rg_core.isolated  # noqa: F401 - first of all

# isort: split
import os
import sys
from _signal import SIG_DFL, SIGINT, signal  # type: ignore[import-not-found]  # `signal` itself imports `enum`
from _thread import start_new_thread

from rg_core import __version__
from rg_core.border import line
from rg_core.mcp_server.handshake import Desk, crashed
from rg_core.mcp_server.launch import config_bytes, taken

HELP = """\
usage: rg-mcp [-h] [--version] [--harness NAME] [--make-identity]
              [--project NAME] [--agent NAME] [--task NAME] [--framework NAME]

The MCP server of rg-memory, on stdin and stdout. Harnesses start it; `rg-install` tells them to.
Its tools: `resource`, `recall`, `remember` and `cite`; `asset_catalog` and `manage_asset` as assets.mcp allows.
Whose memory it reads, and where that is, stands in config.toml: rg-memory config show.

  --harness NAME   whose server this is, for a harness that does not ship with rg-memory
  --project, --agent, --task, --framework NAME
                   for whom governed assets are read; without them config.toml, the directory and the client say it
  --make-identity  make up an identity first where there is none, as rg-install does; for plugins
"""
MAKE_IDENTITY = ["--make-identity"]
QUIET = 1.0  # seconds after which the handshake is over
LAST = 1.0  # seconds for a client that closed our input to read what was answered


def main() -> None:
    """Serve until stdin ends, or SIGINT or SIGTERM come. Whatever else prints goes to stderr."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["--harness"] and len(arguments) > 1:
        _learn(arguments[1])
        arguments = arguments[2:]
    launch, arguments = taken(arguments)
    if arguments and arguments != MAKE_IDENTITY:
        _say(arguments)
    signal(SIGINT, SIG_DFL)  # Claude Code stops servers with it; anyio would wait for stdin
    protocol = os.dup(1)
    os.dup2(2, 1)
    desk = Desk(0, protocol, os.environ, launch)
    start_new_thread(desk.read, ())
    if arguments == MAKE_IDENTITY:  # while the desk shakes hands
        _make_identity()
    if not desk.wait(QUIET):
        if b"url" in config_bytes(os.environ):
            start_new_thread(_warm, ())
        _take_events()
        desk.wait()
    if not desk.ended:
        try:
            from rg_core.mcp_server.server import serve
        except ImportError as error:
            desk.refuse(f"rg-memory's MCP server cannot start ({error}); run: rg-memory doctor")
        try:
            serve(desk)
        except Exception as error:  # noqa: BLE001 - the last border before the harness
            crashed(error, os.environ)
    desk.out.finish(LAST)
    os._exit(0)  # a worker that waits for a store must not hold the process


def _learn(harness: str) -> None:
    """Know this harness's clients; without its package the server works all the same, and calls them by their names."""
    from rg_core.harness.tool_names import learn

    try:
        learn(harness)
    except (ImportError, AttributeError) as error:
        print(f"rg-mcp: the harness {line(harness)} is not installed here ({line(error)})", file=sys.stderr)


def _make_identity() -> None:
    """See that Touches have an owner; without one nothing is recorded, and `resource` says what to do."""
    from rg_core.config import ensure_identity
    from rg_core.errors import UserError

    try:
        ensure_identity(os.environ)
    except UserError as error:
        print(f"rg-mcp: {line(error)}", file=sys.stderr)


def _warm() -> None:
    """Ask a server what the first call will ask, while nobody waits for it."""
    from rg_core.mcp_server.warm import warm

    warm(os.environ)


def _take_events() -> None:
    """Take in what hooks left, so that it does not pile up where nobody runs a command, and publish what they read."""
    from rg_core.errors import UserError
    from rg_core.paths import outbox_file
    from rg_core.touches.database import TouchLog
    from rg_core.touches.settings import current

    current(os.environ)
    try:
        TouchLog(outbox_file(os.environ)).drain()
    except UserError as error:
        print(f"rg-mcp: {line(error)}", file=sys.stderr)


def _say(arguments: list[str]) -> None:
    """Answer a person, and exit: 2 for what is not understood."""
    if arguments in (["-h"], ["--help"]):
        print(HELP, end="")
        sys.exit(0)
    if arguments == ["--version"]:
        print(f"rg-mcp {__version__}")
        sys.exit(0)
    print(f"{HELP}rg-mcp: it takes no such argument: {line(arguments[0])}", file=sys.stderr)
    sys.exit(2)


if __name__ == "__main__":
    main()
