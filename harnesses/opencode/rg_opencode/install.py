"""Where OpenCode keeps plugins and MCP servers, and what rg-memory writes there (1.18.33; the server also for 2).

OpenCode's hooks are functions of a plugin: one file of our own, plugin.js beside this module, with the absolute path of
rg-hook put in. A wrong value in opencode.json stops OpenCode from starting, and it rewrites files without a $schema.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path

from rg_core import files
from rg_core.harness import versions
from rg_core.harness.capabilities import Probe
from rg_core.harness.edits import Edit, Json, Key, NewFile, Ours, OwnFile
from rg_core.harness.protocol import Check, Commands, Place

NAME = "opencode"
TITLE = "OpenCode"
SERVER = "resources-graph"
PLACEHOLDER = "__RG_HOOK__"
MARKER = "// rg-memory plugin"
SCHEMA = "https://opencode.ai/config.json"
TOOL = f"{SERVER}_resource"


def folder(place: Place) -> Path:
    """The directory of the global configuration; on every platform below ~/.config unless moved."""
    if moved := place.environ.get("OPENCODE_CONFIG_DIR"):
        return Path(moved)
    return Path(place.environ.get("XDG_CONFIG_HOME") or place.home / ".config") / "opencode"


def plugin_file(place: Place) -> Path:
    """Our plugin."""
    return (place.project / ".opencode" if place.project else folder(place)) / "plugins" / f"{SERVER}.js"


def config_file(place: Place) -> Path:
    """The file that gets the MCP server: one that names it already, else the first that exists, else opencode.json."""
    root = place.project or folder(place)
    there = [file for file in (root / "opencode.jsonc", root / "opencode.json") if file.exists()]
    ours = [file for file in there if f'"{SERVER}"'.encode() in (files.read(str(file)) or b"")]
    return [*ours, *there, root / "opencode.json"][0]


def skills(place: Place) -> Path:
    """Seen on 1.18.33."""
    return (place.project / ".opencode" if place.project else folder(place)) / "skills"


def present(place: Place) -> str | None:
    """The program on the PATH, else the directory that it made."""
    program = shutil.which("opencode", path=place.environ.get("PATH"))
    return program or (str(folder(place)) if folder(place).is_dir() else None)


def edits(place: Place, commands: Commands) -> Sequence[Edit]:
    """Our plugin, the MCP server, and the rule that gives its tool also to subagents that see no other MCP tool."""
    config = config_file(place)
    server: Json = {"type": "local", "command": [commands.mcp], "enabled": True, "timeout": 30000}
    return [
        OwnFile(plugin_file(place), plugin(commands), MARKER),
        NewFile(config, "jsonc", {"$schema": SCHEMA}),
        Key(config, "jsonc", ("mcp", SERVER), server, Ours("rg-mcp")),
        Key(config, "jsonc", ("permission", TOOL), "allow", Ours(TOOL), optional=True),
    ]


def plugin(commands: Commands) -> str:
    """The plugin's text with the absolute path of rg-hook."""
    source = resources.files("rg_opencode").joinpath("plugin.js").read_text("utf-8")
    return source.replace(PLACEHOLDER, json.dumps(commands.hook, ensure_ascii=False))


def objection(path: Path, value: Json) -> str | None:
    """What stops OpenCode from starting."""
    if not isinstance(value, Mapping):
        return "OpenCode wants an object here"
    servers = value.get("mcp", {})
    if not isinstance(servers, Mapping):
        return "`mcp` is not an object, so OpenCode does not start"
    for name, entry in servers.items():
        if isinstance(entry, Mapping) and "command" in entry and not isinstance(entry["command"], list):
            return f"`mcp.{name}.command` is not a list, so OpenCode does not start"
    return None


def todo(place: Place) -> Sequence[str]:
    """What only the user can do."""
    return ["start a new session."]


def checks(place: Place) -> Sequence[Check]:
    """Which OpenCode it is, whether the plugin is there once, and whether its start will hang on npm."""
    found = []
    version = versions.installed("opencode", place.environ)
    if version >= (2,):
        found.append(
            Check(
                "OpenCode 2 does not run the plugin, only the MCP server",
                False,
                "use OpenCode 1 to have reads recorded",
            )
        )
    elif version:
        found.append(Check(f"OpenCode {versions.shown(version)} runs the plugin", True))
    both = [file for file in (plugin_file(place), folder(place) / "plugin" / f"{SERVER}.js") if file.exists()]
    if len(both) > 1:
        found.append(Check("the plugin is there twice", False, f"rm {both[1]}"))
    if place.environ.get("OPENCODE_PURE") == "1":
        found.append(Check("OPENCODE_PURE=1 switches plugins off", False, "unset OPENCODE_PURE"))
    if plugin_file(place).exists() and not (folder(place) / "node_modules").exists():
        found.append(Check("its next start fetches @opencode-ai/plugin from npm, once", True))
    return found


def probe() -> Probe:
    """A shell call that views an issue, as the program's captured payloads have it."""
    payload: Mapping[str, Json] = {
        "hook": "tool.execute.before",
        "input": {"tool": "bash", "sessionID": "rg-doctor", "callID": "rg-doctor"},
        "output": {"args": {"command": "gh issue view 1 --repo octocat/hello-world"}},
        "directory": "/",
    }
    return Probe(payload, "tool.execute.before", "tool.execute.before")


def command_in(text: str) -> Sequence[str] | None:
    """What plugin.js runs for a tool call: the path that was put in, the harness and the hook's own name."""
    found = re.search(r'^const HOOK = (".*")$', text, re.MULTILINE)
    return [json.loads(found[1]), NAME, "tool.execute.before"] if found else None
