"""What the actions share: the open assets, who asks, and how an asset looks as JSON."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from rg_core import paths
from rg_core.assets import errors, installation
from rg_core.assets.access import decide
from rg_core.assets.lifecycle import Setting
from rg_core.assets.model import RIGHTS, Asset, Identity, Version
from rg_core.assets.store import Assets
from rg_core.cli.screen import say_json
from rg_core.config import load
from rg_core.documents.projects import projects
from rg_core.errors import UserError
from rg_core.reading.framing import one_line


@contextmanager
def opened(options: argparse.Namespace) -> Iterator[tuple[Assets, Identity, Setting]]:
    """The assets, who asks, and the setting of a person's act now.

    Raises:
        UserError, StoreUnavailable: saying what to do.
    """
    config = load(os.environ)
    names = {name: getattr(options, name, None) or "" for name in ("project", "agent", "task", "framework")}
    who = installation.identity(config, paths.here(), **names)
    if who.user and names["project"] and not who.project:
        raise errors.no_project(names["project"], projects(config))
    installation.require(who)
    with installation.opened(config, os.environ) as assets:
        yield assets, who, installation.setting("cli", config)


def who_would_run(parser: argparse.ArgumentParser) -> None:
    """Declare the options that say as what a run would ask: a person's preview, for their own user."""
    parser.add_argument("--agent", metavar="A", help="what this agent would get")
    parser.add_argument("--task", metavar="T", help="... on this task")
    parser.add_argument("--framework", metavar="F", help="... in this harness, e.g. claude_code, codex, cursor")


def row(asset: Asset, version: Version | None = None) -> dict[str, Any]:
    """An asset as `list` prints it; of its newest version, or of another one."""
    shown, policy = version or asset.head, asset.policy
    return {
        "id": asset.id, "type": asset.type, "name": shown.content.name, "description": shown.content.description,
        "project": asset.project, "owner": policy.owner, "status": shown.status, "version": shown.n,
        "effective_version": asset.effective.n if asset.effective else None, "visibility": policy.visibility,
        "labels": list(shown.content.labels), "priority": policy.priority / 1000,
        "confidence": policy.confidence / 1000, "expires_at": policy.expires_at, "updated_at": asset.head.at,
    }  # fmt: skip


def whole(asset: Asset, who: Identity, version: Version | None = None) -> dict[str, Any]:
    """An asset as `show` prints it. The access list is for those who may share it."""
    shown = version or asset.head
    policy = asset.policy.json()
    rights = [right for right in RIGHTS if decide(asset, who, right).allowed]
    if "share" not in rights:
        del policy["acl"]
    waiting = asset.head.status in ("draft", "candidate") and asset.effective is not asset.head
    return row(asset, version) | {
        "content": shown.content.json(), "policy": policy, "rights": rights, "provenance": dict(shown.provenance),
        "waiting": waiting,
    }  # fmt: skip


def read_input(name: str) -> str:
    """The text of a file, or of standard input for `-`.

    Raises:
        UserError: if it cannot be read.
    """
    try:
        if name == "-":
            return sys.stdin.buffer.read().decode()
        with open(name, encoding="utf-8") as file:
            return file.read()
    except OSError as error:
        why = (error.strerror or "it cannot be read").lower()
        raise UserError(f"{name}: {why}; name a text file, or - for standard input") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{name} is no UTF-8 text; name a text file, or - for standard input") from error


def read_json(name: str) -> dict[str, Any]:
    """The JSON object of a file, or of standard input for `-`.

    Raises:
        UserError: if it cannot be read or is no JSON object.
    """
    try:
        found = json.loads(read_input(name))
    except (ValueError, RecursionError) as error:
        raise UserError(f"{name} is not JSON: {error}") from error
    if not isinstance(found, dict):
        raise UserError(f"{name} must hold one JSON object")
    return found


def names(word: str | None) -> list[str]:
    """Comma-separated names."""
    return [part.strip() for part in (word or "").split(",") if part.strip()]


def print_done(done: Sequence[Mapping[str, Any]], *, as_json: bool) -> None:
    """Print what acts came to."""
    if as_json:
        say_json(done[0] if len(done) == 1 else list(done), "asset_done")
        return
    for one in done:
        effective = one["effective_version"]
        state = f"version {one['version']}, {one['status']}" if one["changed"] else "nothing changed"
        effect = "in effect" if effective == one["version"] else f"version {effective} is in effect"
        print(f"{one['id']}  {state}{'' if effective is None else f', {effect}'}")


def line(text: str, most: int = 100) -> str:
    """Stored text on one line of a terminal."""
    return one_line(text, most)
