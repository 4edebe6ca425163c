"""The options that say a policy, for register and govern, and the patch that they make."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from rg_core.assets.model import MODES, STATUSES, TARGETS, VISIBILITIES, Policy, subject_of
from rg_core.cli.assets.common import names
from rg_core.errors import UserError

WORDS = ("status", "visibility", "owner")
NUMBERS = ("priority", "confidence")
INCREMENTAL = ("allow", "deny", "revoke", "agents", "tasks", "frameworks", "unbind")


def arguments(parser: argparse.ArgumentParser, *, new: bool = False) -> None:
    """Declare them; for a `new` asset without those that take something back."""
    parser.set_defaults(revoke=None, unbind=None)
    add = parser.add_argument_group("status").add_argument
    add("--status", metavar="S", help=f"one of {', '.join(STATUSES)}")
    add("--expires", metavar="TIME|never", help="from then on no agent gets it, e.g. 2027-01-31")
    add("--follow", action=argparse.BooleanOptionalAction, help="once approved, later imports of it are approved too")
    add = parser.add_argument_group("who may see and change it").add_argument
    add("--visibility", metavar="V", help=f"who sees it: {', '.join(VISIBILITIES)}")
    add("--teams", metavar="A,B", help="the teams of --visibility team")
    add("--allow", metavar="SUBJECT=RIGHTS", action="append", help="e.g. user:bob=use or role:lead=read,manage")
    add("--deny", metavar="SUBJECT=RIGHTS", action="append", help="e.g. agent:*=use keeps it from every agent")
    if not new:
        add("--revoke", metavar="SUBJECT", action="append", help="remove what is allowed and denied to it")
    add("--owner", metavar="U", help="give it to this user")
    add = parser.add_argument_group("which agents get it, and how").add_argument
    add("--agents", metavar="A,B", help="bind it to these agents")
    add("--tasks", metavar="A,B", help="bind it to these tasks")
    add("--frameworks", metavar="A,B", help="bind it to these harnesses, e.g. claude_code,codex")
    if not new:
        add("--unbind", metavar="TARGET", action="append", help="remove a binding, e.g. agent:reviewer")
    add("--mode", choices=MODES, help="of what is bound here: in full, its summary, a tool to ask, or where to read it")
    add("--required", action="store_true", help="what is bound here comes before everything else")
    add("--priority", metavar="P", type=float, help="0 to 1: what comes first")
    add("--confidence", metavar="C", type=float, help="0 to 1: how sure you are of it; decides between equals")


def incremental(options: argparse.Namespace) -> bool:
    """Whether the options change what is there, so that it must be read first."""
    return any(getattr(options, name) for name in INCREMENTAL)


def patch(options: argparse.Namespace, before: Policy | None) -> dict[str, Any]:
    """The patch that the options say; `before` is what entries and bindings are added to or removed from.

    Raises:
        UserError: if the options contradict each other.
    """
    made: dict[str, Any] = {name: value for name in (*WORDS, *NUMBERS) if (value := getattr(options, name)) is not None}
    if options.teams is not None:
        made["teams"] = names(options.teams)
    if options.expires is not None:
        made["expires_at"] = None if options.expires == "never" else options.expires
    if options.follow is not None:
        made["follow"] = options.follow
    if options.allow or options.deny or options.revoke:
        made["acl"] = _entries(options, before)
    bound = [f"{kind}:{name}" for kind in TARGETS for name in names(getattr(options, f"{kind}s"))]
    if bound or options.unbind:
        made["bindings"] = _bindings(options, bound, before)
    if not bound and (options.mode or options.required):
        raise UserError("--mode and --required say how --agents, --tasks or --frameworks are bound; give one of those")
    return made


def _entries(options: argparse.Namespace, before: Policy | None) -> list[dict[str, Any]]:
    revoked = {subject_of(subject) for subject in options.revoke or ()}
    kept = [entry.json() for entry in (before.acl if before else ()) if entry.subject not in revoked]
    added = [_entry(effect, word) for effect in ("allow", "deny") for word in getattr(options, effect) or ()]
    replaced = {(entry["effect"], subject_of(entry["subject"])) for entry in added}
    return [entry for entry in kept if (entry["effect"], entry["subject"]) not in replaced] + added


def _entry(effect: str, word: str) -> dict[str, Any]:
    subject, equals, rights = word.rpartition("=")
    if not equals:
        raise UserError(f"--{effect} takes SUBJECT=RIGHTS such as user:bob=use, not {word[:80]!r}")
    return {"effect": effect, "subject": subject, "rights": names(rights)}


def _bindings(options: argparse.Namespace, bound: Sequence[str], before: Policy | None) -> list[dict[str, Any]]:
    gone = {subject_of(target) for target in (*bound, *(options.unbind or ()))}
    kept = [one.json() for one in (before.bindings if before else ()) if one.target not in gone]
    return kept + [{"target": target, "mode": options.mode, "required": options.required} for target in bound]
