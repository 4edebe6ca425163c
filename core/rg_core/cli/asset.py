"""rg-memory asset: skills, wikis, conversations and code graphs with versions, rights and loadouts."""

from __future__ import annotations

import argparse
from importlib import import_module

ACTIONS = {  # by name: its module below rg_core.cli.assets, and what it does
    "list": ("listing", "what you may read of this project, newest first"),
    "register": ("register", "write an asset by hand, or new content for the one of this name"),
    "govern": ("govern", "change status, rights, bindings, priority, expiry"),
    "show": ("show", "one asset: content, policy, what you may do"),
    "history": ("history", "the versions of an asset"),
    "audit": ("audit", "who did what with assets, and what was refused"),
    "forget": ("forget", "remove an asset with all its versions; only its owner can"),
    "import": ("import_", "bring in skills, wikis, conversations, code graphs; agents get what a person approves"),
    "loadout": ("loadout", "what an agent would get, in which form, and why not the rest"),
    "symbol": ("code", "where a name is defined in a code graph"),
    "callers": ("code", "who calls a function of a code graph"),
    "callees": ("code", "what a function of a code graph calls"),
    "impact": ("code", "what a change of a function reaches, along its callers"),
}
EPILOG = """\
Before the first one: rg-memory config set identity.user_id NAME, and rg-memory project add NAME DIR.
Every action is about this directory's project, or about that of --project NAME. An id may be shortened to a beginning
that no other asset has."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.epilog = EPILOG
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, (module, summary) in ACTIONS.items():
        action = actions.add_parser(
            name, help=summary, description=summary[0].upper() + summary[1:] + ".",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )  # fmt: skip
        action.add_argument("--project", metavar="NAME", default="", help="the project; without it the directory's")
        import_module(f"rg_core.cli.assets.{module}").arguments(action)


def run(options: argparse.Namespace) -> int:
    """Do one action."""
    module, _ = ACTIONS[options.action]
    return int(import_module(f"rg_core.cli.assets.{module}").run(options))
