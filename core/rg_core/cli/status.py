"""rg-memory status: what waits, what is stored, what is configured."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from contextlib import closing
from dataclasses import asdict

from rg_core import paths
from rg_core.cli.screen import columns, say_json
from rg_core.config import Config, load
from rg_core.nouns import counted
from rg_core.store import open_documents, open_store
from rg_core.store.protocol import Store, StoreUnavailable
from rg_core.sweep import last
from rg_core.sweep.last import LastSweep
from rg_core.telemetry.log import trouble
from rg_core.times import written
from rg_core.touches.database import TouchLog
from rg_core.touches.drain import waiting

ENDINGS = {
    "running": "is running",
    "done": "fetched all that waited",
    "waits": "must continue later",
    "failed": "failed",
    "interrupted": "was interrupted",
}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--json", action="store_true", help="as one JSON object")


def run(options: argparse.Namespace) -> int:
    """Print the state of this user's memory; exits 1 when memory cannot be reached or nobody is configured."""
    config = load(os.environ)
    log = TouchLog(paths.outbox_file(os.environ))
    store = open_store(config, os.environ)
    stored, problem = _stored(store)
    newest = log.touches(config.user, limit=1)
    facts: dict[str, object] = {
        "user": config.user,
        "config": config.path,
        "store": store.where,
        "store_problem": problem,
        "github_token": bool(config.github.token),
        "sweep_auto": config.sweep.auto,
        "stored": stored,
        "touches": _touches(log, config.user),
        "touches_shared": store.can.touches and config.store.touches == "graph",
        "events": _events(log),
        "known": log.known_count(),
        "telemetry": config.telemetry.enabled,
        "telemetry_problem": trouble(paths.telemetry_file(os.environ)) if config.telemetry.enabled else "",
        "documents": _own(config),
        "shared": _shared(config),
        "last_touch": newest[0].at if newest else None,
        "last_harness": newest[0].harness if newest else None,
        "last_sweep": asdict(swept) if (swept := last.read(os.environ, config.user)) else None,
        "log": paths.log_file(os.environ),
    }
    if options.json:
        say_json(facts, "status")
    else:
        _print(facts, swept)
    return 0 if config.user and not problem else 1


def _stored(store: Store) -> tuple[Mapping[str, int], str]:
    try:
        if not store.exists():
            return {}, ""
        return dict(store.counts()), ""
    except StoreUnavailable as error:
        return {}, str(error)
    finally:
        store.close()


def _own(config: Config) -> dict[str, int]:
    """The user's documents and notes, and the edges that changed without being asked since somebody looked."""
    if not config.user or not os.path.exists(paths.documents_file(os.environ)):
        return {}
    with closing(open_documents(os.environ)) as store:
        return {**store.counts(config.user), "edges_changed": len(store.unseen(config.user))}


def _shared(config: Config) -> dict[str, int]:
    """How many of the user's documents and notes each server was sent."""
    if not config.user or not os.path.exists(paths.documents_file(os.environ)):
        return {}
    with closing(open_documents(os.environ)) as store:
        return {place: len(store.sent(config.user, place)) for place in store.sent_to(config.user)}


def _touches(log: TouchLog, user: str) -> dict[str, int]:
    """The user's Touches of this machine by what became of them; `waiting` is what the next Sweep will take up."""
    totals = {"waiting": 0, "resolved": 0, "unresolved": 0, "reads": 0}
    for provenance, status, reason, _, count in log.counts(user):
        if provenance == "CACHE_READ":
            totals["reads"] += count
        elif status == "pending" or reason == "rate_limited":
            totals["waiting"] += count
        else:
            totals[status] += count
    return totals


def _events(log: TouchLog) -> dict[str, object]:
    """What hooks left and nobody could take in: how many, since when, and why they are kept."""
    left = waiting(log.data)
    since = written(left.oldest) if left.count else None
    return {"waiting": left.count, "since": since, "of_a_later_release": left.newer, "unreadable": left.bad}


def _documents(own: Mapping[str, int]) -> str:
    holds = ", ".join(counted(count, f"{kind}s") for kind, count in own.items() if count and kind != "edges_changed")
    changed = own["edges_changed"]
    look = f"; {counted(changed, 'edges')} changed since you looked: rg-memory documents edges" if changed else ""
    return f"{holds or 'none'}{look}"


def _print(facts: Mapping[str, object], swept: LastSweep | None) -> None:
    stored, touches, shared = facts["stored"], facts["touches"], facts["shared"]
    assert isinstance(shared, dict)
    assert isinstance(stored, dict)
    assert isinstance(touches, dict)
    here = " on this machine (rg-memory stats: on all of them)" if facts["touches_shared"] else ""
    holds = ", ".join(counted(count, kind) for kind, count in stored.items() if count)
    rows = [
        ("you", str(facts["user"]) or "nobody: rg-memory config set identity.user_id NAME"),
        ("config", str(facts["config"])),
        ("memory", str(facts["store"])),
        ("stored", str(facts["store_problem"]) or holds or "nothing yet"),
        *([("documents", _documents(own))] if (own := facts["documents"]) and isinstance(own, dict) else []),
        *[("shared", f"{count:,} of your documents and notes on {place}") for place, count in shared.items()],
        (
            "touches",
            f"{touches['waiting']:,} waiting, {touches['resolved']:,} resolved, {touches['unresolved']:,} unresolved"
            + here,
        ),
        ("reads", f"{touches['reads']:,} from memory by agents (rg-memory stats)"),
        (
            "telemetry",
            str(facts["telemetry_problem"])
            or ("on, on this machine only (rg-memory stats)" if facts["telemetry"] else "off"),
        ),
        ("last touch", f"{facts['last_touch']} by {facts['last_harness']}" if facts["last_touch"] else "none"),
        (
            "GitHub",
            "with a token"
            if facts["github_token"]
            else "anonymous, 60 requests an hour: rg-memory config set github.token -",
        ),
        ("sweep", "at the end of each session" if facts["sweep_auto"] else "when you run it: rg-memory sweep"),
        ("last sweep", _swept(swept) if swept else "none"),
    ]
    events = facts["events"]
    assert isinstance(events, dict)
    if events["waiting"] or events["unreadable"]:
        rows.insert(6, ("events", _left(events)))
    columns(rows)
    if touches["waiting"]:
        print(f"\nNext: rg-memory sweep fetches the {touches['waiting']:,} waiting into memory.")


def _swept(last: LastSweep) -> str:
    """When the last Sweep was, how it ended, and why."""
    if not last.ended:
        return f"began {last.began} and has not ended (process {last.process})"
    return f"{last.ended} {ENDINGS[last.ending]}" + (f": {last.reason}" if last.reason else "")


def _left(events: Mapping[str, object]) -> str:
    """What hooks left that is not among the touches, for a person."""
    parts = []
    if events["waiting"]:
        parts.append(f"{events['waiting']} of hooks not taken in yet, the oldest of {events['since']}")
    if events["of_a_later_release"]:
        parts.append(f"{events['of_a_later_release']} of a later release: upgrade rg-memory")
    if events["unreadable"]:
        parts.append(f"{events['unreadable']} unreadable (kept for 30 days)")
    return "; ".join(parts)
