"""rg-mcp: the MCP server on stdin and stdout. This module is the front door and imports little; see mcp_desk."""

from __future__ import annotations

import os
import signal
import threading

from rg_core.mcp_desk import Desk


def main() -> None:
    """Serve until stdin ends, or SIGINT or SIGTERM come. Whatever else prints goes to stderr."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Claude Code stops servers with it; anyio would wait for stdin
    protocol = os.dup(1)
    os.dup2(2, 1)
    desk = Desk(0, protocol, os.environ)
    threading.Thread(target=desk.read, name="desk", daemon=True).start()
    desk.called.wait()
    if not desk.ended:
        from rg_core.mcp_sdk import serve

        serve(desk)
    os._exit(0)  # a worker that waits for a store must not hold the process


if __name__ == "__main__":
    main()
