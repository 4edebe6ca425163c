"""The tables of cases: each function takes one row of its table and returns what the row calls `want`.

They call the functions that the commands and the MCP server call.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rg_core.assets import lifecycle, loadout, manifest
from rg_core.assets.access import decide
from rg_core.assets.errors import Refused
from rg_core.assets.lifecycle import Setting
from rg_core.assets.loadout import Loadout, LoadoutRequest
from rg_core.assets.manifest import About
from rg_core.assets.model import Asset, Identity, Policy, Version, content_of, name_of, names_of, policy_of
from tests.core.assets.worlds import effective_of

CASES = Path(__file__).parent / "cases"


def identity_of(given: Mapping[str, Any]) -> Identity:
    """An identity from its JSON form: user, project, teams, roles, agent, task, framework."""
    return Identity(
        user=name_of(given.get("user") or ""),
        project=name_of(given.get("project") or ""),
        teams=names_of(given.get("teams") or ()),
        roles=names_of(given.get("roles") or ()),
        agent=name_of(given.get("agent") or ""),
        task=name_of(given.get("task") or ""),
        framework=name_of(given.get("framework") or ""),
    )


def rows(name: str) -> list[dict[str, Any]]:
    """Every row of a table."""
    return [json.loads(line) for line in (CASES / f"{name}.jsonl").read_text("utf-8").split("\n") if line]


@dataclass(frozen=True, slots=True)
class Governed:
    """What an access row says of an asset."""

    project: str
    policy: Policy


def run_access(row: Mapping[str, Any]) -> dict[str, Any]:
    """The decision on a row of access.jsonl."""
    asset = Governed(row["asset"]["project"], policy_of(row["asset"]))
    decision = decide(asset, identity_of(row["context"]), row["right"])
    return {"allowed": decision.allowed, "reason": decision.reason}


def run_transition(row: Mapping[str, Any]) -> dict[str, Any]:
    """What a command does, of transitions.jsonl."""
    asset = asset_of(row["asset"]) if row["asset"] else None
    try:
        made = _made(asset, row["command"], identity_of(row["context"]), row)
    except Refused as error:
        return {"error": error.word, "right": error.right} if error.right else {"error": error.word}
    if made is None:
        assert asset
        effective = asset.effective.n if asset.effective else None
        return {"ok": True, "status": asset.head.status, "version": asset.head.n, "changed": False,
                "effective": effective}  # fmt: skip
    before = (asset.effective.n if asset.effective else None) if asset else None
    n = asset.head.n + 1 if asset else 1
    effective = lifecycle.effective_after(before, n, made.status)
    return {"ok": True, "status": made.status, "version": n, "changed": True, "effective": effective}


def run_loadout(row: Mapping[str, Any]) -> dict[str, Any]:
    """The loadout of a row of loadouts.jsonl."""
    try:
        return _loadout(row).json()
    except Refused as error:
        return {"error": error.word}


def run_text(row: Mapping[str, Any]) -> str:
    """The text of a row of texts.jsonl."""
    return _loadout(row).text()


def run_manifest(row: Mapping[str, Any]) -> dict[str, Any]:
    """The manifest of a row of manifests.jsonl."""
    try:
        about = About(**row["about"])
        return manifest.manifest(_loadout(row), _asking(row), about, row["ask"]["now"])
    except Refused as error:
        return {"error": error.word}


def asset_of(given: Mapping[str, Any]) -> Asset:
    """An asset as the tables write it; the policy is the newest version's."""
    policy = policy_of(given)
    versions = [_version(version, policy) for version in given["versions"]]
    n = effective_of((version.n, version.status) for version in versions)
    effective = next((version for version in versions if version.n == n), None)
    return Asset(given["id"], given["project"], given["type"], "", versions[0].at, versions[-1], effective)


def _version(given: Mapping[str, Any], policy: Policy) -> Version:
    content = content_of(given)
    return Version(given["n"], given["status"], given["at"], content.sha256(), content, policy)


def _made(
    asset: Asset | None, command: Mapping[str, Any], who: Identity, row: Mapping[str, Any]
) -> lifecycle.Next | None:
    imported = command.get("import") or command["op"] == "fail"
    setting = Setting("import" if imported and row["via"] == "cli" else row["via"], row["now"], row["mcp"])
    if command["op"] == "register":
        content = {"name": "release-notes", **command.get("content", {})}
        patch = {name: command[name] for name in ("status",) if name in command} | command.get("patch", {})
        return lifecycle.register(command["type"], content, patch, who, setting)
    if command["op"] == "revise":
        return lifecycle.revise(asset, command["content"], who, setting, if_version=command.get("if_version"))
    if command["op"] == "fail":
        return lifecycle.fail(asset, {"name": "release-notes"}, who, setting)
    return lifecycle.govern(asset, command["patch"], who, setting, if_version=command.get("if_version"))


def _asking(row: Mapping[str, Any]) -> Identity:
    return identity_of(row["ask"]["ctx"])


def _loadout(row: Mapping[str, Any]) -> Loadout:
    ask = row["ask"]
    types = tuple(ask["types"]) if ask.get("types") is not None else None
    asked = LoadoutRequest(
        ask["now"], ask.get("query", ""), ask.get("budget", 2048), types, ask.get("unbound", "relevant")
    )
    return loadout.choose([asset_of(asset) for asset in row["assets"]], _asking(row), asked)
