"""rg-memory asset register."""

from __future__ import annotations

import argparse
import hashlib
import os
from typing import Any

from rg_core.assets.errors import invalid
from rg_core.assets.model import TYPES
from rg_core.assets.store import Source
from rg_core.cli.assets import policy_options
from rg_core.cli.assets.common import opened, print_done, read_input, read_json
from rg_core.store.asset_rows import PageRow, Parts

EPILOG = """\
example:
  rg-memory asset register --type skill --name release-notes --trigger "a release is prepared" \\
      --instructions how.md --validation check.md
A skill that says when it is for, what to do and how to see that it is done is approved at once. Everything else is a
candidate until you approve it: rg-memory asset govern ID --status approved
--input-json takes an object with type, name, description, body, summary, labels, payload, source_type, source_ref and
the policy's fields (status, visibility, teams, acl, bindings, priority, confidence, expires_at, follow)."""
CONTENT = ("name", "description", "body", "summary", "labels", "payload")
POLICY = ("status", "visibility", "teams", "acl", "bindings", "priority", "confidence", "expires_at", "follow", "owner")
SKILL = ("trigger", "instructions", "validation")
KNOWN = frozenset({"type", "source_type", "source_ref", *CONTENT, *POLICY})


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the action's arguments."""
    parser.epilog = EPILOG
    add = parser.add_argument
    add("--type", choices=TYPES, help="what it is")
    add("--name", metavar="N", help="at most 80 characters; the same name again gives the same asset new content")
    add("--input-json", metavar="FILE|-", help="all of it as JSON; options come on top")
    add("--json", action="store_true", help="as one JSON object")
    texts = parser.add_argument_group("what it says")
    add = texts.add_argument
    add("--description", metavar="D", help="one sentence: when it helps")
    add("--summary", metavar="TEXT", help="what an agent gets where the whole text is too long")
    add("--label", metavar="L", action="append", help="a word to find it by; as often as you like")
    body = texts.add_mutually_exclusive_group()
    body.add_argument("--body", metavar="FILE|-", help="the text")
    body.add_argument("--content-ref", metavar="URI", help="where the text is kept instead")
    add("--source-type", metavar="T", help="what it was made from, e.g. runbook")
    add("--source-ref", metavar="R", help="which one: a path, an address, a number")
    add = parser.add_argument_group("of a skill, instead of --body").add_argument
    add("--trigger", metavar="TEXT", help="when it is for")
    add("--instructions", metavar="FILE|-", help="what to do")
    add("--validation", metavar="FILE", help="how to see that it is done")
    add("--resource", metavar="FILE", action="append", help="a text file that belongs to it; as often as you like")
    policy_options.arguments(parser, new=True)


def run(options: argparse.Namespace) -> int:
    """Register it."""
    given = read_json(options.input_json) if options.input_json else {}
    if unknown := sorted(given.keys() - KNOWN):
        raise invalid(unknown[0][:60], f"is no field of an asset; there are {', '.join(sorted(KNOWN))}")
    kind = options.type or given.get("type")
    if not isinstance(kind, str):
        raise invalid("type", f"one of {', '.join(TYPES)}")
    content = {name: given[name] for name in CONTENT if name in given} | _content(options)
    patch = {name: given[name] for name in POLICY if name in given} | policy_options.patch(options, None)
    if any(getattr(options, name) for name in SKILL):
        _complete(options, kind, content, patch)
    with opened(options) as (assets, who, setting):
        name = str(content.get("name", "")).strip()
        source_type = options.source_type or given.get("source_type") or "hand"
        provenance = {"source_type": source_type, "source_ref": options.source_ref or given.get("source_ref") or name}
        source = Source(f"hand:{who.user}:{name}", provenance, _resources(options.resource or ()))
        done = assets.register(who, kind, content, setting, source, patch)
    print_done([done.json()], as_json=options.json)
    return 0


def _content(options: argparse.Namespace) -> dict[str, Any]:
    content: dict[str, Any] = {
        name: value for name in ("name", "description", "summary") if (value := getattr(options, name)) is not None
    }
    if options.label:
        content["labels"] = options.label
    if options.body:
        content["body"] = read_input(options.body)
    if options.content_ref:
        content["payload"] = {"content_ref": options.content_ref}
    return content


def _complete(options: argparse.Namespace, kind: str, content: dict[str, Any], patch: dict[str, Any]) -> None:
    """Put a skill's body together; one that lacks a part is a candidate."""
    if kind != "skill" or options.body:
        raise invalid("--trigger", "with --type skill and without --body, whose parts these are")
    missing = [f"--{name}" for name in SKILL if not getattr(options, name)]
    if missing and patch.setdefault("status", "candidate") == "approved":
        raise invalid("status", f"approved only with {' and '.join(missing)}")
    parts = []
    if options.trigger:
        parts.append(f"When: {options.trigger.strip()}")
    if options.instructions:
        parts.append(read_input(options.instructions).strip())
    if options.validation:
        parts.append(f"Check: {read_input(options.validation).strip()}")
    content["body"] = "\n\n".join(parts)


def _resources(files: list[str] | tuple[str, ...]) -> Parts | None:
    pages = []
    for file in files:
        body, path = read_input(file), os.path.basename(file)
        pages.append(PageRow(path, path, hashlib.sha256(body.encode()).hexdigest(), body, path))
    return Parts(pages=pages) if pages else None
