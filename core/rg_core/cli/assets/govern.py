"""rg-memory asset govern."""

from __future__ import annotations

import argparse

from rg_core.assets.errors import Refused
from rg_core.cli.assets import policy_options
from rg_core.cli.assets.common import opened, print_done, read_json
from rg_core.cli.screen import warn
from rg_core.errors import UserError

EPILOG = """\
examples:
  rg-memory asset govern as_3f2a --status approved
  rg-memory asset govern as_3f2a --visibility team --teams core --agents reviewer --mode direct --required
All of a change is made, or nothing. --patch-json takes an object with status, visibility, teams, acl, bindings,
priority, confidence, expires_at, follow, owner; there a binding can have a priority of its own, or be disabled.
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the action's arguments."""
    parser.epilog = EPILOG
    parser.add_argument("ids", metavar="ID", nargs="+", help="which assets")
    policy_options.arguments(parser)
    parser.add_argument("--if-version", metavar="N", type=int, help="only if this is still the newest version")
    parser.add_argument("--patch-json", metavar="FILE|-", help="the change as JSON; options come on top")
    parser.add_argument("--note", metavar="TEXT", help="why; kept with the version")
    parser.add_argument("--json", action="store_true", help="as one JSON object; an array for several assets")


def run(options: argparse.Namespace) -> int:
    """Change each of them."""
    given = read_json(options.patch_json) if options.patch_json else {}
    if not given and not policy_options.patch(options, None):
        raise UserError("say what to change, e.g. --status approved; rg-memory asset govern --help lists it")
    done, failed = [], 0
    with opened(options) as (assets, who, setting):
        for id in options.ids:  # noqa: A001 - the field's word
            try:
                head, before = options.if_version, None
                if policy_options.incremental(options):
                    n, before = assets.editable(who, id)
                    head = n if head is None else head
                patch = given | policy_options.patch(options, before)
                done.append(assets.govern(who, id, patch, setting, if_version=head, note=options.note).json())
            except Refused as error:
                if len(options.ids) == 1:
                    raise
                warn(f"{id[:80]}: {error}")
                failed = 1
    if done:
        print_done(done, as_json=options.json)
    return failed
