"""rg-memory demo: a scripted agent reads GitHub once and from memory ever after, and a project's own specifications.

Everything is real but GitHub: the hook, the Sweep and the MCP server are the installed programs, run in a directory of
their own that is removed at the end. GitHub is rg_core.demo.server on loopback.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Mapping
from pathlib import Path

from rg_core.cli.screen import say, warn
from rg_core.errors import UserError

ISSUE = "gh issue view 9 -R tidewatch/harbor --comments"
LISTING = "gh issue list -R tidewatch/harbor --state all --limit 100"
NARROWER = "gh issue list -R tidewatch/harbor --label bug --label crash"
SPECS = Path(__file__).parents[1] / "demo" / "specs"
EARLIER = "earlier"  # folder of those that say something else today
PORT = "port SPEC-054 to TypeScript"
BEFORE = "2025-01-01"
PROMPT = "Why does the command in https://github.com/tidewatch/harbor/issues/9 fail?"


def arguments(parser: argparse.ArgumentParser) -> None:
    """No options: the demo is always the same."""
    parser.epilog = "Uses the loopback only and a temporary directory; your own memory and files are not touched."


def run(options: argparse.Namespace) -> int:
    """Run the demo; 0 if memory answered everything it should."""
    from rg_core.demo.server import serving

    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="rg-memory-demo-") as directory, serving() as world:
        stage = _Stage(Path(directory), world.url)
        stage.act(
            "Session 1: an agent explores an issue tracker. Each read leaves a Touch: private, local, no network."
        )
        stage.hook("one", "UserPromptSubmit", {"prompt": PROMPT})
        stage.hook("one", "PreToolUse", {"tool_name": "Bash", "tool_input": {"command": ISSUE}})
        stage.hook("one", "PreToolUse", {"tool_name": "Bash", "tool_input": {"command": LISTING}})
        stage.command("touches")
        stage.act("The Sweep fetches what was explored, once, whole.")
        stage.command("sweep")
        asked = world.requests
        stage.act("Session 2: the agent is about to fetch the same issue again. The Nudge tells it not to.")
        nudged = stage.hook("two", "PreToolUse", {"tool_name": "Bash", "tool_input": {"command": ISSUE}})
        stage.act("So it asks memory: a hit, with every comment.")
        hit = stage.tool("resource", {"address": ISSUE})
        stage.act("A narrower listing that nobody fetched: subsumed by the wider one.")
        subsumed = stage.tool("resource", {"address": NARROWER})
        good = "issues/9" in nudged or "#9" in nudged
        good = good and "closed at both ends" in hit and "#19" in subsumed
        good = _specifications(stage) and good and world.requests == asked
        stage.act(
            f"GitHub was asked {asked} times in session 1 and {world.requests - asked} times since "
            f"({time.monotonic() - began:.1f} s in all)."
        )
    if not good:
        warn("the demo did not go as it should; `make test` finds out why")
    return 0 if good else 1


def _specifications(stage: _Stage) -> bool:
    """The third act: a prompt that names a specification; whether the agent got to know what that builds on."""
    stage.act("Session 3, in a project with specifications of its own, one of which was rewritten in 2025.")
    stage.project = stage.home / "relay"
    shutil.copytree(SPECS, stage.project, ignore=shutil.ignore_patterns(EARLIER))
    shutil.copytree(SPECS / EARLIER, stage.project, dirs_exist_ok=True)
    stage.command("project", "add", "relay", ".", quiet=True)
    stage.command("documents", "add", ".", "--yes", quiet=True)
    shutil.copytree(SPECS, stage.project, ignore=shutil.ignore_patterns(EARLIER), dirs_exist_ok=True)
    stage.command("documents", "sync", "--yes")
    stage.act("A prompt names one of them. Before the agent plans anything, it is told what that builds on.")
    note = stage.hook("three", "UserPromptSubmit", {"prompt": PORT})
    stage.act("It asks: what is named comes first, then what is tied to it, with the path that led there.")
    now = stage.tool("recall", {"query": f"{PORT}: dependencies", "limit": 4})
    stage.act("The same question as of an earlier date: a wrapper, and no word of what streams have to keep.")
    before = stage.tool("recall", {"query": f"{PORT}: dependencies", "limit": 4, "as_of": BEFORE})
    told = "SPEC-037" in note and "path: SPEC-054 REFERENCES SPEC-037" in now
    return told and "Wrapper" in before and "SPEC-054 REFERENCES SPEC-037" not in before


class _Stage:
    """A home of the demo's own, the programs run in it, and what they say on the screen."""

    def __init__(self, home: Path, api_url: str) -> None:
        self.home = self.project = home
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "CLAUDE"))}
        self.environ = kept | {
            "HOME": str(home),
            "XDG_CONFIG_HOME": str(home / "config"),
            "XDG_DATA_HOME": str(home / "data"),
        }
        self.calls = 0
        for name, value in (("identity.user_id", "demo"), ("github.api_url", api_url)):
            self._run([_program("rg-memory"), "config", "set", name, value])

    def act(self, text: str) -> None:
        """Announce what comes."""
        say(f"\n{text}", {"": "bold"})

    def hook(self, session: str, event: str, payload: Mapping[str, object]) -> str:
        """Call rg-hook as Claude Code does; what it answered."""
        self.calls += 1
        common = {"session_id": session, "hook_event_name": event, "cwd": str(self.project), "transcript_path": ""}
        call = {"tool_use_id": f"toolu_{self.calls}"} if event == "PreToolUse" else {}
        tool_input = payload.get("tool_input", payload)
        self._say(str(tool_input.get("command", tool_input.get("prompt"))) if isinstance(tool_input, dict) else "")
        answer = self._run([_program("rg-hook"), "claude_code"], json.dumps({**common, **call, **payload}))
        if answer:
            self._quote(str(json.loads(answer)["hookSpecificOutput"]["additionalContext"]))
        return answer

    def command(self, *words: str, quiet: bool = False) -> None:
        """Run a command of rg-memory and show what it prints, or only that it ran."""
        self._say(f"rg-memory {' '.join(words)}")
        told = self._run([_program("rg-memory"), *words])
        if not quiet:
            self._quote(told)

    def tool(self, name: str, arguments: Mapping[str, object]) -> str:
        """Call a tool of rg-mcp as an agent does; its text."""
        self._say(f"{name}({json.dumps(arguments)})")
        client = {"name": "demo", "version": "1"}
        begin = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
        call = {"name": name, "arguments": arguments}
        text = ""
        with subprocess.Popen(
            [_program("rg-mcp")],
            env=self.environ,
            cwd=self.project,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as server:
            assert server.stdin
            assert server.stdout
            for number, (method, params) in enumerate((("initialize", begin), ("tools/call", call))):
                request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
                print(json.dumps(request), file=server.stdin)
                server.stdin.flush()
                text = server.stdout.readline()
            server.stdin.close()
        answer = str(json.loads(text)["result"]["content"][0]["text"])
        self._quote(answer)
        return answer

    def _run(self, command: list[str], stdin: str = "") -> str:
        done = subprocess.run(
            command, env=self.environ, cwd=self.project, input=stdin, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise UserError(f"{Path(command[0]).name} ended with {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def _say(self, text: str) -> None:
        say(f"  > {text}")

    def _quote(self, text: str) -> None:
        say(textwrap.indent(text.rstrip(), "    "), {"": "dim"})


def _program(name: str) -> str:
    """The installed program beside this interpreter."""
    path = Path(sys.executable).parent / name
    if not path.exists():
        raise UserError(f"{path} is not there; install rg-memory again")
    return str(path)
