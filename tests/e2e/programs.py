"""How each real program is set up, driven and given the same task; the facts are in the README beside its package."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from tests.e2e.inside import PORT
from tests.e2e.install import REPOSITORY

BASE = f"http://127.0.0.1:{PORT}"
MODEL = "mock-model"
GITHUB = [sys.executable, str(REPOSITORY / "tests" / "e2e" / "github_mcp.py")]

MAIN, SUB = "MAIN-TASK", "SUB-TASK"
PROMPT = f"{MAIN}: look at https://github.com/o/prompted/issues/9"
SUB_PROMPT = f"{SUB}: read https://github.com/o/delegated/issues/1"
SHELL, SUB_SHELL = "gh issue view 5 -R o/r", "gh pr view 8 -R o/sub"
WEB = "https://github.com/o/fetched/pull/7"
ISSUE = {"method": "get", "owner": "o", "repo": "mcp", "issue_number": 3}
RESOURCE = {"address": "o/r#5"}

Call = dict[str, Any]


@dataclass(frozen=True)
class Program:
    """One harness program: its user's files, its command line, and what its tools are called."""

    harness: str  # the name rg-install takes
    installed: str  # its row in tests.e2e.install
    environ: Mapping[str, str]
    files: Mapping[str, str]  # below HOME, as a user may have them before rg-install
    arguments: Callable[[str], list[str]]  # of a prompt
    shell: Callable[[str], Call]
    web: Call
    github: Call
    resource: Call
    subagent: Call
    told_tool: str  # the name of `resource` in Hint and Nudge
    hints: tuple[str, ...]  # how the Hint reaches the model: by a hook, by the MCP server's instructions
    hints_subagents: bool = False  # whether a hook gives subagents a Hint of their own
    nudges_prompts: bool = False  # whether a prompt that names what memory has gets a Nudge
    after_subagent: tuple[Call, ...] = ()
    state: frozenset[str] = frozenset()  # names of folders and files where the program keeps what happened
    names_agents: bool = True  # whether a subagent's hooks tell that it is one
    variant: str = ""

    @property
    def name(self) -> str:
        """What tests call it."""
        return f"{self.installed}_{self.variant}" if self.variant else self.installed

    def conversations(self) -> list[dict[str, Any]]:
        """The task: shell, web, an MCP tool, a subagent, memory; and what the subagent does."""
        calls = [
            self.shell(SHELL), self.web, self.github, self.subagent, *self.after_subagent, self.resource,
        ]  # fmt: skip
        return [
            {"marker": MAIN, "turns": [{"calls": [call]} for call in calls]},
            {"marker": SUB, "turns": [{"calls": [self.shell(SUB_SHELL)]}]},
        ]


def _json(value: object) -> str:
    return json.dumps(value, indent=2) + "\n"


def _script(source: str) -> Call:
    return {"name": "exec", "input": source}


CLAUDE_CODE = Program(
    harness="claude_code",
    installed="claude_code",
    environ={
        "ANTHROPIC_BASE_URL": BASE,
        "ANTHROPIC_API_KEY": "dummy",
        "IS_SANDBOX": "1",  # as root, permissions are skipped only in a sandbox
        "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    },
    files={
        ".claude.json": _json(
            {"mcpServers": {"github": {"type": "stdio", "command": GITHUB[0], "args": GITHUB[1:], "env": {}}}}
        ),
        ".claude/settings.json": _json({"permissions": {"allow": ["Bash(ls:*)"]}, "cleanupPeriodDays": 30}),
    },
    arguments=lambda prompt: ["-p", prompt, "--model", MODEL, "--dangerously-skip-permissions"],
    shell=lambda command: {"name": "Bash", "input": {"command": command, "description": "look"}},
    web={"name": "WebFetch", "input": {"url": WEB, "prompt": "what is it"}},
    github={"name": "mcp__github__issue_read", "input": ISSUE},
    resource={"name": "mcp__resources-graph__resource", "input": RESOURCE},
    subagent={
        "name": "Agent",
        "input": {
            "description": "look", "prompt": SUB_PROMPT, "subagent_type": "general-purpose", "run_in_background": False,
        },
    },
    told_tool="mcp__resources-graph__resource",
    hints=("hook", "instructions"),
    hints_subagents=True,
    state=frozenset({"projects", "plugins", "backups"}),
)  # fmt: skip

CLAUDE_CODE_OLD = replace(CLAUDE_CODE, installed="claude_code_old")

CODEX = Program(
    harness="codex",
    installed="codex",
    environ={"MOCK_KEY": "dummy", "CODEX_DISABLE_UPDATE_CHECK": "1"},
    files={
        ".codex/config.toml": f"""\
# mine
model = "{MODEL}"
model_provider = "mock"

[model_providers.mock]
name = "mock"
base_url = "{BASE}/v1"
env_key = "MOCK_KEY"
wire_api = "responses"

[mcp_servers.github]   # a neighbour
command = {json.dumps(GITHUB[0])}
args = {json.dumps(GITHUB[1:])}
""",
        ".codex/hooks.json": _json({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}),
    },
    arguments=lambda prompt: [
        "exec", "--dangerously-bypass-hook-trust", "--skip-git-repo-check", "-s", "danger-full-access", prompt,
    ],
    shell=lambda command: {"name": "exec_command", "input": {"cmd": command}},
    # Codex has no fetch tool of its own outside OpenAI's models.
    web={"name": "exec_command", "input": {"cmd": f"curl -s --max-time 2 {WEB}"}},
    github={"name": "issue_read", "namespace": "mcp__github", "input": ISSUE},
    resource={"name": "resource", "namespace": "mcp__resources_graph", "input": RESOURCE},
    subagent={
        "name": "spawn_agent",
        "namespace": "multi_agent_v1",
        "input": {"message": SUB_PROMPT, "agent_type": "explorer"},
    },
    told_tool="mcp__resources_graph__resource",
    hints=("hook",),
    hints_subagents=True,
    state=frozenset({"sessions", "tmp"}),
    after_subagent=({"name": "exec_command", "input": {"cmd": "sleep 3"}},),
)  # fmt: skip

# With the models of today Codex has the model write scripts, whose calls each have a hook of their own.
CODEX_SCRIPTS = replace(
    CODEX,
    variant="scripts",
    files=dict(CODEX.files) | {".codex/config.toml": CODEX.files[".codex/config.toml"].replace(MODEL, "gpt-6-sol")},
    shell=lambda command: _script(
        f"const r = await tools.exec_command({json.dumps({'cmd': command})}); text(r.output)"
    ),
    web=_script(f"await tools.exec_command({json.dumps({'cmd': f'curl -s --max-time 2 {WEB}'})})"),
    github=_script(f"text(await tools.mcp__github__issue_read({json.dumps(ISSUE)}))"),
    resource=_script(f"text(await tools.mcp__resources_graph__resource({json.dumps(RESOURCE)}))"),
    subagent={
        "name": "spawn_agent",
        "namespace": "collaboration",
        "input": {"task_name": "look", "message": SUB_PROMPT, "fork_turns": "none"},
    },
    after_subagent=(_script("await tools.exec_command({cmd: 'sleep 3'})"),),
    hints=("hook", "instructions"),
)

# Without the flag that runs hooks nobody has reviewed.
CODEX_REVIEWED = replace(
    CODEX, arguments=lambda prompt: ["exec", "--skip-git-repo-check", "-s", "danger-full-access", prompt]
)

COPILOT = Program(
    harness="copilot",
    installed="copilot",
    environ={
        "COPILOT_PROVIDER_BASE_URL": f"{BASE}/v1",
        "COPILOT_PROVIDER_API_KEY": "dummy",
        "COPILOT_MODEL": MODEL,
        "COPILOT_AUTO_UPDATE": "false",
    },
    files={
        ".copilot/mcp-config.json": _json(
            {
                "mcpServers": {
                    "github": {"type": "local", "command": GITHUB[0], "args": GITHUB[1:], "tools": ["*"], "env": {}}
                }
            }
        ),
    },
    arguments=lambda prompt: ["-p", prompt, "--allow-all-tools", "--allow-all-urls"],
    shell=lambda command: {"name": "bash", "input": {"command": command, "description": "look"}},
    web={"name": "web_fetch", "input": {"url": WEB}},
    github={"name": "github-issue_read", "input": ISSUE},
    resource={"name": "resources-graph-resource", "input": RESOURCE},
    subagent={
        "name": "task",
        "input": {
            "name": "finder", "description": "look", "prompt": SUB_PROMPT, "agent_type": "general-purpose",
            "mode": "sync",
        },
    },
    told_tool="resources-graph-resource",
    hints=("hook",),
    hints_subagents=True,
    state=frozenset({"session-state", "logs"}),
)  # fmt: skip

CURSOR = Program(
    harness="cursor",
    installed="cursor",
    environ={"CURSOR_BACKEND_URL": BASE, "SHELL": "/bin/bash"},
    files={
        ".cursor/mcp.json": _json({"mcpServers": {"github": {"command": GITHUB[0], "args": GITHUB[1:]}}}),
        ".cursor/hooks.json": _json({"version": 1, "hooks": {"stop": [{"command": "true"}]}}),
    },
    arguments=lambda prompt: [prompt],
    # What the backend has the client do, as agent.v1.ExecServerMessage has it; tests/e2e/cursor.cjs plays the backend.
    shell=lambda command: {"shellArgs": {"command": command, "toolCallId": command}},
    web={"fetchArgs": {"url": WEB, "toolCallId": "web"}},
    github={
        "mcpArgs": {
            "name": "github-issue_read", "providerIdentifier": "github", "toolName": "issue_read",
            "toolCallId": "github", "args": ISSUE,
        },
    },
    resource={
        "mcpArgs": {
            "name": "resources-graph-resource", "providerIdentifier": "resources-graph", "toolName": "resource",
            "toolCallId": "resource", "args": RESOURCE,
        },
    },
    subagent={"subagentArgs": {"toolCallId": "sub", "subagentType": "generalPurpose", "prompt": SUB_PROMPT}},
    told_tool="resources-graph-resource",
    hints=("instructions",),
    state=frozenset({"projects"}),
    names_agents=False,
)  # fmt: skip

OPENCODE = Program(
    harness="opencode",
    installed="opencode",
    environ={},
    files={
        ".config/opencode/opencode.json": _json(
            {
                "$schema": "https://opencode.ai/config.json",
                "model": f"mock/{MODEL}",
                "autoupdate": False,
                "provider": {
                    "mock": {
                        "npm": "@ai-sdk/openai-compatible",
                        "options": {"baseURL": f"{BASE}/v1", "apiKey": "dummy"},
                        "models": {MODEL: {"name": "Mock"}},
                    }
                },
                "mcp": {"github": {"type": "local", "command": GITHUB, "enabled": True}},
            }
        ),
        # With a plugin there, OpenCode fetches this package at its first start unless the lock file lists it.
        ".config/opencode/node_modules/.keep": "",
        ".config/opencode/package.json": _json({"dependencies": {"@opencode-ai/plugin": "1.18.33"}}),
        ".config/opencode/package-lock.json": _json(
            {"lockfileVersion": 3, "packages": {"": {"dependencies": {"@opencode-ai/plugin": "1.18.33"}}}}
        ),
    },
    arguments=lambda prompt: ["run", "--model", f"mock/{MODEL}", prompt],
    shell=lambda command: {"name": "bash", "input": {"command": command, "description": "look"}},
    web={"name": "webfetch", "input": {"url": WEB, "format": "markdown", "timeout": 5}},
    github={"name": "github_issue_read", "input": ISSUE},
    resource={"name": "resources-graph_resource", "input": RESOURCE},
    subagent={
        "name": "task",
        "input": {"description": "look", "prompt": SUB_PROMPT, "subagent_type": "general"},
    },
    told_tool="resources-graph_resource",
    hints=("instructions",),
    nudges_prompts=True,
)

GROK = Program(
    harness="grok",
    installed="grok",
    environ={"XAI_API_KEY": "dummy", "GROK_WEB_FETCH": "1"},
    files={
        ".grok/config.toml": f"""\
# mine
[models]
default = "mock"

[model.mock]
model = "{MODEL}"
base_url = "{BASE}/v1"
api_key = "dummy"
api_backend = "chat_completions"

[mcp_servers.github]
command = {json.dumps(GITHUB[0])}
args = {json.dumps(GITHUB[1:])}
enabled = true

[marketplace]
default_skills_installs_purged = true
""",
    },
    arguments=lambda prompt: ["-p", prompt, "--always-approve"],
    shell=lambda command: {"name": "run_terminal_command", "input": {"command": command, "description": "look"}},
    web={"name": "web_fetch", "input": {"url": WEB}},
    github={"name": "use_tool", "input": {"tool_name": "github__issue_read", "tool_input": ISSUE}},
    resource={"name": "use_tool", "input": {"tool_name": "resources-graph__resource", "tool_input": RESOURCE}},
    subagent={
        "name": "spawn_subagent",
        "input": {"prompt": SUB_PROMPT, "description": "look", "subagent_type": "general-purpose"},
    },
    told_tool="resources-graph__resource",
    hints=("instructions",),
    state=frozenset({"sessions", "logs", "docs"}),
)

PROGRAMS = (CLAUDE_CODE, CLAUDE_CODE_OLD, CODEX, CODEX_SCRIPTS, COPILOT, CURSOR, OPENCODE, GROK)
