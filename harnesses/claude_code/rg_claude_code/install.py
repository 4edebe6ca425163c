"""Where Claude Code keeps hooks, permissions and MCP servers, and what rg-memory writes there.

Facts measured on 2.0.76 to 2.1.332. A settings.json that fails validation is dropped whole, silently in `-p`, and the
user's permissions with it; so only entries that every one of these versions reads are written.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from rg_core.harness import guard, versions
from rg_core.harness.capabilities import Packaging, Probe, marketplace
from rg_core.harness.edits import Absent, Edit, Item, Json, Key, Ours
from rg_core.harness.protocol import Check, Commands, Place
from rg_core.harness.settings import said

NAME = "claude_code"
TITLE = "Claude Code"
SERVER = "resources-graph"
EVENTS = {
    "SessionStart": None,
    "SubagentStart": None,
    "UserPromptSubmit": None,
    "PreToolUse": "Bash|WebFetch|mcp__.*",  # a list of names until something else than a name is in it: then a regex
    "SessionEnd": None,
}
OUR_HOOK = Ours("rg-hook", (NAME,))
OUR_FAST_HOOK = Ours(SERVER, ("hook",))
FAST = {  # the fields of the payload that the hook needs; Claude Code puts "" for one that is not there
    "UserPromptSubmit": ("prompt", "prompt_id"),
    "PreToolUse": ("tool_name", "tool_input", "tool_use_id", "agent_id", "agent_type"),
}
OUR_SERVER = Ours("rg-mcp")
RULE = f"mcp__{SERVER}__resource"
NUDGE_SINCE = (2, 1, 9)
MANAGED: Mapping[str, str] = {
    "linux": "/etc/claude-code/managed-settings.json",
    "darwin": "/Library/Application Support/ClaudeCode/managed-settings.json",
    "win32": r"C:\Program Files\ClaudeCode\managed-settings.json",
}


def folder(place: Place) -> Path:
    """Claude Code's own directory."""
    return Path(place.environ.get("CLAUDE_CONFIG_DIR") or place.home / ".claude")


def settings(place: Place) -> Path:
    """The settings file that gets the hooks."""
    return (place.project / ".claude" if place.project else folder(place)) / "settings.json"


def servers(place: Place) -> Path:
    """The file that gets the MCP server; with CLAUDE_CONFIG_DIR it lies inside that directory."""
    if place.project:
        return place.project / ".mcp.json"
    moved = place.environ.get("CLAUDE_CONFIG_DIR")
    return Path(moved) / ".claude.json" if moved else place.home / ".claude.json"


def skills(place: Place) -> Path:
    """Seen on 2.1.332."""
    return settings(place).parent / "skills"


def present(place: Place) -> str | None:
    """The program on the PATH, else the directory that it made."""
    program = shutil.which("claude", path=place.environ.get("PATH"))
    return program or (str(folder(place)) if folder(place).is_dir() else None)


def edits(place: Place, commands: Commands) -> Sequence[Edit]:
    """One hook group per event, the MCP server with its schema always loaded, and the rule that allows its tool."""
    file = settings(place)
    fast = frozenset(FAST if commands.fast else ())
    slow = frozenset(EVENTS) - fast
    hooks = [
        Item(
            file,
            "json_bom",
            ("hooks", event),
            _group(event, place, commands),
            OUR_FAST_HOOK if event in fast else OUR_HOOK,
        )
        for event in EVENTS
    ]
    server: Json = {"type": "stdio", "command": commands.mcp, "args": [], "env": {}, "alwaysLoad": True}
    return [
        *hooks,
        Absent(file, "json_bom", ("hooks",), OUR_HOOK, apart_from=slow),
        Absent(file, "json_bom", ("hooks",), OUR_FAST_HOOK, apart_from=fast),
        Item(file, "json_bom", ("permissions", "allow"), RULE, Ours(RULE)),
        Key(servers(place), "json_bom", ("mcpServers", SERVER), server, OUR_SERVER),
    ]


def objection(path: Path, value: Json) -> str | None:
    """What makes Claude Code drop the whole file: a hook entry of the wrong shape (seen on 2.1.197 and 2.1.332)."""
    if not isinstance(value, Mapping):
        return "Claude Code wants an object here"
    hooks = value.get("hooks", {})
    if path.name not in ("settings.json", "settings.local.json") or hooks == {}:
        return None
    if not isinstance(hooks, Mapping):
        return "`hooks` is not an object, so Claude Code drops the whole file"
    for event, groups in hooks.items():
        if not isinstance(groups, list):
            return f"`hooks.{event}` is not a list, so Claude Code drops the whole file"
        for group in groups:
            entries = group.get("hooks") if isinstance(group, Mapping) else None
            if not isinstance(entries, list):
                return f"a group of `hooks.{event}` has no list `hooks`, so Claude Code drops the whole file"
            for entry in entries:
                if reason := _wrong(entry):
                    return f"a hook of `hooks.{event}` {reason}, so Claude Code drops the whole file"
    return None


def todo(place: Place) -> Sequence[str]:
    """What only the user can do."""
    if place.project:
        return ["start it in the project, trust the folder and accept the server resources-graph."]
    return ["start a new session."]


def checks(place: Place) -> Sequence[Check]:
    """Switches and policies that silence hooks or servers, and versions that lack something."""
    found = []
    version = versions.installed("claude", place.environ)
    if () < version < NUDGE_SINCE:
        told = f"Claude Code {versions.shown(version)} records, but tells the model nothing"
        found.append(Check(told, False, f"update it to {versions.shown(NUDGE_SINCE)} or newer: claude update"))
    if place.project:
        moved = place.environ.get("CLAUDE_CONFIG_DIR")
        projects = said((Path(moved) if moved else place.home) / ".claude.json").get("projects")
        entry = projects.get(str(place.project)) if isinstance(projects, Mapping) else None
        if not (isinstance(entry, Mapping) and entry.get("hasTrustDialogAccepted") is True):
            found.append(Check("the project is not trusted yet", False, "start claude in it and trust the folder"))
    for file in (settings(place), folder(place) / "settings.json", Path(MANAGED[place.platform])):
        content = said(file)
        if content.get("disableAllHooks") is True:
            found.append(Check("hooks are switched off", False, f"remove disableAllHooks from {file}"))
        if content.get("allowManagedHooksOnly") is True:
            found.append(Check(f"{file} allows managed hooks only", False, "ask your administrator to allow yours"))
        denied = content.get("deniedMcpServers")
        if isinstance(denied, list) and SERVER in json.dumps(denied):
            found.append(Check(f"{file} denies the MCP server", False, f"ask your administrator to allow {SERVER}"))
    managed = Path(MANAGED[place.platform]).with_name("managed-mcp.json")
    if managed.exists():
        found.append(Check(f"{managed} lets only its own servers run", False, f"ask your administrator for {SERVER}"))
    return found or [Check("no switch or policy silences it", True)]


def probe() -> Probe:
    """A shell call that views an issue, as the program's captured payloads have it."""
    payload: Mapping[str, Json] = {
        "session_id": "rg-doctor",
        "transcript_path": "/rg-doctor.jsonl",
        "cwd": "/",
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "gh issue view 1 --repo octocat/hello-world"},
        "tool_use_id": "toolu_rg_doctor",
    }
    return Probe(payload, "PreToolUse")


def plugin_enabled(place: Place) -> bool:
    """Whether our plugin is on: together with these edits every event would be seen twice."""
    enabled = said(folder(place) / "settings.json").get("enabledPlugins")
    named = isinstance(enabled, Mapping) and any(key.startswith(f"{SERVER}@") and on for key, on in enabled.items())
    return named or (folder(place) / "skills" / SERVER / ".claude-plugin" / "plugin.json").exists()


def packaging() -> Packaging:
    """hooks/hooks.json is loaded by itself; naming it loads it twice."""
    return Packaging(".claude-plugin/plugin.json", marketplace=".claude-plugin/marketplace.json", listing=marketplace)


def fast_since() -> tuple[str, tuple[int, ...]]:
    """An older version drops the whole settings.json for a hook type that it does not know."""
    return "claude", (2, 1, 123)


def _group(event: str, place: Place, commands: Commands) -> Json:
    entry: dict[str, Json] = {"type": "command"}
    if commands.fast and event in FAST:
        fields = ("session_id", "transcript_path", "cwd", *FAST[event])
        given = {"harness": NAME, "hook_event_name": event} | {name: f"${{{name}}}" for name in fields}
        entry = {"type": "mcp_tool", "server": SERVER, "tool": "hook", "input": given}
    elif place.platform == "win32":  # shell form is Git Bash or PowerShell there, whichever is found; so say which
        entry |= {"command": guard.powershell(commands.hook, NAME), "shell": "powershell"}
    else:
        entry |= {"command": guard.posix(commands.hook, NAME)}
    entry |= {"timeout": 5, "onFailure": "continue"}
    matcher = EVENTS[event]
    return {"hooks": [entry]} if matcher is None else {"matcher": matcher, "hooks": [entry]}


def _wrong(entry: Json) -> str | None:
    if not isinstance(entry, Mapping):
        return "is not an object"
    kind, seconds = entry.get("type"), entry.get("timeout", 1)
    if kind not in ("command", "http", "prompt", "mcp_tool", "agent"):
        return f"has the type {kind!r}"
    if kind == "command" and not isinstance(entry.get("command"), str):
        return "has no command"
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or seconds <= 0:
        return f"has the timeout {seconds!r} (a number over 0 is wanted)"
    return None
