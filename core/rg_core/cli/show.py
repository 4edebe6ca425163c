"""rg-memory show: what memory holds at an address. Records nothing, so it needs no identity."""

from __future__ import annotations

import argparse
import os
import shlex
from dataclasses import replace
from typing import Any

from rg_core import paths
from rg_core.address.model import without_scheme
from rg_core.cli.reader import opened
from rg_core.cli.screen import say, say_json
from rg_core.config import load
from rg_core.errors import UserError
from rg_core.reading.query import ALL_ROWS, Answer, Rows, answer, finder, instant
from rg_core.reading.render import row_lines
from rg_core.store.model import Comment, Item, Repository, Row
from rg_core.store.texts import Document
from rg_core.touches.database import TouchLog
from rg_core.touches.touch import CACHE_READ, NOT_FOUND, PENDING, RATE_LIMITED

EPILOG = """\
ADDRESS is what the `resource` tool takes: a GitHub URL, owner/repo#123, owner/repo, a github: key, gh arguments in
quotes ("issue list -R owner/repo --label bug"); of a document or note of yours its key (doc:, note:) or name, SPEC-054.
Exit code 0 also for a miss, 1 for what names nothing; --json says `"outcome": "miss"`."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.epilog = EPILOG
    parser.add_argument("address", metavar="ADDRESS", help="what to show")
    parser.add_argument("--json", action="store_true", help="print one JSON object with everything")
    parts = parser.add_mutually_exclusive_group()
    parts.add_argument("--outline", action="store_true", help="a short form, with one line a comment")
    parts.add_argument("--find", metavar="WORDS", help="only the parts that have these words; of a listing, the rows")
    parts.add_argument("--comments", metavar="N-N", help="only these comments, whole, e.g. 40-60")
    parser.add_argument("--as-of", metavar="TIME", help="as it was then, e.g. 2026-04-15T00:00:00Z")


def run(options: argparse.Namespace) -> int:
    """Show it."""
    as_of = instant(options.as_of) if options.as_of else None
    found = _found(options.address, as_of)
    if found.outcome == "miss" and not (found.question or found.kind):
        raise UserError(f"{options.address[:200]!r} names nothing: {found.why}")
    if options.json and (options.outline or options.find or options.comments):
        raise UserError("--json prints everything and takes no parts; run it without --json")
    if part := _part(options, found):
        say(part)
    elif options.json:
        say_json(facts(found), "show")
    else:
        from rg_core.cli.reader import HEADINGS, shown

        say(shown(found), HEADINGS)
        if found.outcome == "miss" and found.question and not options.as_of:
            say(_what_became(found))
    return 0


def _what_became(found: Answer) -> str:
    """Of what is not in memory: what the user's own Touches and Sweeps know of it, and the next step."""
    config = load(os.environ)
    log = TouchLog(paths.outbox_file(os.environ))
    explored = [touch for touch in log.touches(config.user, address=found.asked) if touch.provenance != CACHE_READ]
    again = f"rg-memory reverify {shlex.quote(without_scheme(found.asked))} && rg-memory sweep"
    if not explored:
        return f"You have not explored it. To fetch it now: {again}"
    last = explored[0]
    if last.reason == NOT_FOUND:
        return (
            f"You explored it at {last.at}, and GitHub answered that there is no such thing (404): it is misspelt, "
            f"deleted or private. To ask again: {again}"
        )
    if last.reason == RATE_LIMITED:
        return f"You explored it at {last.at}; it waits for GitHub's rate limit. To try now: rg-memory sweep"
    if last.status == PENDING:
        return f"You explored it at {last.at}; the next sweep fetches it: rg-memory sweep"
    return f"You explored it at {last.at}. To fetch it again: {again}"


def _part(options: argparse.Namespace, found: Answer) -> str:
    """The part that was asked for as text; "" where all of it was, or where there is nothing to take a part of."""
    from rg_core.reading import parts

    if not (options.outline or options.find or options.comments) or found.outcome == "miss":
        return ""
    if found.listing and options.find:
        with opened(os.environ) as (_, store):
            rows, says = parts.matching_rows(found.listing.rows, options.find, store.read)
            return f"{says}\n" + "\n".join(row_lines(replace(found.listing, rows=tuple(rows))))
    if not found.reading or not isinstance(found.reading.resource, Item):
        raise UserError("only issues and pull requests have parts; of a listing --find shows rows")
    item = found.reading.resource
    if options.find:
        part = parts.matching(item, options.find)
    elif options.outline:
        part = parts.outline(item)
    elif numbers := parts.ranged(options.comments):
        part = parts.comments(item, *numbers, room=parts.WHOLE)
    else:
        raise UserError(f"{options.comments[:40]!r} is no range of comments; write it like 40-60")
    return f"{part.says}\n\n{part.text}" if part.text else part.says


def _found(address: str, as_of: str | None) -> Answer:
    from rg_core.cli.reader import own_texts

    with own_texts(os.environ, address) as texts:
        if texts:
            from rg_core.reading.local import local_answer

            return local_answer(texts, address, as_of)
    with opened(os.environ) as (_, store):
        return answer(store, address, rows=ALL_ROWS, as_of=as_of, find=finder(os.environ))


def facts(found: Answer) -> dict[str, Any]:
    """An answer as the JSON object that --json prints."""
    reading = found.reading
    result: dict[str, Any] = {
        "outcome": found.outcome,
        "address": reading.resource.address if reading else found.asked,
        "kind": found.kind or None,
        "node_id": reading.resource.node_id if reading else None,
        "fetched_at": found.fetched_at or None,
        "updated_at": found.updated_at or None,
        "age_days": found.age_days() if found.fetched_at else None,
        "superseded": found.superseded,
    }
    if found.as_of:
        result["as_of"] = found.as_of
    if found.outcome == "miss":
        return result | {"why": found.why or "not in memory"}
    if found.listing:
        return result | _listing(found, found.listing)
    assert reading
    resource = reading.resource
    result |= {
        "state_id": reading.state_id,
        "valid_from": reading.valid_from,
        "valid_until": reading.valid_until,
        "recorded_at": reading.recorded_at,
    }
    if isinstance(resource, Item):
        return result | _item(resource) | {"closed_by": list(found.closed_by)}
    return result | (_document(resource) if isinstance(resource, Document) else _repository(resource))


def _document(document: Document) -> dict[str, Any]:
    return {
        "project": document.project or None,
        "title": document.title,
        "names": list(document.names),
        "text": document.text,
        **{name: value or None for name, value in document.facts.items() if name != "kind"},
        **({"note_kind": document.facts.get("kind")} if document.kind == "note" else {}),
        "edges": [{"verb": edge.verb, "target": edge.target, "section": edge.section} for edge in document.edges],
    }


def _repository(repository: Repository) -> dict[str, Any]:
    return {
        "name": repository.name,
        "description": repository.description,
        "readme": repository.readme,
        "pushed_at": repository.pushed_at,
    }


def _item(item: Item) -> dict[str, Any]:
    result: dict[str, Any] = {
        "number": item.number,
        "title": item.title,
        "state": item.state,
        "state_reason": item.state_reason,
        "body": item.body,
        "author": item.author,
        "labels": list(item.labels),
        "assignees": list(item.assignees),
        "milestone": item.milestone,
        "created_at": item.created_at,
        "closed_at": item.closed_at,
        "comments": [_comment(comment) for comment in item.comments],
        "references": list(item.references),
        "closes": list(item.closes),
    }
    if item.kind == "pull_request":
        result |= {
            "merged": item.state == "merged",
            "merged_at": item.merged_at,
            "base_ref": item.base_ref,
            "files": list(item.files),
        }
    return result


def _comment(comment: Comment) -> dict[str, Any]:
    result: dict[str, Any] = {
        "node_id": comment.node_id,
        "author": comment.author,
        "created_at": comment.created_at,
        "updated_at": comment.updated_at,
        "body": comment.body,
    }
    if comment.path is not None:
        result["path"] = comment.path
    if comment.minimized is not None:
        result["minimized"] = comment.minimized
    return result


def _listing(found: Answer, rows: Rows) -> dict[str, Any]:
    return {
        "order": found.question.order if found.question else None,
        "limit": found.question.limit if found.question else None,
        "members": [_row(row) for row in rows.rows],
        "member_count": rows.member_count,
        "total_count": rows.total if rows.total >= 0 else None,
        "complete": rows.complete,
        "snapshot_id": rows.source.id,
        "source": {"address": rows.source.address, "fetched_at": rows.source.fetched_at}
        if found.outcome == "subsumed"
        else None,
    }


def _row(row: Row) -> dict[str, Any]:
    return {
        "address": row.address,
        "number": row.number,
        "title": row.title,
        "state": row.state,
        "labels": list(row.labels),
        "updated_at": row.updated_at,
        "comments": row.comments,
    }
