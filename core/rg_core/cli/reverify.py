"""rg-memory reverify: have the next Sweep fetch an address again."""

from __future__ import annotations

import argparse
import os
import secrets
from datetime import UTC, datetime

from rg_core import paths


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("address", metavar="ADDRESS", help="what to fetch again, as `show` takes it")


def run(options: argparse.Namespace) -> int:
    """Leave a Touch of the user's for every address that the argument names."""
    from rg_core.config import load
    from rg_core.errors import UserError
    from rg_core.reading.query import finder
    from rg_core.touches.database import TouchLog
    from rg_core.touches.outbox import identify
    from rg_core.touches.touch import FETCHED, Touch

    text: str = options.address
    found = finder(os.environ)(text)
    if not found.addresses:
        raise UserError(f"{text[:200]!r} names nothing on GitHub: {found.why}")
    user = load(os.environ).require_user()
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
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
