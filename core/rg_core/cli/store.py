"""rg-memory store: prepare, check or rebuild the store."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rg_core import paths
from rg_core.address.model import Address, key_of, listing_key
from rg_core.cli.screen import say, say_json, tracked
from rg_core.nouns import counted
from rg_core.store.protocol import Store
from rg_core.touches.known import Known

EPILOG = """\
init      create the file, or on a server the constraints and indexes; harmless where they are
check     see that the store is sound: whole files, chains without gaps, bodies as they were recorded
reindex   rebuild the small local index from which hooks know what memory has"""
MOST_FAULTS = 20  # of them shown to a person


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.epilog = EPILOG
    parser.add_argument("action", choices=("init", "check", "reindex"))
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(options: argparse.Namespace) -> int:
    """Do it; 1 where check finds a fault."""
    from rg_core.cli.reader import opened

    with opened(os.environ) as (_, store):
        if options.action == "init":
            store.init()
            if store.can.text:
                from rg_core.recall.indexing import INDEX_VERSION

                store.index(INDEX_VERSION).begin()
            result: dict[str, Any] = {"store": store.where, "faults": []}
            said = f"{store.where} is ready."
        elif options.action == "check":
            found = check(store, wanted=not options.json)
            foreign = dict(store.foreign())
            result = {"store": store.where, "counts": dict(store.counts()), "foreign": foreign, "faults": found}
            said = _verdict(store.where, store.counts(), found) + _of_others(foreign)
        else:
            count = reindex(store, wanted=not options.json)
            result = {"store": store.where, "known": count, "faults": []}
            said = f"The index for hooks was rebuilt from {store.where}: {counted(count, 'addresses')}."
    say_json(result, "store", indent=None) if options.json else say(said)
    return 1 if result["faults"] else 0


def check(store: Store, *, wanted: bool = True) -> list[str]:
    """Everything that is wrong with a store."""
    from rg_core.store.check import faults

    return list(store.damage()) or list(faults(tracked(store.dump(), "Checking", size(store), wanted=wanted)))


def reindex(store: Store, *, wanted: bool = True) -> int:
    """Rebuild the hooks' index of known addresses; how many it has then."""
    from rg_core.touches.database import TouchLog

    log = TouchLog(paths.outbox_file(os.environ))
    log.replace_known(known(tracked(store.dump(), "Indexing", size(store), wanted=wanted)))
    return log.known_count()


def size(store: Store) -> int:
    """About how many records a dump has."""
    counts = store.counts()
    return sum(counts[kind] for kind in ("repositories", "issues", "pull_requests", "listings"))


def known(records: Iterable[Mapping[str, Any]]) -> Iterator[Known]:
    """What hooks should know of a dump's records."""
    names: dict[str, str] = {}  # of repositories by node_id, and by every name they had
    for record in records:
        if record["record"] == "listing":
            yield _listing(record, names)
        elif record["record"] == "resource":
            if record["kind"] == "repository":
                names |= dict.fromkeys([record["node_id"], *record["names"]], record["name"].lower())
            if record["states"] and not record["deleted"]:
                yield _resource(record, names)


def _resource(record: Mapping[str, Any], names: Mapping[str, str]) -> Known:
    content = record["states"][-1]["content"]
    times = (record["fetched_at"], record["updated_at"])
    if record["kind"] == "repository":
        return Known(key_of(record["name"]), "", *times, content["description"])
    address = key_of(names[record["repository_id"]], record["number"])
    return Known(address, "", *times, content["title"], len(content["comments"]))


def _listing(record: Mapping[str, Any], names: Mapping[str, str]) -> Known:
    last, asked = record["snapshots"][-1], Address.parse(record["address"])
    counts = (len(last["members"]), last["total_count"], last["complete"])
    address = listing_key(names.get(asked.repository, asked.repository), asked.query)
    return Known(address, record["order"], record["fetched_at"], "", "", 0, *counts)


def _of_others(foreign: Mapping[str, int]) -> str:
    if not foreign:
        return ""
    counted = ", ".join(f"{count:,} :{name}" for name, count in foreign.items())
    return f"\nOthers keep nodes there under names that memory uses too, which are left alone: {counted}."


def _verdict(where: str, counts: Mapping[str, int], found: list[str]) -> str:
    if not found:
        stored = ", ".join(counted(count, kind) for kind, count in counts.items())
        return f"{where} is sound: {stored}."
    lines = [f"{where} is not sound:", *(f"  {fault}" for fault in found[:MOST_FAULTS])]
    if len(found) > MOST_FAULTS:
        lines.append(f"  ... {len(found) - MOST_FAULTS} more; --json prints them all")
    lines.append(
        "Import your last export into a new store, or forget what is named here and let a sweep fetch it again."
    )
    return "\n".join(lines)
