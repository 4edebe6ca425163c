"""rg-memory: the table of its commands. A command's module is imported only when it is called."""

from __future__ import annotations

import argparse
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module

from rg_core import __version__
from rg_core.errors import UserError
from rg_core.store.protocol import StoreUnavailable

COMMANDS = {
    "sweep": "fetch what agents explored, once, into memory",
    "explain": "which addresses a tool call, a prompt or an argument yields, and why",
    "show": "what memory holds at an address",
    "history": "the versions of a resource over time",
    "diff": "what changed between two versions of a resource",
    "reverify": "have the next sweep fetch an address again",
    "touches": "what you explored: private, yours only",
    "status": "what waits, what is stored, what is configured",
    "stats": "how often memory answered",
    "forget": "remove resources or your touches from memory",
    "store": "prepare, check or rebuild the store",
    "migrate": "move an embedded memory to a Bolt server",
    "export": "write all of memory as JSON Lines",
    "import": "read JSON Lines into memory",
    "config": "get, set, show or edit the configuration",
    "demo": "the whole job in twenty seconds, without network or account",
}
EPILOG = """\
Exit codes: 0 done, 1 an error that says what to do, 2 wrong usage, 3 something must wait, 4 an error of ours,
130 interrupted.
`rg-memory COMMAND --help` says more of each."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; argparse itself exits 2 on wrong usage."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    parser = argparse.ArgumentParser(
        prog="rg-memory",
        description="Memory of the public GitHub material that coding agents explored.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"rg-memory {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, summary in COMMANDS.items():
        command = commands.add_parser(
            name, help=summary, description=summary[0].upper() + summary[1:] + ".",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )  # fmt: skip
        if name in arguments[:1]:
            module = import_module(f"rg_core.cli.{name}_" if name == "import" else f"rg_core.cli.{name}")
            module.arguments(command)
            command.set_defaults(run=module.run)
    options = parser.parse_args(arguments)
    return _run(options)


def _run(options: argparse.Namespace) -> int:
    try:
        return int(options.run(options))
    except (UserError, StoreUnavailable) as error:
        print(f"rg-memory: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output went away: nothing to say, and nobody to say it to
        return 0
    except KeyboardInterrupt:
        print("rg-memory: interrupted", file=sys.stderr)
        return 130
    except Exception:  # noqa: BLE001 - the last border before the user
        traceback.print_exc()
        print("rg-memory: this is an error of ours; please report the lines above", file=sys.stderr)
        return 4
