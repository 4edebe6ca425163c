"""Where Copilot CLI keeps hooks and MCP servers, and what rg-memory writes there (1.0.24 to 1.0.102).

Hooks are one file of our own. preToolUse fails closed: an error there denies every tool call of the user, so each entry
has a form for bash and one for PowerShell, both of which cannot fail.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from rg_core import files
from rg_core.harness import guard
from rg_core.harness.capabilities import Packaging, Probe, marketplace
from rg_core.harness.edits import Edit, Json, Key, Ours, OwnFile
from rg_core.harness.protocol import Check, Commands, Place

NAME = "copilot"
TITLE = "Copilot CLI"
SERVER = "resources-graph"
EVENTS = (
    "sessionStart",
    "sessionEnd",
    "subagentStart",
    "userPromptSubmitted",
    "preToolUse",
    "postToolUse",
    "postToolUseFailure",
)
MATCHER = "bash|powershell|web_fetch|.*-.*"  # an MCP tool's name always has a hyphen, a built-in's never
MARKER = "rg-memory: written by rg-install"


def folder(place: Place) -> Path:
    """Copilot's home."""
    return Path(place.environ.get("COPILOT_HOME") or place.home / ".copilot")


def hooks_file(place: Place) -> Path:
    """Our own hook file."""
    return (place.project / ".github" if place.project else folder(place)) / "hooks" / f"{SERVER}.json"


def servers(place: Place) -> Path:
    """The file that gets the MCP server."""
    return place.project / ".github" / "mcp.json" if place.project else folder(place) / "mcp-config.json"


def skills(place: Place) -> Path:
    """Seen on 1.0.102."""
    return place.project / ".github" / "skills" if place.project else folder(place) / "skills"


def present(place: Place) -> str | None:
    """The program on the PATH, else the directory that it made."""
    program = shutil.which("copilot", path=place.environ.get("PATH"))
    return program or (str(folder(place)) if folder(place).is_dir() else None)


def edits(place: Place, commands: Commands) -> Sequence[Edit]:
    """Our hook file, and the MCP server with its tool kept out of tool search."""
    hooks = {"version": 1, "description": MARKER, "hooks": {event: [_entry(event, commands)] for event in EVENTS}}
    server: Json = {"tools": ["*"], "type": "local", "command": commands.mcp, "args": [], "deferTools": "never"}
    return [
        OwnFile(hooks_file(place), json.dumps(hooks, indent=2, ensure_ascii=False) + "\n", MARKER),
        Key(servers(place), "jsonc", ("mcpServers", SERVER), server, Ours("rg-mcp")),
    ]


def objection(path: Path, value: Json) -> str | None:
    """What makes Copilot ignore the servers of a file."""
    if not isinstance(value, Mapping):
        return "Copilot wants an object here"
    if not isinstance(value.get("mcpServers", {}), Mapping):
        return "`mcpServers` is not an object, so Copilot reads no server from it"
    return None


def todo(place: Place) -> Sequence[str]:
    """What only the user can do."""
    if place.project:
        return ["start it in the project and trust the folder; `copilot -p` needs --trust-folder."]
    return ["start a new session."]


def checks(place: Place) -> Sequence[Check]:
    """Switches that silence hooks or the server."""
    settings = folder(place) / "settings.json"
    try:
        project = place.project or Path.cwd()
    except OSError:  # the directory is gone
        project = place.home
    switches = (project / ".github" / "copilot" / "settings.json", project / ".claude" / "settings.json", settings)
    found = [
        Check("hooks are switched off", False, f"remove disableAllHooks from {file}")
        for file in switches
        if _says(file, "disableAllHooks", "true")
    ]
    if _says(settings, "disabledMcpServers", f'"{SERVER}"'):
        found.append(Check("its MCP server is switched off", False, f"start copilot and use /mcp to enable {SERVER}"))
    return found or [Check("no switch silences it", True)]


def probe() -> Probe:
    """A shell call that views an issue, as the program's captured payloads have it."""
    payload: Mapping[str, Json] = {
        "sessionId": "rg-doctor",
        "timestamp": 1700000000000,
        "cwd": "/",
        "toolName": "bash",
        "toolArgs": {"command": "gh issue view 1 --repo octocat/hello-world"},
    }
    return Probe(payload, "preToolUse", "preToolUse")


def plugin_enabled(place: Place) -> bool:
    """Whether our plugin is on: together with these edits every event would be seen twice."""
    return _says(folder(place) / "settings.json", f"{SERVER}@rg-memory", "true")


def packaging() -> Packaging:
    """Its manifest names the files."""
    says = {"hooks": "hooks/hooks.json", "mcpServers": ".mcp.json"}
    return Packaging("plugin.json", says, marketplace=".github/plugin/marketplace.json", listing=marketplace)


def _entry(event: str, commands: Commands) -> Json:
    entry: dict[str, Json] = {
        "type": "command",
        "bash": guard.posix(commands.hook, NAME, event),
        "powershell": guard.powershell(commands.hook, NAME, event),
        "timeoutSec": 5,
    }
    return {**entry, "matcher": MATCHER} if "ToolUse" in event else entry


def _says(file: Path, key: str, value: str) -> bool:
    """Whether a line of a JSON file with comments sets a key so; good enough for a hint, never for an edit."""
    try:
        lines = (files.read(str(file)) or b"").decode("utf-8-sig").splitlines()
    except (OSError, ValueError):
        return False
    return any(f'"{key}"' in line and value in line and not line.lstrip().startswith("//") for line in lines)
