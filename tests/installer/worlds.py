"""Home directories as people have them, one kind per harness; and breakages that the harness itself would not read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from tests.installer.files import WORDS, Hand, other_value, shuffled, toml_written

OLD = "/old place/venv/bin"
RULE = "mcp__resources-graph__resource"  # a user may have allowed our tool before we came, in each program's words


@dataclass
class World:
    """Files below a home directory, and whether the program would refuse one of them."""

    files: dict[str, bytes] = field(default_factory=dict)
    broken: bool = False

    @property
    def ours(self) -> bool:
        """Whether a file holds an older entry of ours."""
        return any(b"rg-hook" in raw or b"rg-mcp" in raw for raw in self.files.values())


def claude_code(rnd: Random) -> World:
    """settings.json and .claude.json: strict JSON, a mark allowed."""
    world = World()
    old = "[ -x '{0}/rg-hook' ] || exit 0; exec '{0}/rg-hook' claude_code"
    settings = _settings(rnd, ("PreToolUse", "Stop", "SessionStart"), old)
    if rnd.random() < 0.5:
        settings["permissions"] = rnd.choice(
            ({}, {"allow": []}, {"deny": ["Read(.env)"]}, {"allow": ["Bash(ls)"]}, {"allow": [RULE, "Bash(ls)"]})
        )
    servers = _servers(rnd, "mcpServers", {"type": "stdio", "command": f"{OLD}/rg-mcp", "args": []})
    _put(rnd, world, ".claude/settings.json", shuffled(rnd, settings), mark=True)
    _put(rnd, world, ".claude.json", servers, mark=True)
    return world


def codex(rnd: Random) -> World:
    """hooks.json: strict JSON without any unknown key; config.toml."""
    world = World()
    settings = _settings(rnd, ("PreToolUse", "Stop"), "'{0}/rg-hook' codex || true")
    hooks = {"hooks": settings["hooks"]} if "hooks" in settings else {}
    if rnd.random() < 0.3:
        hooks["description"] = rnd.choice(WORDS)
    _put(rnd, world, ".codex/hooks.json", hooks)
    ours = [("mcp_servers.resources-graph", [f'command = "{OLD}/rg-mcp"', "enabled = false"])]
    _put_toml(rnd, world, ".codex/config.toml", ours, 'model = "gpt-6"')
    return world


def copilot(rnd: Random) -> World:
    """mcp-config.json with comments, trailing commas, a mark."""
    world = World()
    old = {"type": "local", "command": f"{OLD}/rg-mcp", "tools": ["*"], "disabled": True}
    servers = _servers(rnd, "mcpServers", old)
    _put(rnd, world, ".copilot/mcp-config.json", servers, comments=True, trailing=True, mark=True)
    if rnd.random() < 0.3:
        world.files[".copilot/hooks/other.json"] = b'{"version": 1, "hooks": {}}'
    return world


def cursor(rnd: Random) -> World:
    """hooks.json whose comments are cut naively, and a tolerant mcp.json."""
    world = World()
    hooks: dict[str, Any] = {}
    for event in rnd.sample(("preToolUse", "postToolUse", "stop"), rnd.randrange(4)):
        hooks[event] = [{"command": rnd.choice(WORDS), "timeout": 3} for _ in range(rnd.randrange(3))]
        if rnd.random() < 0.3:
            old = {"command": f"sh -c '\"{OLD}/rg-hook\" cursor || echo {{}}'", "matcher": "Shell"}
            hooks[event].insert(rnd.randrange(len(hooks[event]) + 1), old)
    content = {"version": 1} | rnd.choice(({}, {"hooks": hooks}))
    _put(rnd, world, ".cursor/hooks.json", shuffled(rnd, content), comments=True, naive=True)
    servers = _servers(rnd, "mcpServers", {"command": f"{OLD}/rg-mcp", "args": []}, good=True)
    _put(rnd, world, ".cursor/mcp.json", servers, comments=True, trailing=True, mark=True)
    if rnd.random() < 0.3:
        listed = {
            "permissions": {"allow": ["Shell(ls)", "Mcp(resources-graph:resource)"][: rnd.randrange(3)], "deny": []}
        }
        _put(rnd, world, ".cursor/cli-config.json", listed)
    return world


def opencode(rnd: Random) -> World:
    """opencode.json or .jsonc, whose permission may be a word."""
    world = World()
    old = {"type": "local", "command": [f"{OLD}/rg-mcp"], "enabled": False}
    content = _servers(rnd, "mcp", old, good=True)
    if rnd.random() < 0.6:
        content["permission"] = rnd.choice(
            ("ask", {}, {"bash": "ask", "*": "allow"}, {"resources-graph_resource": "allow"})
        )
    name = rnd.choice(("opencode.json", "opencode.jsonc"))
    _put(rnd, world, f".config/opencode/{name}", shuffled(rnd, content), comments=True, trailing=True, mark=True)
    return world


def grok(rnd: Random) -> World:
    """config.toml with tables of other programs and perhaps a list of permissions."""
    world = World()
    ours = [("mcp_servers.resources-graph", [f'command = "{OLD}/rg-mcp"', "args = []"])]
    rules = rnd.choice(
        (
            "[]",
            '["Bash(ls)"]',
            '[\n  "Bash(ls)", # mine\n  "Read(*)",\n]',
            '[ "a,]b" ]',
            "['MCPTool(resources-graph__resource)']",
        )
    )
    permission: list[Any] = [[], ["mode = 'ask'"], [f"allow = {rules}"], [f"allow = {rules}", "mode = 'ask'"]]
    extra = [("permission", pairs) for pairs in rnd.sample(permission, rnd.randrange(2))]
    _put_toml(rnd, world, ".grok/config.toml", ours, '[cli]\ninstaller = "npm"', extra)
    return world


WORLDS: Mapping[str, Callable[[Random], World]] = {
    "claude_code": claude_code,
    "codex": codex,
    "copilot": copilot,
    "cursor": cursor,
    "opencode": opencode,
    "grok": grok,
}


def _settings(rnd: Random, events: tuple[str, ...], old: str) -> dict[str, Any]:
    """Settings with hook groups of others, some of them shared with an older command of ours."""
    settings = {f"other{i}": other_value(rnd) for i in range(rnd.randrange(4))}
    if rnd.random() < 0.3:
        return settings
    hooks: dict[str, Any] = {}
    for event in rnd.sample(events, rnd.randrange(len(events) + 1)):
        groups: list[Any] = []
        for _ in range(rnd.randrange(3)):
            entries = [{"type": "command", "command": rnd.choice(WORDS)} for _ in range(rnd.randrange(1, 3))]
            if rnd.random() < 0.2:
                entries.insert(rnd.randrange(len(entries) + 1), {"type": "command", "command": old.format(OLD)})
            groups.append(
                rnd.choice(({}, {"matcher": "Bash"}, {"matcher": "Bash|WebFetch|mcp__.*"})) | {"hooks": entries}
            )
        if rnd.random() < 0.2:
            group = {"hooks": [{"type": "command", "command": old.format(OLD), "timeout": 9}]}
            groups.insert(rnd.randrange(len(groups) + 1), group)
        hooks[event] = groups
    settings["hooks"] = hooks
    return settings


def _servers(rnd: Random, key: str, old: Mapping[str, Any], *, good: bool = False) -> dict[str, Any]:
    content = {f"other{i}": other_value(rnd) for i in range(rnd.randrange(3))}
    if rnd.random() < 0.3:
        return content
    command: Any = ["x", "-y"] if key == "mcp" else "x"
    kind = {"type": "local"} if key == "mcp" else {}
    servers: dict[str, Any] = {f"server{i}": kind | {"command": command} for i in range(rnd.randrange(3))}
    if not good and rnd.random() < 0.2:
        servers["odd"] = other_value(rnd)
    if rnd.random() < 0.2:
        servers["resources-graph"] = dict(old)
    return content | {key: shuffled(rnd, servers)}


def _put(
    rnd: Random, world: World, path: str, value: Mapping[str, Any], *, naive: bool = False, **dialect: bool
) -> None:
    """Write a file, or none, or a blank one, or one that its program would not read."""
    fate = rnd.random()
    if fate < 0.1:
        return
    if fate < 0.15:
        world.files[path] = rnd.choice((b"", b"\n", b"  \r\n"))
        return
    raw = Hand(rnd, **dialect).written(value)
    if naive and b"//" in raw and rnd.random() < 0.9:
        raw = Hand(rnd).written(value)
    if fate > 0.9:
        raw = rnd.choice(
            (
                raw.rstrip()[:-1],
                raw + b"x",
                b"\xff" + raw,
                b"[1]" if raw.strip() != b"[1]" else b"1",
                b'{"a": 1 "b": 2}',
            )
        )
        world.broken = True
    world.files[path] = raw


def _put_toml(rnd: Random, world: World, path: str, ours: Any, top: str, extra: Any = ()) -> None:
    fate = rnd.random()
    if fate < 0.1:
        return
    if fate < 0.15:
        world.files[path] = rnd.choice((b"", b"\n"))
        return
    head, tables = ("", [top] if "[" not in top else []), []
    if "[" in top:
        name, _, pair = top.partition("\n")
        tables.append((name.strip("[]"), [pair]))
    others = [
        ("mcp_servers.other", ['command = "x"', "args = [\n  'a', # one\n  'b'\n]"]),
        ("mcp_servers.other.env", ['KEY = "# no comment"']),
        ('projects."/home/me/a b"', ['trust_level = "trusted"', "text = '''\n[not.a.table]\nx = 1\n'''"]),
        ("tui", ["a.b = { c = [1, 2], d = 'x' }", "when = 1979-05-27T07:32:00Z"]),
    ]
    tables += [*rnd.sample(others, rnd.randrange(len(others) + 1)), *extra]
    if rnd.random() < 0.2:
        tables.insert(rnd.randrange(len(tables) + 1), ours[0])
    raw = toml_written(rnd, [head, *tables])
    if fate > 0.92:
        raw += b"\n[broken\n"
        world.broken = True
    world.files[path] = raw
