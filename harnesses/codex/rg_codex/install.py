"""Where Codex keeps hooks and MCP servers, what rg-memory writes there, and how Codex trusts it (0.171.0).

Hooks do not run until the user has trusted them, and trust is kept by position: our groups come last in each event, and
one that others follow leaves an empty group behind when it is taken out.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from rg_core.harness import guard
from rg_core.harness.capabilities import MARKET, Packaging, Probe
from rg_core.harness.edits import Absent, Edit, Item, Json, Key, Ours
from rg_core.harness.protocol import Check, Commands, Place
from rg_core.harness.settings import said

NAME = "codex"
TITLE = "Codex"
SERVER = "resources-graph"
EVENTS = {
    "SessionStart": "startup|clear|compact",  # a resumed session has our words in its history
    "SubagentStart": None,
    "UserPromptSubmit": None,
    "PreToolUse": "^(Bash|webrun|mcp__.*)$",
    "SessionEnd": None,
}
WITHOUT_MATCHER = ("UserPromptSubmit", "Stop", "Interrupt")
SHORT = ("SessionEnd", "Interrupt")  # events whose hooks get three seconds at most
OUR_HOOK = Ours("rg-hook", (NAME,))
OUR_FAST_HOOK = Ours(SERVER, ("hook",))
FAST = {  # fields of the payload: Codex fails a hook that asks for one that is not there or no text
    "UserPromptSubmit": ("prompt",),
    "PreToolUse": ("tool_name", "tool_use_id"),
}
FAST_MATCHER, SLOW_MATCHER = "Bash", "^(webrun|mcp__.*)$"  # a shell call's input is one text; others need a process
UNTRUSTED = Check(
    "its hooks do not run until you trust them", False, "start codex and choose “Review hooks” (or /hooks)"
)
OUR_SERVER = Ours("rg-mcp")
PASSED = ("XDG_CONFIG_HOME", "XDG_DATA_HOME")  # a server's environment has HOME, PATH, TERM and what is named here


def folder(place: Place) -> Path:
    """Codex's home, or the project's .codex."""
    return place.project / ".codex" if place.project else _home(place)


def hooks_file(place: Place) -> Path:
    """The file that gets the hooks."""
    return folder(place) / "hooks.json"


def skills(place: Place) -> Path:
    """Seen on 0.171.0."""
    return place.project / ".agents" / "skills" if place.project else _home(place) / "skills"


def present(place: Place) -> str | None:
    """The program on the PATH, else the directory that it made."""
    program = shutil.which("codex", path=place.environ.get("PATH"))
    return program or (str(_home(place)) if _home(place).is_dir() else None)


def edits(place: Place, commands: Commands) -> Sequence[Edit]:
    """One hook group per event, and the MCP server, whose read-only tool needs no approval."""
    file = hooks_file(place)
    server: dict[str, Json] = {"command": commands.mcp, "args": [], "default_tools_approval_mode": "approve"}
    if passed := [name for name in PASSED if place.environ.get(name)]:
        server["env_vars"] = passed
    owned = frozenset({"enabled", "disabled", "default_tools_approval_mode"})
    fast = frozenset(FAST if commands.fast else ())
    slow = frozenset(EVENTS) - fast | {"PreToolUse"}
    groups = [(event, _group(event, place, commands), OUR_HOOK) for event in EVENTS if event in slow]
    groups += [(event, _fast_group(event), OUR_FAST_HOOK) for event in EVENTS if event in fast]
    return [
        *(Item(file, "json", ("hooks", event), group, ours, "leave_empty") for event, group, ours in groups),
        Absent(file, "json", ("hooks",), OUR_HOOK, apart_from=slow, on_removal="leave_empty"),
        Absent(file, "json", ("hooks",), OUR_FAST_HOOK, apart_from=fast, on_removal="leave_empty"),
        Key(folder(place) / "config.toml", "toml", ("mcp_servers", SERVER), server, OUR_SERVER, owned),
    ]


def trust(place: Place, hooks: Json) -> Sequence[Key]:
    """The entries of the user's config.toml by which Codex trusts our groups in these hooks; nobody else's.

    The hash covers a hook's definition, not its program: an upgrade of rg-memory needs no new review.
    """
    found: list[Key] = []
    groups_of = hooks.get("hooks") if isinstance(hooks, Mapping) else None
    for event, groups in groups_of.items() if isinstance(groups_of, Mapping) else ():
        for i, group in enumerate(groups if isinstance(groups, list) else ()):
            handlers = group.get("hooks") if isinstance(group, Mapping) else None
            for j, handler in enumerate(handlers if isinstance(handlers, list) else ()):
                if isinstance(handler, Mapping) and _is_ours(handler):
                    digest = trust_hash(event, handler, group.get("matcher"))
                    key = f"{_source(place)}:{_snake(event)}:{i}:{j}"
                    entry: Json = {"trusted_hash": digest}
                    at = ("hooks", "state", key)
                    found.append(Key(_home(place) / "config.toml", "toml", at, entry, Ours(digest)))
    return found


def trust_hash(event: str, handler: Mapping[str, Json], matcher: Json) -> str:
    """Codex's own hash of one command or mcp_tool handler, bit-exact for 0.171.0."""
    seconds = handler.get("timeout", 1 if event in SHORT else 600)
    assert isinstance(seconds, int)
    if handler["type"] == "command":
        hook: dict[str, Json] = {"type": "command", "command": handler["command"], "async": False}
    else:
        hook = {key: handler.get(key, {}) for key in ("type", "server", "tool", "input")}
    hook["timeout"] = min(max(seconds, 1), 3) if event in SHORT else max(seconds, 1)
    defined: dict[str, Json] = {"event_name": _snake(event), "hooks": [hook]}
    if matcher is not None and event not in WITHOUT_MATCHER:
        defined["matcher"] = matcher
    compact = json.dumps(defined, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + hashlib.sha256(compact.encode()).hexdigest()


def objection(path: Path, value: Json) -> str | None:
    """What makes Codex drop the whole hooks.json: a key that it does not know, or a handler of the wrong shape."""
    if not isinstance(value, Mapping):
        return "Codex wants an object here"
    if path.name != "hooks.json":
        return None
    if unknown := [key for key in value if key not in ("hooks", "description")]:
        return f"Codex drops the whole file because of the key {unknown[0]!r}"
    hooks = value.get("hooks", {})
    if not isinstance(hooks, Mapping):
        return "`hooks` is not an object, so Codex drops the whole file"
    for event, groups in hooks.items():
        if not isinstance(groups, list):
            return f"`hooks.{event}` is not a list, so Codex drops the whole file"
        for group in groups:
            handlers = group.get("hooks", []) if isinstance(group, Mapping) else None
            for handler in handlers if isinstance(handlers, list) else (None,):
                if reason := _wrong(handler):
                    return f"a hook of `hooks.{event}` {reason}, so Codex drops the whole file"
    return None


def todo(place: Place) -> Sequence[str]:
    """What only the user can do."""
    if _trusted(place, said(_home(place) / "config.toml")).ok:
        return ["start a new session."]
    if place.project:
        return ["start it in the project, trust the folder, then choose “Review hooks” (or /hooks)."]
    return ["start it and choose “Review hooks” (or /hooks): hooks do not run until you trust them."]


def checks(place: Place) -> Sequence[Check]:
    """Whether the hooks are trusted, and what silences them."""
    config = said(_home(place) / "config.toml")
    found = [_trusted(place, config)]
    projects = config.get("projects")
    entry = projects.get(str(place.project)) if isinstance(projects, Mapping) else None
    if place.project and not (isinstance(entry, Mapping) and entry.get("trust_level") == "trusted"):
        found.append(Check("the project is not trusted yet", False, "start codex in it and trust the folder"))
    features = config.get("features")
    if isinstance(features, Mapping) and False in (features.get("hooks"), features.get("codex_hooks")):
        found.append(
            Check(
                "hooks are switched off", False, f"remove hooks = false from [features] in {_home(place)}/config.toml"
            )
        )
    inline = config.get("hooks")
    if isinstance(inline, Mapping) and set(inline) - {"state"} and hooks_file(place).exists():
        found.append(
            Check("config.toml has [hooks] beside hooks.json", False, "move them there, so that one file has all")
        )
    managed = said(Path("/etc/codex/requirements.toml"))
    if managed.get("allow_managed_hooks_only") is True:
        found.append(
            Check(
                "/etc/codex/requirements.toml allows managed hooks only", False, "ask your administrator to allow yours"
            )
        )
    return found


def probe() -> Probe:
    """A shell call that views an issue, as the program's captured payloads have it."""
    payload: Mapping[str, Json] = {
        "session_id": "rg-doctor",
        "turn_id": "rg-doctor-turn",
        "cwd": "/",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "gh issue view 1 --repo octocat/hello-world"},
        "tool_use_id": "call_rg_doctor",
    }
    return Probe(payload, "PreToolUse")


def plugin_enabled(place: Place) -> bool:
    """Whether our plugin is on: together with these edits every event would be seen twice."""
    plugins = said(_home(place) / "config.toml").get("plugins")
    return isinstance(plugins, Mapping) and any(
        name.startswith(f"{SERVER}@") and isinstance(entry, Mapping) and entry.get("enabled") is True
        for name, entry in plugins.items()
    )


def packaging() -> Packaging:
    """Codex finds hooks and servers of a plugin by themselves."""
    return Packaging(".codex-plugin/plugin.json", marketplace=".agents/plugins/marketplace.json", listing=_listing)


def _listing(source: str) -> Mapping[str, Json]:
    entry: Json = {"name": SERVER, "source": {"source": "local", "path": source}}
    return {"name": MARKET, "plugins": [entry]}


def fast_since() -> tuple[str, tuple[int, ...]]:
    """The version whose `mcp_tool` hooks were measured."""
    return "codex", (0, 171, 0)


def _trusted(place: Place, config: Mapping[str, Json]) -> Check:
    state = config.get("hooks")
    state = state.get("state") if isinstance(state, Mapping) else None
    known = state if isinstance(state, Mapping) else {}
    if plugin_enabled(place):  # its hash covers the plugin's files too: that it is there is what can be told
        trusted = any(key.startswith(f"{SERVER}@") for key in known)
        return Check("you have trusted its hooks", True) if trusted else UNTRUSTED
    ours = trust(place, said(hooks_file(place)))
    entries = [(entry if isinstance(entry := known.get(key.at[-1]), Mapping) else {}, key.ours.program) for key in ours]
    if any(entry.get("enabled") is False for entry, _ in entries):
        return Check("you switched some of its hooks off", False, "start codex and use /hooks")
    if entries and all(entry.get("trusted_hash") == digest for entry, digest in entries):
        return Check("you have trusted its hooks", True)
    return UNTRUSTED


def _group(event: str, place: Place, commands: Commands) -> Json:
    line = guard.powershell(commands.hook, NAME) if place.platform == "win32" else guard.posix(commands.hook, NAME)
    handler: dict[str, Json] = {"type": "command", "command": line, "timeout": 3 if event in SHORT else 5}
    if place.platform == "win32":
        handler["commandWindows"] = line
    matcher = SLOW_MATCHER if commands.fast and event == "PreToolUse" else EVENTS[event]
    return {"hooks": [handler]} if matcher is None else {"matcher": matcher, "hooks": [handler]}


def _fast_group(event: str) -> Json:
    given = {"harness": NAME, "hook_event_name": event}
    given |= {name: f"${{{name}}}" for name in ("session_id", "turn_id", "cwd", *FAST[event])}
    if event == "PreToolUse":
        given["command"] = "${tool_input.command}"
    hooks: Json = [{"type": "mcp_tool", "server": SERVER, "tool": "hook", "input": given, "timeout": 5}]
    return {"matcher": FAST_MATCHER, "hooks": hooks} if event == "PreToolUse" else {"hooks": hooks}


def _is_ours(handler: Mapping[str, Json]) -> bool:
    if (handler.get("server"), handler.get("tool")) == (SERVER, "hook"):
        return True
    words = str(handler.get("command", "")).replace("'", " ").split()
    return any(os.path.basename(word) == "rg-hook" and following == NAME for word, following in pairwise(words))


def _wrong(handler: Json) -> str | None:
    if not isinstance(handler, Mapping):
        return "is not an object"
    kind = handler.get("type")
    if kind not in ("command", "mcp_tool", "prompt", "agent"):
        return f"has the type {kind!r}"
    if kind == "command" and not isinstance(handler.get("command"), str):
        return "has no command string"
    seconds = handler.get("timeout", 1)
    return None if isinstance(seconds, int) and not isinstance(seconds, bool) else f"has the timeout {seconds!r}"


def _home(place: Place) -> Path:
    return Path(place.environ.get("CODEX_HOME") or place.home / ".codex")


def _source(place: Place) -> str:
    """The file's name in trust keys: CODEX_HOME is resolved, the default directory and a link to the file are not."""
    if not place.project and (moved := place.environ.get("CODEX_HOME")):
        return os.path.join(os.path.realpath(moved), "hooks.json")
    return str(hooks_file(place))


def _snake(event: str) -> str:
    return "".join("_" + letter.lower() if letter.isupper() else letter for letter in event).lstrip("_")
