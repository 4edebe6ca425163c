"""rg-memory forget: remove resources, or your touches, from memory."""

from __future__ import annotations

import argparse
import json
import os
import sys

from rg_core import paths
from rg_core.address.model import Address
from rg_core.cli.reader import own_texts
from rg_core.cli.touches import one_address
from rg_core.config import load
from rg_core.documents.own import OwnTexts
from rg_core.errors import UserError
from rg_core.store import open_store
from rg_core.store.protocol import Store
from rg_core.store.sharing import shared_touches
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
    with own_texts(os.environ, options.address or "") as texts:
        if texts:
            return _forget_text(texts, log, options)
    address = one_address(options.address) if options.address else None
    store = open_store(config, os.environ)
    try:
        if not options.yes and sys.stdin.isatty():
            _confirm(options, address, shared=store.can.shared)
        resources = 0
        if address and not options.touches_only and store.exists():
            resources = _forget_resource(store, log, address)
        key = str(address) if address else None
        touches = log.forget(user, address=key, session=options.session, everything=options.all_mine)
        if shared := shared_touches(config, store):  # from whichever machine they came
            sent = shared.forget(address=key, session=options.session, everything=options.all_mine)
            touches = max(touches, sent)
    finally:
        store.close()
    if options.json:
        print(json.dumps({"address": key, "resources": resources, "touches": touches}))
        return 0
    removed = [f"{key} from memory"] if resources else []
    removed += [f"{touches:,} of your touches"] if touches else []
    print(f"Removed {' and '.join(removed)}." if removed else "There was nothing to remove.")
    return 0


def _forget_text(texts: OwnTexts, log: TouchLog, options: argparse.Namespace) -> int:
    """Remove a document or a note with every version, and the touches of it."""
    key = texts.key(options.address)
    what = f"your touches of {key}" if options.touches_only else f"{key} with all its versions, and your touches of it"
    if not options.yes and sys.stdin.isatty():
        _ask(what)
    resources = 0 if options.touches_only else texts.store.forget(texts.user, [key])
    touches = log.forget(texts.user, address=key, session=None, everything=False)
    if options.json:
        print(json.dumps({"address": key, "resources": resources, "touches": touches}))
    else:
        print(f"Removed {key} from memory." if resources else f"Removed {touches:,} of your touches.")
    return 0


def _confirm(options: argparse.Namespace, address: Address | None, *, shared: bool) -> None:
    if address and not options.touches_only:
        whose = "the memory that your team shares" if shared else "memory"
        what = f"{address} with all its versions from {whose}, and your touches of it"
    elif address:
        what = f"your touches of {address}"
    else:
        what = "all your touches" if options.all_mine else f"your touches of session {options.session}"
    _ask(what)


def _ask(what: str) -> None:
    if input(f"Remove {what}? This cannot be undone. [y/N] ").strip().lower() not in ("y", "yes"):
        raise UserError("nothing was removed; answer y, or pass --yes, to remove it")


def _forget_resource(store: Store, log: TouchLog, address: Address) -> int:
    """Take it out of the store, and first out of the index: a Nudge for what is gone would send an agent to a miss.

    The listings of its repository leave the index too: one that loses a member cannot answer narrower questions.
    """
    store.init()
    listings = [*store.candidates(address.repository, "issues"), *store.candidates(address.repository, "pulls")]
    log.drop_known([str(address), *(listing.address for listing in listings if not address.is_listing)])
    return store.forget([str(address)])
