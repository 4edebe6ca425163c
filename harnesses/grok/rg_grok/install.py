"""Where Grok Build keeps hooks and MCP servers, and what rg-memory writes there (1.0.41).

Hooks are one file of our own without matchers, whose rules differ from every other harness's. config.toml is rewritten
by Grok and loses its comments then, so our table is known by its key alone.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from rg_core import files
from rg_core.harness import guard, versions
from rg_core.harness.capabilities import Probe
from rg_core.harness.edits import Edit, Item, Json, Key, Ours, OwnFile
from rg_core.harness.protocol import Check, Commands, Place
from rg_core.harness.settings import said

NAME = "grok"
TITLE = "Grok Build"
SERVER = "resources-graph"
EVENTS = ("SessionStart", "SubagentStart", "UserPromptSubmit", "PreToolUse", "SessionEnd")
MARKER = "rg-memory: written by rg-install"
RULE = f"MCPTool({SERVER}__resource)"
MANAGED = ("requirements.toml", "managed_config.toml")
SILENT = (1, 0, 5)  # the newest version seen that drops notes; 1.0.41 shows them
PASTED = "imported-from-claude.json"


def folder(place: Place) -> Path:
    """Grok's home, or the project's .grok."""
    return place.project / ".grok" if place.project else _home(place)


def hooks_file(place: Place) -> Path:
    """Our own hook file."""
    return folder(place) / "hooks" / f"{SERVER}.json"


def skills(place: Place) -> Path | None:
    """Seen on 1.0.41, which showed a model no skill of a project."""
    return None if place.project else _home(place) / "skills"


def present(place: Place) -> str | None:
    """The program on the PATH, else the directory that it made."""
    program = shutil.which("grok", path=place.environ.get("PATH"))
    return program or (str(_home(place)) if _home(place).is_dir() else None)


def edits(place: Place, commands: Commands) -> Sequence[Edit]:
    """Our hook file, the MCP server, and the rule without which Grok asks before every call of its tool."""
    line = guard.powershell(commands.hook, NAME) if place.platform == "win32" else guard.posix(commands.hook, NAME)
    entry: Json = {"hooks": [{"type": "command", "command": line, "timeout": 5}]}
    hooks = {"description": MARKER, "hooks": {event: [entry] for event in EVENTS}}
    config = folder(place) / "config.toml"
    server: Json = {"command": commands.mcp, "args": [], "enabled": True}
    return [
        OwnFile(hooks_file(place), json.dumps(hooks, indent=2, ensure_ascii=False) + "\n", MARKER),
        Key(config, "toml", ("mcp_servers", SERVER), server, Ours("rg-mcp")),
        Item(config, "toml", ("permission", "allow"), RULE, Ours(f"{SERVER}__resource")),
    ]


def objection(path: Path, value: Json) -> str | None:
    """Nothing beyond TOML itself, an error in which stops Grok altogether."""
    return None


def todo(place: Place) -> Sequence[str]:
    """What only the user can do."""
    if place.project:
        return ["start it in the project and trust the folder (headless: --trust)."]
    return ["start a new session."]


def checks(place: Place) -> Sequence[Check]:
    """Switches and policies that silence hooks or the server, and copies that an import from Claude Code left."""
    found = []
    version = versions.installed("grok", place.environ)
    if () < version <= SILENT:
        told = f"Grok Build {versions.shown(version)} records, but tells the model nothing"
        found.append(Check(told, False, "update Grok Build"))
    config = said(_home(place) / "config.toml")
    folders = said(_home(place) / "trusted_folders.toml").get("folders")
    entry = folders.get(str(place.project)) if isinstance(folders, Mapping) else None
    if place.project and not (isinstance(entry, Mapping) and entry.get("trusted") is True):
        found.append(Check("the project is not trusted yet", False, "start grok in it and trust the folder"))
    disabled = config.get("disabled_mcp_servers")
    if isinstance(disabled, list) and SERVER in disabled:
        found.append(Check("its MCP server is switched off", False, f"run `grok mcp enable {SERVER}`"))
    if f"global/{SERVER}:".encode() in _content(_home(place) / "disabled-hooks"):
        found.append(Check("you switched some of its hooks off", False, "start grok and use /hooks"))
    managed = [folder / name for folder in (Path("/etc/grok"), _home(place)) for name in MANAGED]
    found += [
        Check(f"{file} allows managed hooks only", False, "ask your administrator to allow yours")
        for file in managed
        if said(file).get("allow_managed_hooks_only") is True
    ]
    pasted = _home(place) / "hooks" / PASTED
    if b"rg-hook" in _content(pasted):
        found.append(
            Check("its hooks are there twice", False, f"{pasted} holds copies from Claude Code: remove ours there")
        )
    return found or [Check("no switch or policy silences it", True)]


def probe() -> Probe:
    """A shell call that views an issue, as the program's captured payloads have it."""
    payload: Mapping[str, Json] = {
        "hookEventName": "pre_tool_use",
        "sessionId": "rg-doctor",
        "cwd": "/",
        "toolName": "run_terminal_command",
        "toolUseId": "rg-doctor",
        "toolInput": {"command": "gh issue view 1 --repo octocat/hello-world"},
    }
    return Probe(payload, "PreToolUse")


def _home(place: Place) -> Path:
    return Path(place.environ.get("GROK_HOME") or place.home / ".grok")


def _content(file: Path) -> bytes:
    """What a file holds; nothing where it cannot be read."""
    try:
        return files.read(str(file)) or b""
    except OSError:
        return b""
