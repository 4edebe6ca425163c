"""rg-memory dashboard: what memory holds, what it served, and whether it pays; a page on this machine alone."""

from __future__ import annotations

import argparse
import os

from rg_core.errors import UserError

EPILOG = """\
The page is on the loopback of this machine, behind an address that is new at each start. Everything on it is counted
from your own events; it asks nobody and sends nothing. From another machine: ssh -L 8765:127.0.0.1:8765 HOST, and there
`rg-memory dashboard --no-open --port 8765`."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--port", metavar="N", type=int, default=0, help="the port on 127.0.0.1 (a free one)")
    parser.add_argument("--no-open", action="store_true", help="print the address, and do not open a browser")
    parser.add_argument("--days", metavar="N", type=int, default=30, help="days that the first page shows (30)")
    parser.add_argument("--out", metavar="FILE", help="write the Memory page into one file instead, to keep or to send")
    parser.add_argument("--with-queries", action="store_true", help="with --out: also sessions, and what was asked")
    parser.add_argument("--demo", action="store_true", help="a made-up world instead of your own")
    parser.epilog = EPILOG


def run(options: argparse.Namespace) -> int:
    """Serve until interrupted, or write the file."""
    if options.with_queries and not options.out:
        raise UserError("--with-queries belongs to --out FILE")
    if not 1 <= options.days <= 3_660:
        raise UserError("--days is between 1 and 3660")
    if options.demo:
        from rg_core.dashboard.world import made_up

        with made_up() as environ:
            return _run(options, environ)
    return _run(options, dict(os.environ))


def _run(options: argparse.Namespace, environ: dict[str, str]) -> int:
    if options.out:
        from rg_core.dashboard.report import write

        write(options.out, environ, options.days, queries=options.with_queries)
        print(f"Written: {options.out}")
        return 0
    from rg_core.dashboard.serve import serve

    try:
        serve(environ, options.port, days=options.days, open_browser=not options.no_open)
    except OSError as error:
        raise UserError(f"cannot listen on 127.0.0.1:{options.port}: {error.strerror}; run it without --port") from None
    except KeyboardInterrupt:
        print()
    return 0
