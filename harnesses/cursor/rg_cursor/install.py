"""Where Cursor keeps hooks and MCP servers, and what rg-memory writes there (@cursor/sdk 1.0.9 to 1.0.32).

hooks.json is all or nothing: one entry that Cursor does not accept, or a // even inside a string, disables the whole
file. A hook before a tool call that prints anything but a JSON object denies the call.
"""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from rg_core.harness import guard
from rg_core.harness.capabilities import Packaging, Probe
from rg_core.harness.edits import Absent, Edit, Item, Json, Key, NewFile, Ours
from rg_core.harness.protocol import Check, Commands, Place
from rg_core.harness.settings import said

NAME = "cursor"
TITLE = "Cursor"
SERVER = "resources-graph"
MATCHER = "^(Shell|Fetch|WebFetch|WebSearch|FetchMcpResource|MCP:)"
EVENTS = {
    "sessionStart": None,
    "sessionEnd": None,
    "beforeSubmitPrompt": None,
    "preToolUse": MATCHER,
    "postToolUse": MATCHER,
    "postToolUseFailure": MATCHER,
}
KNOWN = frozenset(
    {
        "beforeShellExecution",
        "beforeMCPExecution",
        "afterShellExecution",
        "afterMCPExecution",
        "beforeReadFile",
        "afterFileEdit",
        "beforeTabFileRead",
        "afterTabFileEdit",
        "stop",
        "beforeSubmitPrompt",
        "afterAgentResponse",
        "afterAgentThought",
        "sessionStart",
        "sessionEnd",
        "preCompact",
        "subagentStart",
        "subagentStop",
        "preToolUse",
        "postToolUse",
        "postToolUseFailure",
        "workspaceOpen",
    }
)
OUR_HOOK = Ours("rg-hook", (NAME,))
PASSED = ("XDG_CONFIG_HOME", "XDG_DATA_HOME")  # a server's environment has HOME, PATH and what its entry says
LISTED = "resources-graph:resource"


def folder(place: Place) -> Path:
    """Cursor's directory; no environment variable moves it."""
    return (place.project or place.home) / ".cursor"


def skills(place: Place) -> Path:
    """Seen on the runtime of 1.0.32."""
    return folder(place) / "skills"


def present(place: Place) -> str | None:
    """The program on the PATH, else the directory that it made."""
    for program in ("cursor-agent", "cursor"):
        if found := shutil.which(program, path=place.environ.get("PATH")):
            return found
    home = place.home / ".cursor"
    return str(home) if home.is_dir() else None


def edits(place: Place, commands: Commands) -> Sequence[Edit]:
    """One hook per event and the MCP server; allow-lists only where they exist: a new one replaces the built-in."""
    hooks, servers = folder(place) / "hooks.json", folder(place) / "mcp.json"
    server: dict[str, Json] = {"command": commands.mcp, "args": []}
    if passed := {name: place.environ[name] for name in PASSED if place.environ.get(name)}:
        server["env"] = passed
    config = place.project / ".cursor" / "cli.json" if place.project else _cli_config(place)
    rule = f"Mcp({LISTED})"
    return [
        NewFile(hooks, "json_comments", {"version": 1}),
        *(Item(hooks, "json_comments", ("hooks", event), _entry(event, place, commands), OUR_HOOK) for event in EVENTS),
        Absent(hooks, "json_comments", ("hooks",), OUR_HOOK, frozenset(EVENTS)),
        Key(servers, "jsonc", ("mcpServers", SERVER), server, Ours("rg-mcp")),
        Item(config, "json", ("permissions", "allow"), rule, Ours(LISTED), only_existing=True),
        Item(folder(place) / "permissions.json", "jsonc", ("mcpAllowlist",), LISTED, Ours(LISTED), only_existing=True),
    ]


def objection(path: Path, value: Json) -> str | None:
    """What makes Cursor ignore a whole file."""
    if not isinstance(value, Mapping):
        return "Cursor wants an object here"
    if path.name == "hooks.json":
        return _bad_hooks(value)
    return _bad_servers(value) if path.name == "mcp.json" else None


def todo(place: Place) -> Sequence[str]:
    """What only the user can do."""
    if place.project:
        return [f"trust the workspace and run `agent mcp enable {SERVER}` in it."]
    return [f"restart it and switch {SERVER} on in Settings > MCP if it is off there."]


def checks(place: Place) -> Sequence[Check]:
    """Somebody else's entry can switch ours off; a project in the home directory runs everything twice."""
    found = []
    for file in (folder(place) / "hooks.json", folder(place) / "mcp.json"):
        content = said(file)  # {} if it is missing, or has comments: the plan says more of it
        if content and (reason := objection(file, content)):
            found.append(Check(f"Cursor does not read {file}", False, f"correct that entry: {reason}"))
    if place.project and place.project == place.home:
        found.append(
            Check(
                "the project is your home directory, so each hook runs twice",
                False,
                "rg-install --harness cursor, without --project",
            )
        )
    return found or [Check("no other entry silences it", True)]


def probe() -> Probe:
    """A shell call that views an issue, as the program's captured payloads have it."""
    payload: Mapping[str, Json] = {
        "conversation_id": "rg-doctor",
        "cursor_version": "1.0.0",
        "workspace_roots": ["/"],
        "hook_event_name": "preToolUse",
        "tool_name": "Shell",
        "tool_input": {"command": "gh issue view 1 --repo octocat/hello-world", "cwd": ""},
        "tool_use_id": "rg-doctor",
    }
    return Probe(payload, "preToolUse")


def plugin_enabled(place: Place) -> bool:
    """Whether our plugin is there: together with these edits every event would be seen twice."""
    return (place.home / ".cursor" / "plugins" / "local" / SERVER).is_dir()


def packaging() -> Packaging:
    """Its manifest names the files; it is put into a folder, so that there is no marketplace."""
    says = {"hooks": "hooks/hooks.json", "mcpServers": "mcp.json"}
    return Packaging(".cursor-plugin/plugin.json", says, servers="mcp.json")


def _entry(event: str, place: Place, commands: Commands) -> Json:
    if place.platform == "win32":
        line = guard.powershell(commands.hook, NAME)
    else:
        # A program of its own, so that nothing follows a here-document; printing {} even when rg-hook is gone.
        program = os.path.normpath(commands.hook)  # without //, which Cursor takes for a comment
        line = f"sh -c {shlex.quote(guard.posix(program, NAME, otherwise='echo {}'))}"
    entry: dict[str, Json] = {"command": line, "timeout": 5}
    matcher = EVENTS[event]
    return entry if matcher is None else {**entry, "matcher": matcher}


def _bad_hooks(value: Mapping[str, Json]) -> str | None:
    hooks = value.get("hooks", {})
    if isinstance(version := value.get("version"), bool) or not isinstance(version, int | float):
        return "it has no `version` number, so Cursor ignores the whole file"
    if not isinstance(hooks, Mapping):
        return "`hooks` is not an object, so Cursor ignores the whole file"
    for event, entries in hooks.items():
        if event not in KNOWN:
            return f"`hooks.{event}` is no event that Cursor knows, so it ignores the whole file"
        if not isinstance(entries, list):
            return f"`hooks.{event}` is not a list, so Cursor ignores the whole file"
        for entry in entries:
            if reason := _bad_entry(entry):
                return f"a hook of `hooks.{event}` {reason}, so Cursor ignores the whole file"
    return None


def _bad_entry(entry: Json) -> str | None:
    if not isinstance(entry, Mapping):
        return "is not an object"
    if not isinstance(entry.get("prompt" if entry.get("type") == "prompt" else "command"), str):
        return "has no command"
    seconds = entry.get("timeout", 1)
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or seconds <= 0:
        return f"has the timeout {seconds!r}"
    return None


def _bad_servers(value: Mapping[str, Json]) -> str | None:
    servers = value.get("mcpServers", {})
    if not isinstance(servers, Mapping):
        return "`mcpServers` is not an object, so Cursor reads no server"
    for name, entry in servers.items():
        if not isinstance(entry, Mapping) or not (entry.get("command") or entry.get("url")):
            return f"the server {name!r} has neither command nor url, so Cursor reads no server at all"
        variables = entry.get("env", {})
        if not isinstance(variables, Mapping) or not all(isinstance(v, str) for v in variables.values()):
            return f"the server {name!r} has an env value that is no string, so Cursor reads no server at all"
    return None


def _cli_config(place: Place) -> Path:
    for name, below in (("CURSOR_CONFIG_DIR", ""), ("XDG_CONFIG_HOME", "cursor")):
        if moved := place.environ.get(name):
            return Path(moved) / below / "cli-config.json"
    return place.home / ".cursor" / "cli-config.json"
