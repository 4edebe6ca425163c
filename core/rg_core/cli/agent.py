"""rg-memory agent manifest: what an agent is equipped with, for others to read."""

from __future__ import annotations

import argparse
import os

EPILOG = """\
The manifest follows docs/agent-manifest-1.schema.json. With --interface-url and at least one skill it holds an
A2A 1.0 agent card; rg-memory itself serves no A2A."""
BINDINGS = ("JSONRPC", "GRPC", "HTTP+JSON")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    made = actions.add_parser(
        "manifest", help="print the manifest of an agent", description="Print the manifest of an agent.",
        epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    made.add_argument("agent", metavar="AGENT", help="the agent's name, as bindings have it")
    made.add_argument("--project", metavar="NAME", default="", help="the project; without it the directory's")
    made.add_argument("--framework", metavar="F", help="the harness it runs in")
    made.add_argument("--task", metavar="T", help="what it works on")
    made.add_argument("--query", metavar="Q", default="", help="what the work is about")
    made.add_argument(
        "--budget", metavar="N", type=int, default=2048, help="how many tokens its loadout may take; 2048 unless given"
    )
    made.add_argument("--interface-url", metavar="URL", default="", help="where it speaks A2A: absolute https")
    made.add_argument("--protocol-binding", choices=BINDINGS, default="HTTP+JSON", help="how; HTTP+JSON unless given")
    made.add_argument("--content", action="store_true", help="with the texts that the agent gets")
    made.add_argument("--out", metavar="FILE", help="write it there instead")


def run(options: argparse.Namespace) -> int:
    """Make it."""
    import json

    from rg_core.assets.loadout import LoadoutRequest
    from rg_core.assets.manifest import About
    from rg_core.cli.assets.common import opened
    from rg_core.config import write_text

    about = About(
        options.agent.strip(), interface_url=options.interface_url, protocol_binding=options.protocol_binding,
        content=options.content,
    )  # fmt: skip
    with opened(options) as (assets, who, setting):
        made = assets.manifest(who, LoadoutRequest(setting.now, options.query, options.budget), about)
    text = json.dumps(made, indent=2, ensure_ascii=not options.out)
    if options.out:
        write_text(os.path.abspath(options.out), text + "\n")
    else:
        print(text)
    return 0
