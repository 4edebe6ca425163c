"""rg-memory forget: remove resources, or your touches, from memory."""

from __future__ import annotations

import argparse
import json
import os
import sys

from rg_core import paths
from rg_core.address.model import Address
from rg_core.cli.touches import one_address
from rg_core.config import Config, load
from rg_core.errors import UserError
from rg_core.store import open_store
from rg_core.touches.database import TouchLog


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("address", metavar="ADDRESS", nargs="?", help="what memory holds there, and your touches of it")
    what.add_argument("--session", metavar="ID", help="your touches of one session")
    what.add_argument("--all-mine", action="store_true", help="all your touches; stored resources stay")
    parser.add_argument("--touches-only", action="store_true", help="with ADDRESS: keep the stored resource")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument("--json", action="store_true", help="the counts as one JSON object")


def run(options: argparse.Namespace) -> int:
    """Remove what was asked for, after a question on a terminal. Other users' Touches stay, and are not counted."""
    config = load(os.environ)
    user = config.require_user()
    log = TouchLog(paths.outbox_file(os.environ))
    address = one_address(options.address) if options.address else None
    if not options.yes and sys.stdin.isatty():
        _confirm(options, address, config)
    resources = 0
    if address and not options.touches_only:
        resources = _forget_resource(config, log, address)
    key = str(address) if address else None
    touches = log.forget(user, address=key, session=options.session, everything=options.all_mine)
    if config.store.url:
        touches = max(touches, _forget_sent(config, key, options))
    if options.json:
        print(json.dumps({"address": key, "resources": resources, "touches": touches}))
        return 0
    removed = [f"{key} from memory"] if resources else []
    removed += [f"{touches:,} of your touches"] if touches else []
    print(f"Removed {' and '.join(removed)}." if removed else "There was nothing to remove.")
    return 0


def _forget_sent(config: Config, address: str | None, options: argparse.Namespace) -> int:
    """Remove the user's Touches from the team's server too, from whichever machine they came."""
    from rg_core.store.bolt.touches import open_touches

    store = open_store(config, os.environ)
    try:
        graph = open_touches(config, store)
        return graph.forget(address=address, session=options.session, everything=options.all_mine) if graph else 0
    finally:
        store.close()


def _confirm(options: argparse.Namespace, address: Address | None, config: Config) -> None:
    if address and not options.touches_only:
        whose = "the memory that your team shares" if config.store.url else "memory"
        what = f"{address} with all its versions from {whose}, and your touches of it"
    elif address:
        what = f"your touches of {address}"
    else:
        what = "all your touches" if options.all_mine else f"your touches of session {options.session}"
    if input(f"Remove {what}? This cannot be undone. [y/N] ").strip().lower() not in ("y", "yes"):
        raise UserError("nothing was removed; answer y, or pass --yes, to remove it")


def _forget_resource(config: Config, log: TouchLog, address: Address) -> int:
    """Take it out of the store, and first out of the index: a Nudge for what is gone would send an agent to a miss.

    The listings of its repository leave the index too: one that loses a member cannot answer narrower questions.
    """
    if not config.store.url and not os.path.exists(paths.memory_file(os.environ)):
        return 0
    store = open_store(config, os.environ)
    try:
        store.init()
        listings = [*store.candidates(address.repository, "issues"), *store.candidates(address.repository, "pulls")]
        log.drop_known([str(address), *(listing.address for listing in listings if not address.is_listing)])
        return store.forget([str(address)])
    finally:
        store.close()
