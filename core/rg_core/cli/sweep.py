"""rg-memory sweep: fetch what agents explored, once, into memory."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from rg_core import config, paths
from rg_core.cli.screen import Bar, say, say_json, warn
from rg_core.nouns import counted

if TYPE_CHECKING:
    from rg_core.config import Config
    from rg_core.store.protocol import Store
    from rg_core.sweep.run import Summary


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--json", action="store_true", help="print one summary object")
    parser.epilog = (
        "Without a token GitHub answers 60 requests an hour; set one: rg-memory config set github.token -.\n"
        "Exit codes: 0 nothing is left to do now, 3 something must wait (run it again later), 1 an error."
    )


def run(options: argparse.Namespace) -> int:
    """Sweep once and say what was done."""
    from rg_core.errors import UserError
    from rg_core.store.protocol import StoreUnavailable
    from rg_core.sweep.alone import Busy
    from rg_core.sweep.run import Summary

    token = True
    try:
        settings = config.load(os.environ)
        token = bool(settings.github.token)
        summary = _recorded(settings, settings.require_user(), bar=not options.json)
    except Busy:
        summary = Summary()
        warn("another sweep is running; it fetches what waits here too")
        if options.json:
            say_json(as_json(summary), "sweep", indent=None)
        return 3
    except (UserError, StoreUnavailable) as error:
        if not options.json:
            raise
        summary = Summary(problem=str(error))
    say_json(as_json(summary), "sweep", indent=None) if options.json else say(as_text(summary, token))
    if summary.problem:
        said = f" (GitHub said: {summary.said})" if summary.said else ""
        warn(f"{summary.problem}{said}")
    return summary.exit_code


def _recorded(settings: Config, user: str, *, bar: bool) -> Summary:
    """Sweep, and leave word of it in the log and for `rg-memory status`: often nobody looks on."""
    from rg_core import log
    from rg_core.errors import UserError
    from rg_core.store.protocol import StoreUnavailable
    from rg_core.sweep import last
    from rg_core.sweep.alone import alone

    def end(ending: last.Ending, reason: str, what: str = "") -> None:
        last.ended(os.environ, this, ending, reason)
        log.note(os.environ, "sweep", ": ".join(filter(None, (ending, what, reason))))

    with alone(os.environ) as holder:
        this = last.begun(os.environ, user)
        log.note(os.environ, "sweep", "begins")
        try:
            summary = _sweep(settings, user, holder, bar=bar)
        except (UserError, StoreUnavailable) as error:
            end("failed", str(error))
            raise
        except KeyboardInterrupt:
            end("interrupted", "")
            raise
        except Exception:
            end("failed", f"a bug in rg-memory; see {paths.log_file(os.environ)}")
            raise
        limit = f"GitHub's rate limit ends at {summary.resets_at}" if summary.resets_at else ""
        ending: dict[int, last.Ending] = {0: "done", 3: "waits"}
        log.note(os.environ, "sweep", *summary.notes)
        end(ending.get(summary.exit_code, "failed"), summary.problem or limit, _counted(summary))
    return summary


def _sweep(settings: Config, user: str, holder: str, *, bar: bool) -> Summary:
    from rg_core.github.client import Client
    from rg_core.store import open_store
    from rg_core.store.sharing import drain
    from rg_core.sweep.run import sweep
    from rg_core.telemetry import tend
    from rg_core.touches.database import TouchLog

    log = TouchLog(paths.outbox_file(os.environ))
    store = open_store(settings, os.environ)
    client = Client(settings.github.api_url, settings.github.token)
    try:
        with Bar("Asking GitHub", wanted=bar) as shown:
            summary = sweep(
                user, log, store, client, max_members=settings.sweep.max_members, holder=holder,
                progress=lambda done, total: shown.show(done, total, "Fetching"), erase=tend.eraser(os.environ),
            )  # fmt: skip
        drain(log, settings, store)
        _index(settings, store)
        tend.after_sweep(settings, os.environ, store)
    finally:
        client.close()
        store.close()
    return summary


def as_json(summary: Summary) -> dict[str, object]:
    """The summary object."""
    shown: dict[str, object] = {
        "resolved": summary.resolved,
        "unresolved": dict(summary.unresolved),
        "fetched": summary.fetched,
        "unchanged": summary.unchanged,
        "requests": summary.requests,
        "points": summary.points,
        "seconds": summary.seconds,
        "waiting": summary.waiting,
    }
    words = {"resets_at": summary.resets_at, "problem": summary.problem, "said": summary.said}
    notes = {"notes": list(summary.notes)} if summary.notes else {}
    return shown | {name: text for name, text in words.items() if text} | notes


def as_text(summary: Summary, token: bool) -> str:
    """The summary for people."""
    if not (summary.resolved or summary.unresolved or summary.waiting):
        return "Nothing waits: all that was explored is in memory."
    spent = f"({counted(summary.requests, 'requests')}, {counted(summary.points, 'points')}, {summary.seconds:.1f} s)"
    lines = [f"{_counted(summary)} {spent}"]
    words = {
        "not_found": "not found on GitHub",
        "not_public": "not public, so not stored",
        "rate_limited": "must wait for GitHub's rate limit",
    }
    lines += [f"{count} {words.get(reason, reason)}" for reason, count in summary.unresolved.items()]
    lines += summary.notes
    if summary.waiting:
        waits, them = ("waits", "it") if summary.waiting == 1 else ("wait", "them")
        lines.append(f"{summary.waiting} still {waits}; the next sweep goes on with {them}")
    if summary.resets_at:
        advice = "" if token else "; with a token there are 5,000 an hour: rg-memory config set github.token -"
        lines.append(f"The limit ends at {summary.resets_at}{advice}")
    return "\n".join(lines)


def _counted(summary: Summary) -> str:
    return f"{summary.resolved} resolved: {summary.fetched} fetched, {summary.unchanged} unchanged"


def _index(settings: Config, store: Store) -> None:
    """Read changed documents again, and have recall's index follow; a document that cannot be read stops no Sweep."""
    from rg_core import log
    from rg_core.documents.again import read_again
    from rg_core.documents.share import share
    from rg_core.recall.own import OwnRecall

    own = OwnRecall(settings, os.environ, paths.here(), store)
    try:
        log.note(os.environ, "documents", *read_again(own.texts))
        if problem := share(own.texts.store, settings, store).problem:
            log.note(os.environ, "documents", problem)
        own.catch_up()
        if own.away:
            log.note(os.environ, "recall", f"what the server holds is not indexed: {own.away}")
    finally:
        own.close()
