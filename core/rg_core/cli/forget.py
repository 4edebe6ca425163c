"""rg-memory forget: remove resources, or your touches, from memory."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from contextlib import closing
from types import MappingProxyType
from typing import Any

from rg_core import paths
from rg_core.address.model import Address
from rg_core.cli.reader import own_texts
from rg_core.cli.screen import confirm, say_json, warn
from rg_core.cli.sharing import not_taken_back, told
from rg_core.cli.touches import one_address
from rg_core.config import load
from rg_core.documents.own import OwnTexts
from rg_core.errors import UserError
from rg_core.recall.own import follow
from rg_core.store import open_store
from rg_core.store.agreement import names_of, sift_forgotten
from rg_core.store.protocol import Store, StoreUnavailable
from rg_core.store.sharing import forgot, sent_to
from rg_core.touches.database import TouchLog


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("address", metavar="ADDRESS", nargs="?", help="what memory holds there, and your touches of it")
    what.add_argument("--session", metavar="ID", help="your touches of one session")
    what.add_argument("--all-mine", action="store_true", help="all your touches and events; stored resources stay")
    what.add_argument("--telemetry", action="store_true", help="what was served to you and used; your touches stay")
    parser.add_argument("--before", metavar="TIME", help="with --telemetry: only what is older, e.g. 2026-11-29")
    parser.add_argument("--touches-only", action="store_true", help="with ADDRESS: keep the stored resource")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument("--json", action="store_true", help="the counts as one JSON object")


def run(options: argparse.Namespace) -> int:
    """Remove what was asked for, after a question on a terminal. Other users' Touches stay, and are not counted."""
    config = load(os.environ)
    user = config.require_user()
    if options.before and not options.telemetry:
        raise UserError("--before goes with --telemetry")
    log = TouchLog(paths.outbox_file(os.environ))
    with own_texts(os.environ, options.address or "") as texts:
        if texts:
            return _forget_text(texts, log, options)
    address = one_address(options.address) if options.address else None
    store = open_store(config, os.environ)
    try:
        _confirm(options, address, shared=store.can.shared)
        events = _forget_events(options, user, log, store, address)
        if options.telemetry:
            return _say(options, None, 0, 0, events)
        resources = 0
        if address and not options.touches_only and store.exists():
            resources = _forget_resource(store, log, address)
            follow(config, os.environ, store, embed=False)
        key = str(address) if address else None
        chosen: dict[str, Any] = {"address": key, "session": options.session, "everything": options.all_mine}
        log.adopt(user, config.former)
        touches = log.forget(user, **chosen)
        missed = {place: "set [store] url to it and run this again" for place in sent_to(log) if place != store.where}
        if store.can.touches:  # also where new ones stay here: they came from whichever machine, at any time
            shared = store.touches_of(user)
            try:
                shared.adopt(config.former)
                touches = max(touches, shared.forget(**chosen))
                if options.all_mine:
                    forgot(log, store.where)
            except StoreUnavailable as error:
                missed[store.where] = "run this again once it answers"
                warn(error)
    finally:
        store.close()
    return _say(options, key, resources, touches, events, missed)


def _say(
    options: argparse.Namespace, key: str | None, resources: int, touches: int, events: int,
    missed: Mapping[str, str] = MappingProxyType({}), left: Sequence[str] = (),
) -> int:  # fmt: skip
    """Tell what was removed, and which places were not reached, with what helps; of those `left` it was told."""
    if options.json:
        counts = {"address": key, "resources": resources, "touches": touches, "events": events}
        say_json(counts | ({"not_reached": [*missed, *left]} if missed or left else {}), "forget", indent=None)
        return 1 if missed or left else 0
    removed = [f"{key} from memory"] if resources else []
    removed += [f"{touches:,} of your touches"] if touches else []
    removed += [f"{events:,} events of telemetry"] if events else []
    print(f"Removed {' and '.join(removed)}." if removed else "There was nothing to remove.")
    for place, help_text in missed.items():
        warn(f"touches that were sent to {place} are still there; {help_text}")
    return 1 if missed or left else 0


def _forget_text(texts: OwnTexts, log: TouchLog, options: argparse.Namespace) -> int:
    """Remove a document or a note with every version, and the touches of it."""
    key = texts.key(options.address)
    what = f"your touches of {key}" if options.touches_only else f"{key} with all its versions, and your touches of it"
    _ask(what, options)
    resources = 0 if options.touches_only else texts.store.forget(texts.user, [key])
    texts.publish()
    with closing(open_store(texts.config, os.environ)) as store:
        follow(texts.config, os.environ, store, embed=False)
        told(texts.store, texts.config, store)
        events = _forget_address(texts.user, log, key)
        touches = log.forget(texts.user, address=key, session=None, everything=False)
        left = [] if options.touches_only else not_taken_back(texts.store, texts.config, store, [key])
    return _say(options, key, resources, touches, events, left=left)


def _forget_events(options: argparse.Namespace, user: str, log: TouchLog, store: Store, address: Address | None) -> int:
    """Remove what telemetry has, while the Touches still say which reads were meant."""
    from rg_core.reading.query import instant
    from rg_core.telemetry import forget

    if address:
        stored = store.versions([str(address)]) if store.exists() else {}
        return _forget_address(user, log, str(address), [version.node_id for version in stored.values()])
    log.known_count()  # what hooks left is taken in, and the file is there
    files = (paths.telemetry_file(os.environ), paths.outbox_file(os.environ))
    if options.session:
        return forget.forget_session(*files, user, options.session)
    before = instant(options.before) if options.before else None
    return forget.forget_user(*files, user, before) if before else forget.forget_user(*files, user)


def _forget_address(user: str, log: TouchLog, key: str, ids: Sequence[str] = ()) -> int:
    from rg_core.telemetry.forget import forget_address

    log.known_count()
    return forget_address(paths.telemetry_file(os.environ), paths.outbox_file(os.environ), user, key, ids)


def _confirm(options: argparse.Namespace, address: Address | None, *, shared: bool) -> None:
    if options.telemetry:
        what = f"what was served to you{f' before {options.before}' if options.before else ''}, and what was said of it"
    elif address and not options.touches_only:
        whose = "the memory that your team shares" if shared else "memory"
        what = f"{address} with all its versions from {whose}, and your touches of it"
    elif address:
        what = f"your touches of {address}"
    else:
        what = "all your touches and events" if options.all_mine else f"your touches of session {options.session}"
    _ask(what, options)


def _ask(what: str, options: argparse.Namespace) -> None:
    if not confirm(f"Remove {what}?", options):
        raise UserError("nothing was removed; answer y, or pass --yes, to remove it")


def _forget_resource(store: Store, log: TouchLog, address: Address) -> int:
    """Take it out of the store, and first out of the index: a Nudge for what is gone would send an agent to a miss.

    The listings of its repository leave the index too: one that loses a member cannot answer narrower questions.
    """
    store.init()
    listings = [*store.candidates(address.repository, "issues"), *store.candidates(address.repository, "pulls")]
    log.drop_known([str(address), *(listing.address for listing in listings if not address.is_listing)])
    names = names_of(store, [address.repository])
    count = store.forget([str(address)])
    sift_forgotten(store, log, names)
    return count
