"""rg-memory recall: search everything that memory holds."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rg_core import paths

if TYPE_CHECKING:
    from rg_core.recall.answer import Findings
    from rg_core.recall.own import OwnRecall

KINDS = ("issue", "pull_request", "repository", "document", "note")  # rg_core.recall.asking.KINDS, kept out of --help
SHARED_SECONDS = 5.0  # of indexing what a server holds; a Sweep does the rest
EPILOG = """\
What the query names (SPEC-054, owner/repo#12, a key) comes first; words, vectors and relations vote on the rest, and
newer counts a little more than older. `what depends on X` and `what does X need` ask for one direction of relations.
Vectors are an extra: pip install 'rg-memory[vectors]'."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.epilog = EPILOG
    parser.add_argument("query", metavar="QUERY", nargs="*", help="what to look for, in any words")
    parser.add_argument("--as-of", metavar="TIME", help="what held then, e.g. 2026-04-15")
    parser.add_argument("--kind", choices=KINDS, action="append", help="only this kind; several may be given")
    parser.add_argument("--repository", metavar="OWNER/REPO", help="only of this repository")
    parser.add_argument("--project", metavar="NAME", help="only documents and notes of this project")
    parser.add_argument("--limit", metavar="N", type=int, help="results of a page: 1 to 50, default 10")
    parser.add_argument("--page", metavar="N", type=int, help="from 1 on")
    parser.add_argument("--graph", metavar="KEY|ALIAS", help="print what stands around this, as a tree; without QUERY")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(options: argparse.Namespace) -> int:
    """Bring the index up to date and answer."""
    from rg_core import paths
    from rg_core.cli.reader import opened
    from rg_core.errors import UserError
    from rg_core.recall.indexing import building
    from rg_core.recall.own import OwnRecall

    if bool(options.query) == bool(options.graph):
        raise UserError("give either words to look for, or --graph with the key or name of one thing")
    with opened(os.environ) as (config, store):
        own = OwnRecall(config, os.environ, paths.here(), store)
        try:
            left = own.catch_up(shared_seconds=SHARED_SECONDS)
            return _tree(own, options) if options.graph else _answer(own, options, building(left))
        finally:
            own.close()


def _answer(own: OwnRecall, options: argparse.Namespace, notes: Sequence[str]) -> int:
    from rg_core.cli.screen import say
    from rg_core.recall.asking import question

    began = time.monotonic()
    answer = own.ask(question({
        "query": " ".join(options.query), "as_of": options.as_of, "kinds": options.kind,
        "repository": options.repository, "project": options.project, "limit": options.limit, "page": options.page,
    }), notes=notes)  # fmt: skip
    took_ms = (time.monotonic() - began) * 1000
    say(_counted(own, answer, _json if options.json else _text, took_ms))
    return 0


def _counted(own: OwnRecall, answer: Findings, render: Callable[[Findings, str], str], took_ms: float) -> str:
    """The text of an answer, which names the event that it leaves."""
    from rg_core.telemetry.caller import terminal
    from rg_core.telemetry.log import EventLog
    from rg_core.telemetry.recalled import tell

    telemetry = own.config.telemetry
    if not telemetry.enabled:
        return render(answer, "")
    events = EventLog(paths.telemetry_file(os.environ), keeps_queries=telemetry.query_text)
    try:
        return tell(
            events,
            terminal(own.config, os.environ),
            answer,
            lambda name: render(answer, name),
            took_ms=took_ms,
            shown=len(answer.results),
        )
    finally:
        events.close()


def _json(answer: Findings, recall_id: str) -> str:
    from rg_core.cli.screen import as_json
    from rg_core.recall import answer as made

    return as_json(made.as_json(answer, recall_id or None), "recall")


def _text(answer: Findings, recall_id: str) -> str:
    from rg_core.recall.render import WEAK, block, legs, more

    lines = [WEAK] if answer.match == "weak" and answer.results else []
    if not answer.results:
        since = f": nothing is known before {answer.known_since}" if answer.known_since else ""
        lines.append(f"Nothing in memory matches{since}.")
    lines += [legs(answer), *answer.notes, *(f"\n{block(result)}" for result in answer.results)]
    if answer.more:
        lines.append(f"\n{more(answer, len(answer.results)).replace('the same call with page', '--page')}")
    if recall_id and answer.results:
        lines.append(f"\nUsed one? rg-memory cite {recall_id} 1")
    return "\n".join(lines)


def _tree(own: OwnRecall, options: argparse.Namespace) -> int:
    from rg_core.cli.screen import say
    from rg_core.recall.tree import tree

    say(tree(own, options.graph))
    return 0
