"""The plugin as OpenCode calls it: driven by node, with the real rg-hook or a stand-in beside it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="node is not here: OpenCode's plugin is JavaScript")
MARKED = "GITHUB"
# Answers every payload that names MARKED, and keeps what it was sent.
HOOK = f"""\
#!{sys.executable}
import json, sys, time
raw = sys.stdin.read()
with open(sys.argv[0] + ".log", "a") as log:
    log.write(raw + "\\n")
if "SLOW" in raw:
    time.sleep(5)
if "{MARKED}" in raw or sys.argv[2] == "SessionStart":
    print(json.dumps({{"note": "NOTE " + sys.argv[2]}}))
"""
DRIVER = """\
import { RgMemory } from "./plugin.mjs"
const status = process.argv[2]
const client = { mcp: { status: async () => ({ data: { "resources-graph": { status } } }) } }
const hooks = await RgMemory({ client, directory: "/p" })
const said = []
for await (const line of (await import("node:readline")).createInterface({ input: process.stdin })) {
  const { hook, input, output, pause } = JSON.parse(line)
  const began = Date.now()
  await hooks[hook]?.(input, output)
  said.push({ output, ms: Date.now() - began })
}
const again = Object.keys(await RgMemory({ directory: "/p" }))
console.log(JSON.stringify({ said, hooks: Object.keys(hooks), again }))
"""


class Plugin:
    """The installed plugin in a folder of its own."""

    def __init__(self, folder: Path, hook: str | None = HOOK) -> None:
        self.folder, self.hook = folder, folder / "rg-hook"
        if hook is not None:
            self.hook.write_text(hook, encoding="utf-8")
            self.hook.chmod(0o755)
        source = files("rg_opencode").joinpath("plugin.js").read_text(encoding="utf-8")
        text = source.replace("__RG_HOOK__", json.dumps(str(self.hook)))
        (folder / "plugin.mjs").write_text(text, encoding="utf-8")
        (folder / "driver.mjs").write_text(DRIVER, encoding="utf-8")

    def drive(self, *calls: tuple[str, Any, Any], status: str = "connected") -> dict[str, Any]:
        """Call the hooks in order; what each made of its output object."""
        lines = "".join(json.dumps({"hook": hook, "input": i, "output": o}) + "\n" for hook, i, o in calls)
        assert NODE is not None
        done = subprocess.run(
            [NODE, "driver.mjs", status],
            cwd=self.folder,
            input=lines,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        assert done.stderr == ""
        said = json.loads(done.stdout)
        assert isinstance(said, dict)
        return said

    def sent(self) -> list[dict[str, Any]]:
        """What rg-hook was sent."""
        log = self.hook.with_name("rg-hook.log")
        return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()] if log.exists() else []


@pytest.fixture
def plugin(tmp_path: Path) -> Plugin:
    return Plugin(tmp_path)


def of(session: str, call: str, tool: str = "bash") -> dict[str, str]:
    return {"tool": tool, "sessionID": session, "callID": call}


def test_a_note_goes_in_front_of_a_result(plugin: Plugin) -> None:
    args = {"command": f"gh issue view 5 -R {MARKED}/r"}
    said = plugin.drive(
        ("tool.execute.before", of("s", "c1"), {"args": args}),
        ("tool.execute.after", of("s", "c1"), {"title": "t", "output": "OUT", "metadata": {}}),
        ("tool.execute.before", of("s", "c2", "github_issue_read"), {"args": {"owner": MARKED}}),
        ("tool.execute.after", of("s", "c2", "github_issue_read"), {"content": [{"type": "text", "text": "MCP"}]}),
    )["said"]
    assert said[0]["output"] == {"args": args}  # a call is never altered
    assert said[1]["output"]["output"] == "NOTE tool.execute.before\nOUT"
    assert [part["text"] for part in said[3]["output"]["content"]] == ["NOTE tool.execute.before", "MCP"]
    assert plugin.sent()[0] == {
        "hook": "tool.execute.before", "input": of("s", "c1"), "output": {"args": args}, "directory": "/p",
    }  # fmt: skip


def test_a_call_that_concerns_nothing_stays_as_it_is(plugin: Plugin) -> None:
    said = plugin.drive(
        ("tool.execute.before", of("s", "c1", "read"), {"args": {"filePath": MARKED}}),
        ("tool.execute.after", of("s", "c1", "read"), {"output": "OUT"}),
        ("tool.execute.before", of("s", "c2"), {"args": {"command": "ls"}}),
        ("tool.execute.after", of("s", "c2"), {"output": "OUT"}),
    )["said"]
    assert [said[1]["output"], said[3]["output"]] == [{"output": "OUT"}, {"output": "OUT"}]
    assert [sent["input"]["tool"] for sent in plugin.sent()] == ["bash"]  # no process for a tool that fetches nothing


def test_a_failed_call_shows_its_note_with_the_error(plugin: Plugin) -> None:
    part = {"type": "tool", "callID": "c1", "state": {"status": "error", "error": "no network"}}
    messages = {"messages": [{"info": {}, "parts": [part, {"type": "text", "text": "x"}]}]}
    said = plugin.drive(
        ("tool.execute.before", of("s", "c1", "webfetch"), {"args": {"url": MARKED}}),
        ("experimental.chat.messages.transform", {}, messages),
    )["said"]
    assert said[1]["output"]["messages"][0]["parts"][0]["state"]["error"] == "NOTE tool.execute.before\nno network"


def test_notes_of_code_mode_go_to_the_outer_result(plugin: Plugin) -> None:
    said = plugin.drive(
        ("tool.execute.before", of("s", "c1", "execute"), {"args": {"code": "x"}}),
        ("tool.execute.before", of("s", "c1/1", "github_issue_read"), {"args": {"owner": MARKED}}),
        ("tool.execute.after", of("s", "c1", "execute"), {"output": "OUT"}),
    )["said"]
    assert said[2]["output"]["output"] == "NOTE tool.execute.before\nOUT"


def test_a_prompt_gets_a_part_of_its_own(plugin: Plugin) -> None:
    typed = {"id": "prt_1", "sessionID": "s", "messageID": "m", "type": "text", "text": f"see {MARKED}"}
    attached = {"id": "prt_2", "type": "text", "synthetic": True, "text": "content of a file"}
    output = {"message": {"id": "m", "agent": "build"}, "parts": [typed, attached]}
    said = plugin.drive(("chat.message", {"sessionID": "s"}, output))["said"]
    assert said[0]["output"]["parts"][2] == {
        "id": "prt_1rg", "sessionID": "s", "messageID": "m", "type": "text", "synthetic": True,
        "text": "NOTE chat.message",
    }  # fmt: skip
    assert plugin.sent()[0]["output"]["parts"] == [{"type": "text", "text": f"see {MARKED}"}]


def test_a_subagent_is_named_and_its_task_is_no_prompt(plugin: Plugin) -> None:
    created = {"type": "session.created", "properties": {"info": {"id": "child", "parentID": "s", "agent": "general"}}}
    task = {"id": "p", "sessionID": "child", "messageID": "m", "type": "text", "text": MARKED}
    plugin.drive(
        ("event", {"event": created}, None),
        ("chat.message", {"sessionID": "child"}, {"message": {"id": "m", "agent": "general"}, "parts": [task]}),
        ("tool.execute.before", of("child", "c1"), {"args": {"command": MARKED}}),
        ("tool.execute.after", of("child", "c1"), {"output": "OUT"}),
    )
    (sent,) = plugin.sent()
    assert (sent["parentID"], sent["agent"], sent["input"]["sessionID"]) == ("s", "general", "child")


def test_the_hint_is_said_where_nothing_else_says_it(plugin: Plugin) -> None:
    hook, session = "experimental.chat.system.transform", {"sessionID": "s", "model": {}}
    told = "<mcp_instructions>resources-graph_resource</mcp_instructions>"
    said = plugin.drive(
        (hook, session, {"system": ["You are a coder."]}),
        (hook, session, {"system": ["You are a coder.", "second"]}),
        (hook, session, {"system": [told]}),
        (hook, session, {"system": ["You are a title generator."]}),
    )["said"]
    hinted = "You are a coder.\nNOTE SessionStart"
    assert [call["output"]["system"] for call in said] == [
        [hinted], [hinted, "second"], [told], ["You are a title generator."],
    ]  # fmt: skip
    assert len(plugin.sent()) == 1  # asked once


def test_no_hint_for_who_lacks_the_tool(plugin: Plugin) -> None:
    hook, output = "experimental.chat.system.transform", {"system": ["You are a coder."]}
    message = {"message": {"id": "m", "agent": "explore"}, "parts": []}
    said = plugin.drive(("chat.message", {"sessionID": "x"}, message), (hook, {"sessionID": "x"}, output))["said"]
    assert said[1]["output"] == output
    said = plugin.drive((hook, {"sessionID": "s"}, output), status="disabled")["said"]
    assert said[0]["output"] == output


def test_a_slow_hook_is_not_waited_for(plugin: Plugin) -> None:
    said = plugin.drive(
        ("tool.execute.before", of("s", "c1"), {"args": {"command": f"SLOW {MARKED}"}}),
        ("tool.execute.after", of("s", "c1"), {"output": "OUT"}),
    )["said"]
    assert said[1]["output"] == {"output": "OUT"}
    assert said[1]["ms"] < 4000  # the hook sleeps five seconds


def test_without_rg_hook_nothing_happens(tmp_path: Path) -> None:
    prompt = {"message": {"id": "m", "agent": "build"}, "parts": [{"type": "text", "text": MARKED}]}
    said = Plugin(tmp_path, hook=None).drive(
        ("tool.execute.before", of("s", "c1"), {"args": {"command": MARKED}}),
        ("tool.execute.after", of("s", "c1"), {"output": "OUT"}),
        ("chat.message", {"sessionID": "s"}, prompt),
        ("experimental.chat.system.transform", {"sessionID": "s"}, {"system": ["You are a coder."]}),
        ("dispose", None, None),
    )["said"]
    assert said[1]["output"] == {"output": "OUT"}
    assert len(said[2]["output"]["parts"]) == 1
    assert said[3]["output"]["system"] == ["You are a coder."]


@pytest.mark.parametrize(
    "broken", ["#!/bin/sh\necho not json", "#!/bin/sh\nexit 3", "#!/bin/sh\necho '{\"note\": null}'"]
)
def test_a_broken_hook_shows_nothing(tmp_path: Path, broken: str) -> None:
    said = Plugin(tmp_path, hook=broken + "\n").drive(
        ("tool.execute.before", of("s", "c1"), {"args": {"command": MARKED}}),
        ("tool.execute.after", of("s", "c1"), {"output": "OUT"}),
        ("tool.execute.after", of("s", "never started"), None),
        ("chat.message", None, None),
    )["said"]
    assert said[1]["output"] == {"output": "OUT"}


def test_the_file_is_one_export_and_is_known_by_its_first_line(plugin: Plugin) -> None:
    """OpenCode calls every export as a plugin; the second copy of a directory does nothing."""
    source = files("rg_opencode").joinpath("plugin.js").read_text(encoding="utf-8")
    assert source.startswith("// rg-memory plugin\n")
    assert sum(line.startswith("export ") for line in source.splitlines()) == 1
    assert source.count("__RG_HOOK__") == 1
    assert "console." not in source
    said = plugin.drive()
    assert said["again"] == []
    assert "tool.execute.before" in said["hooks"]
