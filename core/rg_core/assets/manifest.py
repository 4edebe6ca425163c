"""What an agent is equipped with, as JSON, and the A2A agent card made from its skills. Pure.

A discovery artefact: it names no user and nothing that was left out. rg-memory speaks no A2A.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any
from urllib.parse import quote, urlsplit

from rg_core.assets import text
from rg_core.assets.errors import invalid, no_identity
from rg_core.assets.loadout import Loadout, Selected
from rg_core.assets.model import TYPES, Asset, Identity, compact
from rg_core.harness.tool_names import SERVER
from rg_core.reading.framing import clean

SCHEMA = "urn:rg-memory:schema:agent-manifest:1"
EXTENSION = "urn:rg-memory:a2a:memory-assets:1"
BINDINGS = ("HTTP+JSON", "JSONRPC", "GRPC")
MEDIA = ["text/plain", "application/json"]


@dataclass(frozen=True, slots=True)
class About:
    """What a manifest says of the agent beside its assets."""

    agent: str
    name: str = ""
    description: str = ""
    interface_url: str = ""  # where the agent speaks A2A; "" is nowhere
    protocol_binding: str = BINDINGS[0]
    content: bool = False  # whether the texts of direct and summary assets are in it


def manifest(
    loadout: Loadout,
    who: Identity,
    about: About,
    now: str,
    body: Callable[[Asset], str | None] = lambda asset: asset.effective.content.body if asset.effective else None,
) -> dict[str, Any]:
    """The manifest of a loadout; agent-manifest-1.schema.json is its schema.

    Raises:
        Refused: no_identity; invalid for another agent than the identity's, an address where no agent can be reached,
            or an unknown protocol binding.
    """
    if not who.user:
        raise no_identity()
    _check(who, about)
    rows = loadout.selected
    counts = {kind: sum(row.asset.type == kind for row in rows) for kind in TYPES}
    key = compact([who.project, who.agent, who.framework, who.task])
    equipment = [[row.asset.id, _version(row), row.mode] for row in rows]
    urn = "urn:rg-memory:manifest:" + hashlib.sha256(key).hexdigest()[:24]
    version = hashlib.sha256(compact(equipment)).hexdigest()[:16]
    agent = {"id": about.agent, "name": about.name or about.agent,
             "description": about.description or f"Agent {about.agent} of project {who.project}",
             "framework": who.framework or None, "task": who.task or None}  # fmt: skip
    extension = {"uri": EXTENSION, "required": False,
                 "params": {"manifestId": urn, "project": who.project,
                            "assetTypes": [kind for kind in TYPES if counts[kind]]}}  # fmt: skip
    card, reason = _card(rows, agent, version, about, extension)
    place = f"{SERVER}://project/{quote(who.project, safe='')}"
    return {
        "schema": SCHEMA, "id": urn, "version": version, "generated_at": now, "project": who.project, "agent": agent,
        "capabilities": {"asset_types": counts, "token_budget": loadout.budget, "tokens_used": loadout.tokens(),
                         "complete": not loadout.missing_required, "mcp": True, "a2a_agent_card": card is not None},
        "assets": [_asset(row, body if about.content else None) for row in rows],
        "mcp": {"server": SERVER, "tools": ["asset_catalog"], "assets": f"{place}/assets",
                "manifest": f"{place}/agent/{quote(about.agent, safe='')}/manifest"},
        "a2a_extension": extension, "agent_card": card, "agent_card_reason": reason,
    }  # fmt: skip


def _check(who: Identity, about: About) -> None:
    if not about.agent or about.agent != who.agent:
        raise invalid("agent", "a manifest is made for the agent that this identity has")
    if about.protocol_binding not in BINDINGS:
        raise invalid("protocol_binding", f"one of {', '.join(BINDINGS)}")
    if about.interface_url and not _reachable(about.interface_url):
        raise invalid("interface_url", "an absolute https URL without credentials (http only for this machine itself)")


def _reachable(url: str) -> bool:
    """Whether an agent can be asked at this address: absolute https; http for loopback alone; no credentials."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port  # a port that is none raises ValueError
    except ValueError:
        return False
    if not host or "@" in parts.netloc or any(not sign.isprintable() or sign.isspace() for sign in url):
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and _loopback(host))


def _loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _card(
    rows: tuple[Selected, ...], agent: Mapping[str, Any], version: str, about: About, extension: Mapping[str, Any]
) -> tuple[dict[str, Any] | None, str | None]:
    """The A2A 1.0 card, or why there is none: it must have an address, and `skills` may not be empty."""
    skills = [_skill(row) for row in rows if row.asset.type == "skill"]
    if not about.interface_url:
        return None, "no_interface_url"
    if not skills:
        return None, "no_skills"
    interface = {"url": about.interface_url, "protocolBinding": about.protocol_binding, "protocolVersion": "1.0"}
    described = {"description": "Memory assets this agent is equipped with", **extension}
    return {
        "name": agent["name"], "description": agent["description"], "version": version,
        "supportedInterfaces": [interface],
        "capabilities": {"streaming": False, "pushNotifications": False, "extendedAgentCard": False,
                         "extensions": [described]},
        "defaultInputModes": MEDIA, "defaultOutputModes": MEDIA, "skills": skills,
    }, None  # fmt: skip


def _skill(row: Selected) -> dict[str, Any]:
    assert row.asset.effective
    content = row.asset.effective.content
    examples = content.payload.get("examples")
    told = [one for one in examples if isinstance(one, str)] if isinstance(examples, list) else []
    return {"id": row.asset.id, "name": content.name, "description": content.description or content.name,
            "tags": list(content.labels) or ["skill"], "examples": told}  # fmt: skip


def _asset(row: Selected, body: Callable[[Asset], str | None] | None) -> dict[str, Any]:
    version = row.asset.effective
    assert version
    content = version.content
    shown = {"id": row.asset.id, "type": row.asset.type, "name": content.name,
             "description": content.description or content.name, "version": version.n,
             "content_sha256": version.content_id, "mode": row.mode, "required": row.required,
             "annotations": row.annotations(), "uri": text.uri(row.asset)}  # fmt: skip
    if body and row.mode == "direct":
        shown["content"] = clean(body(row.asset) or "")
    elif body and row.mode == "summary":
        shown["content"] = text.summary(version)
    return shown


def _version(row: Selected) -> int:
    assert row.asset.effective
    return row.asset.effective.n
