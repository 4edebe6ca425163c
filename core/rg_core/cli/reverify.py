"""rg-memory reverify: have the next Sweep fetch an address again, or say that a document or a note still holds."""

from __future__ import annotations

import argparse
import os
import secrets

from rg_core import paths, times


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "address",
        metavar="ADDRESS",
        help="what to fetch again, as `show` takes it; of a document or note: that it still holds",
    )


def run(options: argparse.Namespace) -> int:
    """Leave a Touch for every address that the argument names; of a document move when it was last verified."""
    from rg_core.cli.reader import own_texts
    from rg_core.config import load
    from rg_core.errors import UserError
    from rg_core.reading.query import finder
    from rg_core.touches.database import TouchLog
    from rg_core.touches.touch import FETCHED, Touch, identify

    text: str = options.address
    now = times.now()
    with own_texts(os.environ, text) as texts:
        if texts:
            key = texts.key(text)
            texts.store.reverify(texts.user, key, now)
            print(f"{key}: its content still holds, as of {now}")
            return 0
    found = finder(os.environ)(text)
    if not found.addresses:
        raise UserError(f"{text[:200]!r} names nothing on GitHub and no document: {found.why}")
    user = load(os.environ).require_user()
    TouchLog(paths.outbox_file(os.environ)).record(
        Touch(
            id=identify("reverify", secrets.token_hex(16), str(address)),
            user=user,
            address=str(address),
            kind=address.kind,
            provenance=FETCHED,
            at=now,
            session="",
            harness="rg-memory",
            limit=address.limit,
            order=address.order if address.is_listing else "",
            tool_name="reverify",
        )
        for address in found.addresses
    )
    for address in found.addresses:
        print(f"{address}: will be fetched again by the next sweep (rg-memory sweep)")
    return 0
