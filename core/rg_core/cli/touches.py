"""rg-memory touches: what you explored; private, yours only."""

from __future__ import annotations

import argparse
import json
import os
from typing import Any

from rg_core import paths
from rg_core.address.model import Address
from rg_core.cli.screen import columns, held, warn
from rg_core.config import Config, load
from rg_core.errors import UserError
from rg_core.touches.database import TouchLog
from rg_core.touches.touch import CACHE_READ, RESOLVED, Touch

SHOWN = 50  # Touches, where nothing else is asked
WORDS = {"FETCHED": "fetched", "PROMPTED": "prompted", "CACHE_READ": "read"}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("address", metavar="ADDRESS", nargs="?", help="only this address; as `rg-memory show` takes it")
    parser.add_argument("--session", metavar="ID", help="only this session")
    parser.add_argument(
        "--since", metavar="TIME", help="only from this time on, e.g. 2026-11-29 or 2026-11-29T21:00:00Z"
    )
    parser.add_argument(
        "--limit", metavar="N", type=int, help="at most so many, newest first; 0 for all (50, and all with --json)"
    )
    parser.add_argument("--json", action="store_true", help="as a JSON array of objects, with every detail")


def run(options: argparse.Namespace) -> int:
    """Print the asking user's own Touches, newest first."""
    from rg_core.reading.query import instant

    config = load(os.environ)
    user = config.require_user()
    log = TouchLog(paths.outbox_file(os.environ))
    limit = options.limit if options.limit is not None else 0 if options.json else SHOWN
    wanted = {
        "limit": limit if limit > 0 else None,
        "address": str(one_address(options.address)) if options.address else None,
        "session": options.session,
        "since": instant(options.since) if options.since else None,
    }
    found = from_every_machine(config, log, user, **wanted)
    if options.json:
        print("[" + ",\n ".join(map(json.dumps, held([as_json(touch) for touch in found], "touches"))) + "]")
    elif found:
        columns([_line(touch) for touch in found])
    elif options.address or options.session or options.since:
        print("You have explored nothing like that.")
    else:
        print("Nothing explored yet. Agents leave a touch when they fetch from GitHub: see rg-install --doctor")
    return 0


def from_every_machine(config: Config, log: TouchLog, user: str, **wanted: Any) -> list[Touch]:
    """The user's Touches as `TouchLog.touches` gives them; where a team's server keeps some, from every machine.

    Where it is away, this machine's, and standard error says so.
    """
    from rg_core.store import open_store
    from rg_core.store.protocol import StoreUnavailable
    from rg_core.store.sharing import drain, shared_touches

    store = open_store(config, os.environ)
    try:
        shared = shared_touches(config, store)
        if shared:
            drain(log, config, store)
            found = {touch.id: touch for touch in shared.touches(**wanted)}
            found |= {touch.id: touch for touch in log.touches(user, **wanted)}
            newest = sorted(found.values(), key=lambda touch: touch.at, reverse=True)
            return newest[: wanted.get("limit")]
        log.adopt(user, config.former)
    except StoreUnavailable as error:
        warn(f"only this machine's touches: {error}")
    finally:
        store.close()
    return log.touches(user, **wanted)


def one_address(text: str) -> Address:
    """The Address that a person means.

    Raises:
        UserError: if there is none in the text.
    """
    from rg_core.address import of_argument

    found = of_argument(text)
    if not found.addresses:
        raise UserError(f"{text[:200]!r} names nothing on GitHub: {found.why}")
    return found.addresses[0]


def as_json(touch: Touch) -> dict[str, object]:
    """A Touch as `touches --json` prints it."""
    names = ("address", "kind", "provenance", "status", "reason", "outcome", "harness", "tool_name", "tool_use_id")
    return {name: getattr(touch, name) for name in names} | {
        "session_id": touch.session,
        "agent": touch.agent,
        "agent_type": touch.agent_type,
        "at": touch.at,
        "limit": touch.limit,
        "order": touch.order,
    }


def _line(touch: Touch) -> tuple[str, ...]:
    state = touch.outcome if touch.provenance == CACHE_READ else touch.status
    if touch.reason:
        state = touch.reason.replace("_", " ")
    shown = touch.address or "(not public: address not kept)"
    limit = f" first {touch.limit}" if touch.limit else ""
    who = " ".join(part for part in (touch.harness, touch.tool_name, touch.agent_type) if part)
    mark = "" if state == RESOLVED else state
    return (
        touch.at.replace("T", " ").rstrip("Z"),
        WORDS.get(touch.provenance, touch.provenance),
        mark,
        shown + limit,
        who,
    )
