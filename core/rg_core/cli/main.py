"""rg-memory: the table of its commands. A command's module is imported only when it is called."""

from __future__ import annotations

import rg_core.isolated  # noqa: F401 - first of all

# isort: split
import argparse
import sys
from collections.abc import Container, Sequence
from importlib import import_module

from rg_core import __version__
from rg_core.cli.screen import bordered, unexpected, warn
from rg_core.errors import UserError
from rg_core.store.protocol import StoreUnavailable

COMMANDS = {
    "sweep": "fetch what agents explored, once, into memory",
    "explain": "which addresses a tool call, a prompt or an argument yields, and why",
    "show": "what memory holds at an address",
    "list": "what is stored, latest change first",
    "recall": "search everything that memory holds",
    "history": "the versions of a resource over time",
    "diff": "what changed between two versions of a resource",
    "reverify": "have the next sweep fetch an address again; say that a document still holds",
    "remember": "keep a note: a decision, a lesson, a fact, something to do",
    "documents": "a project's own Markdown in memory, with versions and edges",
    "project": "which directories are which project",
    "touches": "what you explored: private, yours only",
    "status": "what waits, what is stored, what is configured",
    "stats": "what memory served, what was used, and whether it pays",
    "dashboard": "a page on this machine: what memory served, and whether it pays",
    "wrap": "what happened in a session: recalls, reads, Nudges, tokens",
    "cite": "say which remembered results you used",
    "forget": "remove resources or your touches from memory",
    "store": "prepare, check or rebuild the store",
    "migrate": "copy this machine's memory to a server",
    "export": "write all of memory as JSON Lines",
    "import": "read JSON Lines into memory",
    "asset": "skills, wikis, conversations, code graphs: governed, for the right agent",
    "agent": "the manifest of an agent: what it is equipped with",
    "config": "get, set, show or edit the configuration",
    "completion": "print what completes commands and options in your shell",
    "doctor": "does everything work? the same as rg-install --doctor",
    "demo": "the whole job in twenty seconds, without network or account",
}
EPILOG = """\
Exit codes: 0 done, 1 an error that says what to do, 2 wrong usage, 3 something must wait, 4 a bug of ours,
130 interrupted.
`rg-memory COMMAND --help` says more of each."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; argparse itself exits 2 on wrong usage."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    command = arguments[0] if arguments else ""
    with bordered():
        if not command:
            parser(()).print_help(sys.stderr)
            return 2
        if command not in COMMANDS and not command.startswith("-"):
            warn(_unknown(command))
            return 2
        return _run(parser((command,)).parse_args(arguments))


def parser(commands: Container[str] = COMMANDS) -> argparse.ArgumentParser:
    """The parser of the whole program; only `commands` get their arguments, since that imports their modules."""
    whole = argparse.ArgumentParser(
        prog="rg-memory",
        description="Memory of the public GitHub material that coding agents explored.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    whole.add_argument("--version", action="version", version=f"rg-memory {__version__}")
    subparsers = whole.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, summary in COMMANDS.items():
        command = subparsers.add_parser(
            name, help=summary, description=summary[0].upper() + summary[1:] + ".",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )  # fmt: skip
        if name in commands:
            module = import_module(f"rg_core.cli.{name}_" if name == "import" else f"rg_core.cli.{name}")
            module.arguments(command)
            command.set_defaults(run=module.run)
    return whole


def _unknown(command: str) -> str:
    from difflib import get_close_matches

    begun = [name for name in COMMANDS if name.startswith(command)]
    near = begun or get_close_matches(command, COMMANDS, n=1)
    hint = f"did you mean `rg-memory {near[0]}`?" if near else "`rg-memory --help` lists the commands"
    return f"there is no command {command[:80]!a}; {hint}"


def _run(options: argparse.Namespace) -> int:
    try:
        code = int(options.run(options))
        sys.stdout.flush()
        return code
    except (UserError, StoreUnavailable) as error:
        warn(error)
        return 1
    except KeyboardInterrupt:
        warn("interrupted")
        return 130
    except Exception as error:  # noqa: BLE001 - the last border before the user
        if isinstance(error, UnicodeEncodeError) and (given := _no_text(options)):
            warn(f"{given!a} is not text in UTF-8, so nothing has that name; check how it was typed or piped")
            return 1
        return unexpected(error)


def _no_text(options: argparse.Namespace) -> str:
    """An argument of bytes that are no text in UTF-8, which Python keeps as surrogates; "" where there is none."""
    values = [text for value in vars(options).values() for text in (value if isinstance(value, list) else [value])]
    given = (text for text in values if isinstance(text, str))
    return next((text for text in given if text.encode(errors="ignore").decode() != text), "")
